package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"seisin/internal/sandbox"
)

// in this order, and ~/.config is not in it.
func TestDefaultScratch(t *testing.T) {
	want := []string{"~/.claude", "~/.codex", "~/.local/share", "~/.local/state", "~/.cache", "$TMPDIR", "/tmp"}
	if !slices.Equal(DefaultScratch, want) {
		t.Errorf("got %q, want %q", DefaultScratch, want)
	}
	g := newGround(t)
	g.make(t, "$HOME/.cache/", "$HOME/.config/gh/hosts.yml", "$HOME/.bashrc")
	a := g.answer(t, "[roles.dev]\n")
	wantLines(t, "scratch", g.grants(a.Spec.Write), []string{
		"$HOME/.cache dir", "$HOME/.claude dir absent", "$HOME/.codex dir absent",
		"$HOME/.local/share dir absent", "$HOME/.local/state dir absent",
	})
	wantLines(t, "private", g.grants(a.Spec.Private), []string{"/tmp dir", "/var/tmp dir"})
	for name, want := range map[string]bool{
		"/.cache/x": true, "/.local/share/opencode/log": true, "/.claude/x": true,
		"/.config/x": false, "/.config/gh/hosts.yml": false, "/.bashrc": false, "/.profile": false, "/.local/x": false, "/.ssh/x": false,
		"/.local/state/seisin/x": false,
	} {
		if v := a.Spec.Verdict(sandbox.OpWrite, g.home+name); v.Allowed != want {
			t.Errorf("a write of ~%s is allowed: %v (%s), want %v", name, v.Allowed, v.Rule, want)
		}
	}
	const rule = "scratch ~/.cache: every role may write it"
	if v := a.Spec.Verdict(sandbox.OpWrite, g.home+"/.cache/x"); v.Rule != rule {
		t.Errorf("got rule «%s», want «%s»", v.Rule, rule)
	}
}

// a list replaces the defaults, and says which it dropped.:
// what is expanded, and that a link is followed.
func TestScratch(t *testing.T) {
	const dropped = "leaves out ~/.claude ~/.codex ~/.local/share ~/.local/state ~/.cache"
	for _, tt := range []struct {
		name   string
		make   []string
		writes string
		want   []string
		notes  []string
	}{
		{"None", nil, ``, nil, []string{"2: [runtime] writes replaces the defaults and " + dropped}},
		{"One", nil, `"$OUT/x"`, []string{"$OUT/x dir absent"}, []string{"2: [runtime] writes replaces the defaults and " + dropped}},
		{"Some", nil, `"~/.cache", "~/.claude", "~/.config/x"`, []string{"$HOME/.cache dir absent", "$HOME/.claude dir absent", "$HOME/.config/x dir absent"},
			[]string{"2: [runtime] writes replaces the defaults and leaves out ~/.codex ~/.local/share ~/.local/state"}},
		{"AllOfThem", nil, `"~/.claude", "~/.codex", "~/.local/share", "~/.local/state", "~/.cache", "$TMPDIR", "/tmp"`, []string{
			"$HOME/.cache dir absent", "$HOME/.claude dir absent", "$HOME/.codex dir absent", "$HOME/.local/share dir absent", "$HOME/.local/state dir absent"}, nil},
		{"File", []string{"$HOME/.netrc"}, `"~/.netrc"`, []string{"$HOME/.netrc file"}, []string{"2: [runtime] writes replaces the defaults and " + dropped}},
		{"Link", []string{"$OUT/big/", "$HOME/.cache -> $OUT/big"}, `"~/.cache/sub"`, []string{"$OUT/big/sub dir absent"},
			[]string{`2: scratch ~/.cache/sub goes through the symlink "$HOME/.cache" to "$OUT/big/sub"`, "2: [runtime] writes replaces the defaults and " + dropped}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, tt.make...)
			a := g.answer(t, "[runtime]\nwrites = ["+tt.writes+"]\n[roles.dev]\n")
			wantLines(t, "scratch", g.grants(a.Spec.Write, sandbox.Scratch), tt.want)
			wantLines(t, "notes", g.notes(a), tt.notes)
			for _, grant := range a.Spec.Write {
				if !strings.HasPrefix(grant.Rule, `[runtime] writes "`) {
					t.Errorf("got rule «%s», want the policy quoted", grant.Rule)
				}
			}
			// With no scratch at all the run has temporary files all the same.
			wantLines(t, "private", g.grants(a.Spec.Private), []string{"/tmp dir", "/var/tmp dir"})
		})
	}
}

// A default that leads elsewhere is where it leads, and no way into the
// repository.
func TestDefaultScratchThroughLinks(t *testing.T) {
	g := newGround(t)
	g.make(t, "$OUT/big/", "$HOME/.cache -> $OUT/big", "$HOME/.claude -> $ROOT/dot", "dot/", "$HOME/.codex -> $ROOT")
	a := g.answer(t, "[roles.dev]\n")
	wantLines(t, "scratch", g.grants(a.Spec.Write), []string{
		"$HOME/.local/share dir absent", "$HOME/.local/state dir absent", "$OUT/big dir"})
	wantLines(t, "notes", g.notes(a), []string{
		"0: scratch ~/.claude is not granted: it lies in the repository",
		"0: scratch ~/.codex is not granted: it lies in the repository",
		`0: scratch ~/.cache goes through the symlink "$HOME/.cache" to "$OUT/big"`,
	})
	if v := a.Spec.Verdict(sandbox.OpWrite, g.root+"/dot/x"); v.Allowed {
		t.Errorf("scratch is a back door into the repository: %s", v.Rule)
	}
}

// C24: the repository lies in what every role may write. It is readable there,
// and written by its own roles only.
func TestRepositoryInScratch(t *testing.T) {
	for name, policy := range map[string]string{
		"OfThePolicy": "[runtime]\nwrites = ['$OUT']\n",
		"OfTheHome":   "",
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			inside := g.out + "/deep/r"
			if policy == "" {
				inside = g.home + "/.cache/deep/r"
			}
			g.make(t, filepath.Dir(inside)+"/")
			if err := os.Rename(g.root, inside); err != nil {
				t.Fatal(err)
			}
			g.root = inside
			t.Cleanup(func() { _ = os.RemoveAll(inside) })
			g.make(t, ".secrets/k")
			a := g.answer(t, "[keys]\ndir = '.secrets'\n[roles.dev]\nwrites = ['src/**']\n"+policy)
			p := a.Spec.Plan()
			for name, want := range map[string]bool{
				"/src/x": true, "/../x": true, "/../../x": true,
				"/docs/d": false, "/new": false, "/seisin.toml": false, "/.git/config": false, "/.secrets/k": false, "/.git/seisin/x": false,
			} {
				if v := p.Verdict(sandbox.OpWrite, filepath.Join(g.root, name)); v.Allowed != want {
					t.Errorf("a write of %s is allowed: %v (%s), want %v", name, v.Allowed, v.Rule, want)
				}
			}
			for _, dir := range []string{g.root, filepath.Dir(g.root)} {
				if v := p.Verdict(sandbox.OpReplace, dir); v.Allowed {
					t.Errorf("%s can be moved: %s", g.fold(dir), v.Rule)
				}
			}
			if v := p.Verdict(sandbox.OpRead, g.root+"/docs/d"); !v.Allowed {
				t.Errorf("the repository cannot be read: %s", v.Rule)
			}
		})
	}
}

func TestScratchRefused(t *testing.T) {
	const below = "name a directory below it"
	const home = " holds the home directory, or this tool's own files"
	runtime := func(p string) string { return "[roles.dev]\n[runtime]\nwrites = ['" + p + "']\n" }
	refuseAll(t, []refusal{
		{"InTheRepository", nil, runtime("$ROOT/tmp"), 3, `scratch "$ROOT/tmp" lies in the repository`, "grant it to the roles that need it: writes"},
		{"TheRepository", nil, runtime("$ROOT"), 3, `scratch "$ROOT" lies in the repository`, "grant it to the roles that need it: writes"},
		{"InTheRepositoryThroughALink", []string{"$HOME/p -> $ROOT/src"}, runtime("~/p"), 3,
			`scratch "~/p" lies in the repository`, "grant it to the roles that need it: writes"},
		//
		{"Home", nil, runtime("$HOME"), 3, `scratch "$HOME"` + home, below},
		{"HomeThroughALink", []string{"$HOME/me -> ."}, runtime("~/me"), 3, `scratch "~/me"` + home, below},
		{"AboveTheHome", []string{"$HOME/l -> /var"}, runtime("~/l"), 3, `scratch "~/l"` + home, below},
		{"TheMachine", []string{"$HOME/l -> /"}, runtime("~/l"), 3, `scratch "~/l"` + home, below},
		{"Config", nil, runtime("~/.config"), 3, `scratch "~/.config"` + home, below},
		{"InConfig", nil, runtime("~/.config/seisin/approved"), 3, `scratch "~/.config/seisin/approved"` + home, below},
		{"State", nil, runtime("~/.local/state/seisin"), 3, `scratch "~/.local/state/seisin"` + home, below},
		{"InState", nil, runtime("~/.local/state/seisin/homes"), 3, `scratch "~/.local/state/seisin/homes"` + home, below},

		{"Dangling", []string{"$HOME/l -> nowhere"}, runtime("~/l/x"), 3,
			`scratch "~/l/x" leads nowhere: lstat $HOME/nowhere: no such file or directory`, "mend or remove the link"},
		{"FIFO", []string{"$HOME/p |"}, runtime("~/p"), 3, `scratch "~/p" is neither a file nor a directory`, "name files and directories only"},
		{"Dev", nil, runtime("/dev/shm"), 3, `scratch "/dev/shm": a box has its own /dev and /proc, and /sys is never written`, "remove it"},
		{"Keys", []string{"$HOME/k/"}, "[keys]\ndir = '$HOME/k'\n[roles.dev]\n[runtime]\nwrites = ['~/k/x']\n", 5,
			`scratch "~/k/x": [keys] dir "$HOME/k" (seisin.toml:2): a role reads the keys in it that it names, and writes none`, "remove it"},
		// The default is refused too: nothing of it is left out in silence.
		{"DefaultIsTheHome", []string{"$HOME/.cache -> ."}, "[roles.dev]\n", 0, `scratch "~/.cache"` + home, below},
		{"DefaultDangles", []string{"$HOME/.codex -> nowhere"}, "[roles.dev]\n", 0,
			`scratch "~/.codex" leads nowhere: lstat $HOME/nowhere: no such file or directory`, "mend or remove the link"},
		{"DefaultIsKeys", []string{"$HOME/.cache/"}, "[keys]\ndir = '$HOME/.cache'\n[roles.dev]\n", 0,
			`scratch "~/.cache": [keys] dir "$HOME/.cache" (seisin.toml:2): a role reads the keys in it that it names, and writes none`, "remove it"},
	})
}

// Without a home there is no scratch in it, and it is said.
func TestScratchWithoutAHome(t *testing.T) {
	g := newGround(t)
	t.Setenv("HOME", g.out+"/none")
	a := g.answer(t, "[roles.dev]\n")
	wantLines(t, "scratch", g.grants(a.Spec.Write), nil)
	var want []string
	for _, p := range []string{"~/.claude", "~/.codex", "~/.local/share", "~/.local/state", "~/.cache"} {
		want = append(want, "0: scratch "+p+" is not granted: HOME names no directory")
	}
	wantLines(t, "notes", g.notes(a), want)
}
