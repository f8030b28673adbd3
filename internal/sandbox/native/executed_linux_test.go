package native_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

// scratchOnly is a role that writes scratch and nothing else.
const scratchOnly = "[roles.dev]\nwrites = []\n"

// levels are how a policy with scratch isolates.
var levels = []struct{ name, runtime string }{
	{"Open", "[runtime]\nisolate = false\n"},
	{"Credentials", "[runtime]\nisolate = \"credentials\"\n"},
}

// plantHome makes files in a fresh home, by path below it; a name with " -> "
// is a symlink, and one that ends in "/" is on PATH too.
func plantHome(t *testing.T, names ...string) (home string) {
	t.Helper()
	home = sandboxtest.Home(t)
	path := []string{os.Getenv("PATH")}
	for _, name := range names {
		name, to, isLink := strings.Cut(name, " -> ")
		p := filepath.Join(home, name)
		if strings.HasSuffix(name, "/") {
			path = append(path, p)
			p = filepath.Join(p, "tool")
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		if isLink {
			err = os.Symlink(to, p)
		} else {
			err = os.WriteFile(p, []byte("the person's\n"), 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", strings.Join(path, ":"))
	return home
}

// What the host executes from scratch is not written, replaced, removed or
// moved, by its name or with a directory above it; what stands beside it is
// (SD-11, SD-12, ATT-5, ATT-16).
func TestExecutedFromScratch(t *testing.T) {
	for _, tt := range []struct {
		name, plant string // see plantHome
		more        string // to plant as well
		closed      string // what must stay, if not what was planted
		beside      string // what can be written
		above       string // a directory that must stay where it is, or ""
	}{
		{"Settings", ".claude/settings.json", "", "", ".claude/history.jsonl", ""},
		{"Hooks", ".claude/hooks/pre.sh", "", "", ".claude/projects.jsonl", ".claude/hooks"},
		{"Codex", ".codex/config.toml", "", "", ".codex/history.jsonl", ""},
		{"LinkedSettings", ".claude/settings.json -> ../dot/s.json", "dot/s.json", "", ".claude/history.jsonl", ""},
		{"OnPath", ".local/share/x/bin/", "", ".local/share/x/bin/tool", ".local/share/x/data", ".local/share/x"},
		{"InstallTree", ".local/share/x/bin/", ".local/share/x/lib/m.py", ".local/share/x/lib/m.py", ".local/share/data", ".local/share/x"},
		{"LinkFromPath", ".local/bin/", ".local/share/y/1/tool", ".local/share/y/1/tool", ".local/share/y/data", ".local/share/y"},
		{"LinkOnTheWay", ".local/bin/", ".local/share/y/1/tool", ".local/share/y/now", ".local/share/y/data", ".local/share/y"},
		{"Cache", ".cache/pre-commit/repo/hook", "", "", ".cache/data", ".cache/pre-commit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, level := range levels {
				t.Run(level.name, func(t *testing.T) {
					plant := []string{tt.plant, tt.beside}
					switch {
					case strings.HasPrefix(tt.name, "Link") && tt.plant == ".local/bin/":
						plant = append(plant, tt.more, ".local/share/y/now -> 1", ".local/bin/link -> ../share/y/now/tool")
					case tt.more != "":
						plant = append(plant, tt.more)
					}
					home := plantHome(t, plant...)
					b := boxAt(t, sandboxtest.Repo(t, map[string]string{"f": "f\n"}), level.runtime+scratchOnly)
					closed := tt.closed
					if closed == "" {
						closed, _, _ = strings.Cut(tt.plant, " ")
					}
					p, beside := filepath.Join(home, closed), filepath.Join(home, tt.beside)
					before := standsAs(t, p)
					for _, a := range []act{
						{Op: "write", Path: p, Text: "x"}, {Op: "save", Path: p, Text: "x"}, {Op: "truncate", Path: p}, {Op: "chmod", Path: p},
						{Op: "unlink", Path: p}, {Op: "rename", Path: p, To: p + ".moved"}, {Op: "rename", Path: beside, To: p},
						{Op: "link", Path: p, To: beside + ".linked"}, {Op: "symlink", Path: p, To: beside},
					} {
						b.refusedOrThere(t, a)
					}
					if tt.above != "" {
						up := filepath.Join(home, tt.above)
						b.refusedOrThere(t, act{Op: "rename", Path: up, To: up + ".moved"})
						b.refusedOrThere(t, act{Op: "symlink", Path: up, To: "/tmp"})
					}
					if after := standsAs(t, p); after != before {
						t.Errorf("%s: got %q, want %q", closed, after, before)
					}
					// The control: the same beside it, in the same run.
					for _, a := range []act{
						{Op: "write", Path: beside, Text: "x"}, {Op: "chmod", Path: beside}, {Op: "link", Path: beside, To: beside + ".2"},
						{Op: "rename", Path: beside + ".2", To: beside + ".3"}, {Op: "rename", Path: beside + ".3", To: beside + ".4"},
						{Op: "symlink", Path: beside + ".5", To: "f"}, {Op: "unlink", Path: beside}, {Op: "save", Path: beside, Text: "x"},
					} {
						b.ok(t, a)
					}
					if err := b.close(); err != nil {
						t.Errorf("the run: %v", err)
					}
				})
			}
		})
	}
}

// standsAs is what stands at p, in words: of a link where it leads.
func standsAs(t *testing.T, p string) string {
	t.Helper()
	info, err := os.Lstat(p)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode()&os.ModeSymlink != 0 {
		to, err := os.Readlink(p)
		if err != nil {
			t.Fatal(err)
		}
		return "-> " + to
	}
	text, err := os.ReadFile(p)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().String() + string(text)
}

// replacements are how the person's own programs replace what a box has closed.
var replacements = []struct{ name, plant, host, grab string }{
	{"File", ".claude/settings.json", "cp .claude/settings.json s; mv s .claude/settings.json", "map"},
	{"Link", ".claude/settings.json -> ../dot.json", "ln -s ../dot.json s; mv -T s .claude/settings.json", ""},
	{"LinkMadeAFile", ".claude/settings.json -> ../dot.json", "echo {} > s; mv -T s .claude/settings.json", ""},
	{"Directory", ".local/share/x/bin/", "cp -r .local/share/x/bin s; rm -rf o; mv .local/share/x/bin o; mv s .local/share/x/bin", "directory"},
}

// What was replaced is closed again each time, and the run goes on (SD-12).
func TestExecutedIsRenewed(t *testing.T) {
	for _, tt := range replacements {
		t.Run(tt.name, func(t *testing.T) {
			home := plantHome(t, tt.plant, "dot.json", ".claude/beside")
			b := boxAt(t, sandboxtest.Repo(t, map[string]string{"f": "f\n"}), scratchOnly)
			name, _, _ := strings.Cut(tt.plant, " ")
			p := filepath.Join(home, name)
			for range 20 {
				shell(t, home, tt.host)
				soonEnough(t, name+" is a mount again", func() bool {
					o, _ := b.do(act{Op: "mounts"})
					return slices.Contains(o.Names, p)
				})
				b.refused(t, act{Op: "rename", Path: p, To: p + ".away"})
				b.refused(t, act{Op: "rename", Path: filepath.Join(home, ".claude/beside"), To: p})
			}
			if err := b.close(); err != nil {
				t.Errorf("a run that outlived 20 replacements ended with %v", err)
			}
		})
	}
}

// A process in the box spins on it while it is replaced, and takes hold of what
// came in its place before the mount did: that ends the run (F8).
func TestExecutedAndGrabbed(t *testing.T) {
	for _, tt := range replacements {
		if tt.grab == "" {
			continue // there is no hold on a link
		}
		t.Run(tt.name, func(t *testing.T) {
			home := plantHome(t, tt.plant)
			b := boxAt(t, sandboxtest.Repo(t, map[string]string{"f": "f\n"}), scratchOnly)
			p, won := filepath.Join(home, strings.TrimSuffix(tt.plant, "/")), filepath.Join(home, ".cache/won")
			grabbed := make(chan outcome, 1)
			go func() {
				o, _ := b.do(act{Op: "grab", Path: p, To: won, Text: tt.grab})
				grabbed <- o
			}()
			for o := (outcome{Errno: -1}); o.Errno != 0; {
				select {
				case o = <-grabbed:
					if o.Errno != 0 {
						t.Fatalf("got %v, want it to take hold of %s once", o, p)
					}
				case <-time.After(20 * time.Millisecond):
					if _, err := os.Lstat(won); err != nil {
						shell(t, home, tt.host)
					}
				}
			}
			soonEnough(t, "the box ends", func() bool {
				_, alive := b.do(act{Op: "list", Path: "/"})
				return !alive
			})
			fallen, ok := errors.AsType[*native.FallenError](b.close())
			if !ok || fallen.Path != p || !strings.Contains(fallen.Why, "took hold") {
				t.Errorf("the run ended with %v", fallen)
			}
		})
	}
}
