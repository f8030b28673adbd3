package gitdir

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever the caller's environment says, git answers for the directory that
// it is asked about.
func TestRunGitIsNotPlaced(t *testing.T) {
	base := sh(t, `repo r; repo s`)
	for name, value := range map[string]string{
		"GIT_DIR":               filepath.Join(base, "s/.git"),
		"GIT_WORK_TREE":         filepath.Join(base, "s"),
		"GIT_CONFIG_PARAMETERS": "'core.worktree'='/'",
		"GIT_CONFIG_COUNT":      "1",
		"GIT_CONFIG_KEY_0":      "core.worktree",
		"GIT_CONFIG_VALUE_0":    "/",
	} {
		t.Setenv(name, value)
	}
	got, err := runGit(filepath.Join(base, "r/src"), os.Getenv, "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(base, "r") + "\n"; got != want {
		t.Errorf("got top %q, want %q", got, want)
	}
}

func TestRunGitErrors(t *testing.T) {
	base := sh(t, ``)
	_, err := runGit(base, os.Getenv, "config", "--file", "gone", "--list")
	if err == nil || !strings.HasPrefix(err.Error(), "fatal: ") {
		t.Errorf("got error %v, want git's own first line", err)
	}
	t.Setenv("PATH", base)
	if _, err := runGit(base, os.Getenv, "version"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without git: got error %v, want %v", err, exec.ErrNotFound)
	}
}
