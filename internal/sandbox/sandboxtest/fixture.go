package sandboxtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Require fails the test where have is false. It does not skip: nobody reads
// a skip, and the boundary would be untested on that machine for good.
func Require(t testing.TB, have bool, feature string) {
	t.Helper()
	if !have {
		t.Fatalf("this machine lacks %s, which the test needs", feature)
	}
}

// Home makes an empty home, and points HOME and the XDG directories into it
// until the test ends. GOCACHE and GOMODCACHE, where they are set, stay. The
// test must not be parallel, since the environment is the process's.
func Home(t testing.TB) string {
	t.Helper()
	home := place.fresh(t, "h")
	t.Setenv("HOME", home)
	for _, v := range []struct{ name, dir string }{
		{"XDG_CACHE_HOME", ".cache"},
		{"XDG_CONFIG_HOME", ".config"},
		{"XDG_DATA_HOME", ".local/share"},
		{"XDG_STATE_HOME", ".local/state"},
	} {
		t.Setenv(v.name, filepath.Join(home, v.dir))
	}
	// Nothing stands for it where no session manager made it. Setenv is for
	// what it does at the end: it puts the old value back.
	t.Setenv("XDG_RUNTIME_DIR", "")
	if err := os.Unsetenv("XDG_RUNTIME_DIR"); err != nil {
		t.Fatal(err)
	}
	return home
}

// Repo makes a git repository of files, by slash-separated path, with all of
// them in one commit on main, and returns its root. A file that begins with
// "#!" is executable. It takes nothing of the person's own git settings, and
// the same files give the same commit.
func Repo(t testing.TB, files map[string]string) string {
	t.Helper()
	root := place.fresh(t, "r")
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	git(t, root, "init", "-q", "-b", "main")
	commit(t, root)
	return root
}

func commit(t testing.TB, root string) {
	t.Helper()
	git(t, root, "add", "-A")
	git(t, root, "commit", "-q", "--allow-empty", "-m", "start")
}

func git(t testing.TB, root string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	cmd.Env = gitEnviron(os.Environ())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// gitEnviron returns env with settings of its own for git: none of a person's,
// none of a git that the tests may run under, such as a hook's.
func gitEnviron(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_")
	})
	env = append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env,
			"GIT_"+who+"_NAME=test",
			"GIT_"+who+"_EMAIL=test@example.com",
			"GIT_"+who+"_DATE=2026-01-02T03:04:05Z")
	}
	return env
}

// Module returns a copy of this module, as it is here, as a repository with one
// commit.
func Module(t testing.TB) string {
	t.Helper()
	from, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(place.fresh(t, "r"), "module")
	if err := copyModule(root, from, os.Getuid()); err != nil {
		t.Fatal(err)
	}
	git(t, root, "init", "-q", "-b", "main")
	commit(t, root)
	return root
}
