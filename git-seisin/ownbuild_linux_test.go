package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"seisin/internal/sandbox/sandboxtest"
)

// This project is built and vetted in a box on its own repository, by a role
// that may write nothing of it.
func TestThisProjectIsBuiltInABox(t *testing.T) {
	sandboxtest.Home(t)
	sandboxtest.Modules(t)
	root := sandboxtest.Module(t)
	policy := "[roles.dev]\nwrites = [\"bench/**\"]\nenv = [\"GOMODCACHE\", \"GOPROXY\", \"GOFLAGS\"]\n"
	if err := os.WriteFile(filepath.Join(root, "seisin.toml"), []byte(policy), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-buildvcs=false")
	for _, args := range [][]string{
		{"sh", "-c", "! touch go.mod 2>/dev/null"}, // the control: it is a box
		{"go", "build", "./..."},
		{"go", "vet", "./..."},
	} {
		cmd := exec.Command(sandboxtest.Binary(t), append([]string{"run", "--quiet", "dev", "--"}, args...)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
	}
}
