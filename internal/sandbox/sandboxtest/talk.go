package sandboxtest

import (
	"encoding/json"
	"io/fs"
	"os/exec"
	"path/filepath"
	"testing"
)

// Talk starts cmd, and returns what is written to its standard input, and read
// from its standard output, as JSON. Its Wait closes both.
func Talk(t testing.TB, cmd *exec.Cmd) (*json.Encoder, *json.Decoder) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return json.NewEncoder(stdin), json.NewDecoder(stdout)
}

// A Fataler is a test, or one case of a property.
type Fataler interface {
	Helper()
	Fatal(args ...any)
}

// Tree lists what is below dir, directories with a slash at the end.
func Tree(t Fataler, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if d.IsDir() {
			rel += "/"
		}
		all = append(all, rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
