package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"seisin/internal/sandbox/sandboxtest"
)

// In a repository that its owner has closed to others root has no way into
// what a box is made of, and hears of the directory and not of the machine. Its
// owner runs there.
func TestRepositoryClosedToOthers(t *testing.T) {
	place := newTestPlace(t)
	safe := filepath.Join(sandboxtest.Home(t), "gitconfig")
	if err := os.WriteFile(safe, []byte("[safe]\n\tdirectory = *\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func() (string, int) {
		cmd := exec.Command("git-seisin", "run", "--quiet", "dev", "--", "echo", "ran")
		cmd.Path, cmd.Err = lookUp(t, "git-seisin", place.env), nil
		cmd.Dir, cmd.Env = place.repo, append(place.env, "GIT_CONFIG_GLOBAL="+safe)
		out, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return string(out), exit.ExitCode()
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(out), 0
	}
	mode := func(to os.FileMode) {
		if err := os.Chmod(place.repo, to); err != nil {
			t.Fatal(err)
		}
	}
	mode(0o700)
	if out, code := run(); out != "ran\n" || code != 0 {
		t.Fatalf("its owner: got %q and exit %d, want that it runs", out, code)
	}
	if os.Getuid() != 0 {
		return
	}
	chownAll(t, sandboxtest.User(), place.repo)
	out, code := run()
	info, err := os.Stat(place.repo)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("its directory %q belongs to %s, and its mode drwx------ does not let you through\n", place.repo, ownerName(info))
	if code != 125 || !strings.Contains(out, want) || strings.Contains(out, "machine") {
		t.Errorf("got exit %d and\n%s\nwant 125 and %q", code, out, want)
	}
	mode(0o711)
	if out, code := run(); out != "ran\n" || code != 0 {
		t.Errorf("open to others: got %q and exit %d, want that it runs", out, code)
	}
}
