package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"seisin/internal/sandbox/sandboxtest"
)

// The id of a root is the same in every version: names on disk hold it. A-23
// gives "LlaqNvU4" for /tmp/x; here that is the root of a real repository.
func TestRootID(t *testing.T) {
	sandboxtest.Home(t)
	const root, want = "/tmp/x", "LlaqNvU4"
	mkdirAlone(t, root)
	init := exec.Command("git", "init", "-q", root)
	init.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := init.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(root, "seisin.toml"), []byte("[roles.dev]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := exec.Command("git-seisin", "settings", "dev", "--json")
	ask.Dir = root
	out, err := ask.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result struct {
			RootID string `json:"root_id"`
		} `json:"result"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	if got := answer.Result.RootID; got != want {
		t.Errorf("root_id of %s: got %q, want %q", root, got, want)
	}
}

// mkdirAlone makes a directory that is nobody else's, for as long as the test
// runs. Its name is given, and so another run of this test may have it.
func mkdirAlone(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) || time.Now().After(deadline) {
			t.Fatalf("%v: the test needs this name for itself", err)
		}
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
}
