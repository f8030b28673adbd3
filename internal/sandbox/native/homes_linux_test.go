package native_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"seisin/internal/launch"
	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
	"seisin/internal/settings"
)

const atHome = "[runtime]\nisolate = \"home\"\n[roles.dev]\nwrites = [\"src/**\"]\n[roles.qa]\n"

// ownHome is the home that a spec gives its role.
func ownHome(t *testing.T, spec sandbox.Spec) string {
	t.Helper()
	for _, g := range spec.Write {
		if g.Part == sandbox.Home {
			return g.Path
		}
	}
	t.Fatal("the role has no home of its own")
	return ""
}

// A role's home is its own: it is written and stays, and another role, of the
// same policy or of another, cannot see that it is there (A-21, A-22, SD-7, F22).
func TestHomesAreApart(t *testing.T) {
	home := sandboxtest.Home(t)
	shell(t, home, "mkdir -p .cache .local/share; echo plain > .cache/f; echo plain > .bashrc")
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	other := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	mine, theirs := boxAt(t, root, atHome), boxAt(t, other, atHome)
	dev, stranger := ownHome(t, mine.spec), ownHome(t, theirs.spec)
	qa := filepath.Join(filepath.Dir(dev), "qa")
	if dev == stranger {
		t.Fatalf("two repositories share the home %s", dev)
	}
	theirs.ok(t, act{Op: "save", Path: filepath.Join(stranger, "token"), Text: "secret"})
	shell(t, home, "mkdir -m 700 "+qa+"; echo secret > "+qa+"/token") // as a run of qa leaves it

	mine.ok(t, act{Op: "save", Path: filepath.Join(dev, ".config/token"), Text: "own\n"})
	mine.reads(t, filepath.Join(dev, ".config/token"), "own\n")
	if text, err := os.ReadFile(filepath.Join(dev, ".config/token")); err != nil || string(text) != "own\n" {
		t.Errorf("what the role wrote in its home: got %q, %v, want it on the host", text, err)
	}
	for _, dir := range []string{qa, stranger} {
		if text, err := os.ReadFile(filepath.Join(dir, "token")); err != nil || len(text) == 0 {
			t.Fatalf("control: the host cannot read %s/token: %v", dir, err)
		}
		for _, a := range []act{
			{Op: "read", Path: dir + "/token"}, {Op: "list", Path: dir}, {Op: "write", Path: dir + "/token", Text: "x"},
			{Op: "create", Path: dir + "/new"}, {Op: "mkdir", Path: dir}, {Op: "rename", Path: dev, To: dir},
		} {
			if o, _ := mine.do(a); o.Errno == 0 {
				t.Errorf("%s %s: got %v, want an error", a.Op, a.Path, o)
			}
		}
	}
	state := filepath.Dir(filepath.Dir(filepath.Dir(dev)))
	for dir, want := range map[string]string{state: "homes", filepath.Join(state, "homes"): filepath.Base(filepath.Dir(dev)), filepath.Dir(dev): "dev"} {
		if o := mine.ok(t, act{Op: "list", Path: dir}); !slices.Equal(o.Names, []string{want}) {
			t.Errorf("%s: got the names %q, want %q alone", dir, o.Names, want)
		}
		mine.refused(t, act{Op: "create", Path: filepath.Join(dir, "new")})
	}
	// Nothing shared can be written; what is no secret can be read.
	for _, name := range []string{".cache/f", ".bashrc"} {
		mine.reads(t, filepath.Join(home, name), "plain\n")
		mine.refused(t, act{Op: "write", Path: filepath.Join(home, name), Text: "x"})
	}
	mine.refused(t, act{Op: "create", Path: filepath.Join(home, ".local/share/new")})
	if err := mine.close(); err != nil {
		t.Errorf("the run: %v", err)
	}
	again := boxAt(t, root, atHome)
	again.reads(t, filepath.Join(dev, ".config/token"), "own\n")
}

// What agents keep in the person's home is there at credentials, and not where
// each role has a home of its own (A-20, SD-10).
func TestAgentsStateIsClosedAtHome(t *testing.T) {
	home := sandboxtest.Home(t)
	shell(t, home, `mkdir .claude .codex; echo s > .claude/.credentials.json; echo s > .codex/auth.json; echo s > .claude.json
		echo s > .claude.json.backup; echo s > .gitconfig`)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	open, closed := boxAt(t, root, isolated), boxAt(t, root, atHome)
	for _, name := range []string{".claude/.credentials.json", ".codex/auth.json", ".claude.json", ".claude.json.backup", ".gitconfig"} {
		open.reads(t, filepath.Join(home, name), "s\n")
		if o, _ := closed.do(act{Op: "read", Path: filepath.Join(home, name)}); o.Errno == 0 {
			t.Errorf("read ~/%s: got %q, want an error", name, o.Text)
		}
	}
	shell(t, home, "echo 2 > n; mv n .claude.json; echo 2 > .claude.json.new; mv .codex c; mv c .codex")
	for _, name := range []string{".claude.json", ".claude.json.new", ".codex/auth.json"} {
		if o, _ := closed.do(act{Op: "read", Path: filepath.Join(home, name)}); o.Errno == 0 {
			t.Errorf("read ~/%s after the host replaced it: got %q, want an error", name, o.Text)
		}
	}
}

// The home that is in the box is the one that was made for it: one that is put
// in its place by its name alone is refused (F23).
func TestHomeIsTakenByDescriptor(t *testing.T) {
	home := sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	b := boxAt(t, root, atHome)
	dev := ownHome(t, b.spec)
	if err := b.close(); err != nil {
		t.Fatal(err)
	}
	shell(t, home, "mkdir elsewhere; mv "+dev+" "+dev+".old; ln -s "+home+"/elsewhere "+dev)
	if _, err := specFor(t, root, atHome); err == nil || !strings.Contains(err.Error(), "is a symlink") {
		t.Errorf("a home that is a link: got %v, want a refusal", err)
	}
	// The link comes after the spec was made.
	if err := os.Remove(dev); err != nil {
		t.Fatal(err)
	}
	spec, err := specFor(t, root, atHome)
	if err != nil {
		t.Fatal(err)
	}
	shell(t, home, "ln -s "+home+"/elsewhere "+dev)
	m, err := settings.Here()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (launch.Run{
		Provider: native.New(), Spec: spec, State: m.State(), Command: []string{"true"}, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Note: t.Logf,
	}).Do(context.Background()); err == nil || !strings.Contains(err.Error(), "is a symlink") {
		t.Errorf("a home that became a link: got %v, want a refusal", err)
	}
	if left, err := os.ReadDir(filepath.Join(home, "elsewhere")); err != nil || len(left) > 0 {
		t.Errorf("behind the link there is %v, %v; want nothing", left, err)
	}
}
