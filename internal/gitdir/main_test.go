package gitdir

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"seisin/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { sandboxtest.Main(m, commands) }

// prelude is what the scripts below begin with. They make repositories with
// the git of this machine, so that Find meets what git leaves, and not what
// somebody remembers of it.
const prelude = `set -eu
repo() { # a repository with one commit
	git init -q "$@"
	for dir; do :; done
	mkdir -p "$dir/src/deep"
	echo x >"$dir/src/a"
	git -C "$dir" add .
	git -C "$dir" -c maintenance.auto=false -c gc.auto=0 commit -q -m one
}
container() { # a bare repository in a folder of its own
	repo "$1.from"
	mkdir "$1"
	git clone -q --bare "$1.from" "$1/.bare"
	echo 'gitdir: ./.bare' >"$1/.git"
}
`

// sh runs a script of sh in a fresh directory, and returns the directory. The
// environment is the process's own, cleaned of the person's git settings.
func sh(t testing.TB, script string) string {
	t.Helper()
	cleanEnv(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// No repository around the tests' directories may answer for them.
	t.Setenv("GIT_CEILING_DIRECTORIES", dir)
	cmd := exec.Command("sh", "-c", prelude+script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	return dir
}

func cleanEnv(t testing.TB) {
	t.Helper()
	sandboxtest.Home(t)
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			unsetenv(t, name)
		}
	}
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL":   os.DevNull,
		"GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME":     "test",
		"GIT_AUTHOR_EMAIL":    "test@example.com",
		"GIT_COMMITTER_NAME":  "test",
		"GIT_COMMITTER_EMAIL": "test@example.com",
	} {
		t.Setenv(name, value)
	}
}

// unsetenv removes a variable until the test ends. Setenv is for what it does
// at the end: it puts the old value back.
func unsetenv(t testing.TB, name string) {
	t.Helper()
	t.Setenv(name, "")
	if err := os.Unsetenv(name); err != nil {
		t.Fatal(err)
	}
}

// gitPlace asks git where dir lies. The answer has no DotGit.
func gitPlace(dir string) (*Place, error) {
	cmd := exec.Command("git", "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	for i, line := range lines {
		if lines[i], err = filepath.EvalSymlinks(line); err != nil {
			return nil, err
		}
	}
	return &Place{Root: lines[0], Gitdir: lines[1], Common: lines[2]}, nil
}
