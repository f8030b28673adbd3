package sandboxtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestHome(t *testing.T) {
	before := os.Getenv("HOME")
	t.Run("Inside", func(t *testing.T) {
		home := Home(t)
		if got, err := os.UserHomeDir(); err != nil || got != home {
			t.Errorf("UserHomeDir() = %q, %v, want %q", got, err, home)
		}
		if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
			t.Errorf("home holds %v, %v, want nothing", entries, err)
		}
		for _, kv := range os.Environ() {
			if strings.HasPrefix(kv, "XDG_") && strings.HasSuffix(kv, "_HOME") && !strings.Contains(kv, home) {
				t.Errorf("%s is outside the home %s", kv, home)
			}
		}
		if other := Home(t); other == home {
			t.Errorf("two homes are one: %s", home)
		}
	})
	if got := os.Getenv("HOME"); got != before {
		t.Errorf("HOME after the test = %q, want %q", got, before)
	}
}

// Homes hold sockets, whose paths have 107 bytes: what the product puts below
// its state directory must fit.
func TestHomeIsShort(t *testing.T) {
	path := filepath.Join(Home(t), ".local/state/seisin/run/abcdefgh/spool.sock")
	if strings.HasPrefix(path, "/var/cache/") && len(path) > 107 {
		t.Errorf("%q has %d bytes, want at most 107", path, len(path))
	}
}

func TestRepo(t *testing.T) {
	// A person's settings that would spoil a commit, if git read them.
	home := Home(t)
	config := "[commit]\n\tgpgsign = true\n[core]\n\thooksPath = /nosuch\n[init]\n\tdefaultBranch = other\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_DIR", "/nosuch")

	files := map[string]string{"a": "1\n", "src/deep/b": "2\n", "tool": "#!/bin/sh\n"}
	root := Repo(t, files)

	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = gitEnviron(os.Environ())
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return string(out)
	}
	if got, want := git("ls-tree", "-r", "--format=%(objectmode) %(path)", "main"), "100644 a\n100644 src/deep/b\n100755 tool\n"; got != want {
		t.Errorf("tree of main = %q, want %q", got, want)
	}
	if got := git("status", "--porcelain"); got != "" {
		t.Errorf("status = %q, want a clean tree", got)
	}
	if got, want := git("rev-list", "--count", "--all"), "1\n"; got != want {
		t.Errorf("commits = %q, want %q", got, want)
	}
	head := git("rev-parse", "HEAD")
	root = Repo(t, files)
	if again := git("rev-parse", "HEAD"); again != head {
		t.Errorf("the same files give commits %q and %q, want one", head, again)
	}
	root = Repo(t, nil)
	if got, want := git("rev-list", "--count", "HEAD"), "1\n"; got != want {
		t.Errorf("commits of an empty repository = %q, want %q", got, want)
	}
}

// failing is a testing.TB that notes a Fatalf.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) { f.said = fmt.Sprintf(format, args...) }

func TestRequire(t *testing.T) {
	var have, lack failing
	Require(&have, true, "a kernel")
	Require(&lack, false, "a kernel")
	if have.said != "" {
		t.Errorf("Require(true) fails: %q", have.said)
	}
	if want := "this machine lacks a kernel, which the test needs"; lack.said != want {
		t.Errorf("Require(false) says %q, want %q", lack.said, want)
	}
}

// A go command that has another home and no network finds the modules.
func TestModules(t *testing.T) {
	Home(t)
	dir := Modules(t)
	// Tests of the package included: go-internal is of their modules.
	cmd := exec.Command("go", "list", "-deps", "-test", ".")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "github.com/rogpeppe/go-internal/testscript\n") {
		t.Errorf("go list with GOMODCACHE=%s: %v\n%s", dir, err, out)
	}
}

// The real binary, where both users can start it, built once.
func TestBinary(t *testing.T) {
	exe := Binary(t)
	if again := Binary(t); again != exe {
		t.Errorf("Binary() = %q, then %q, want one build", exe, again)
	}
	if !readable(filepath.Dir(exe)) {
		t.Errorf("%s is in a directory that is closed to the second run", exe)
	}
	out, err := exec.Command(exe, "--help").Output()
	if err != nil || !strings.Contains(string(out), "git seisin") {
		t.Errorf("%s --help = %q, %v, want its help", exe, out, err)
	}
}
