package sandboxtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// startEnviron is the environment that go builds with: a test may have moved
// HOME since, and with it go's caches.
var startEnviron = os.Environ()

// binary is the one build of a run.
var binary struct {
	once sync.Once
	path string
	err  error
}

// Binary returns the path of the real binary, static and as it is released,
// for what a test binary cannot stand in for: its size, its start-up, what is
// linked. It is built once a run, where both runs can execute it.
func Binary(t testing.TB) string {
	t.Helper()
	if err := openSources(); err != nil {
		t.Fatal(err)
	}
	if place.dir == "" {
		exe := filepath.Join(t.TempDir(), "git-seisin")
		if err := build(exe); err != nil {
			t.Fatal(err)
		}
		return exe
	}
	binary.once.Do(func() {
		binary.path = filepath.Join(place.shared(), "git-seisin")
		if place.owned {
			binary.err = build(binary.path)
			return
		}
		_, binary.err = os.Stat(binary.path) // the user has no modules to build it from
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.path
}

// build makes the release binary, without a stamp of the repository's state:
// with one, every commit would link it anew.
func build(exe string) error {
	_, err := goCommand("build", "-buildvcs=false", "-tags", "urfave_cli_no_docs", "-o", exe, "./git-seisin")
	return err
}

// goCommand runs the go command at the module's root, as the tests were
// started, and returns what it says.
func goCommand(args ...string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	cmd.Env = append(startEnviron[:len(startEnviron):len(startEnviron)], "CGO_ENABLED=0", "PWD="+root)
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return string(out), err
}

// openSources opens every file that the binary may be made of. go test's cache
// holds a result for as long as the files stay the same that the test opened,
// and does not see what the go command opens. Of the second run it knows
// nothing.
func openSources() error {
	if place.dir != "" && !place.owned {
		return nil
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" || d.Name() == "testdata" {
			return skip(d)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		return f.Close()
	})
}
