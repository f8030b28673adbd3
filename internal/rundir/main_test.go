package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"seisin/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Main(m, map[string]func(){
		"rundir-once":   once,
		"rundir-parent": parent,
		"rundir-heir":   heir,
		"rundir-deep":   deep,
	})
}

// start begins a run that is closed, if it is not yet, when the test ends.
func start(t *testing.T, state string, uses ...string) *Dir {
	t.Helper()
	d, err := New(state, uses)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func ensure(t *testing.T, d *Dir, path string, dir bool) {
	t.Helper()
	if _, err := d.Ensure(path, dir); err != nil {
		t.Fatal(err)
	}
}

func end(t *testing.T, d *Dir) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// die ends a run as SIGKILL does: the kernel closes what it had open, and
// nothing else happens.
func die(d *Dir) {
	for _, f := range d.Files() {
		_ = f.Close()
	}
	d.runs = nil // for the Close of start's cleanup
}

func wantTree(t testing.TB, dir string, want ...string) {
	t.Helper()
	if got := sandboxtest.Tree(t, dir); !slices.Equal(got, want) {
		t.Errorf("left in %s: %q, want %q", dir, got, want)
	}
}

// runsIn names the run directories below state.
func runsIn(t sandboxtest.Fataler, state string) (ids []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(state, "run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if len(e.Name()) == IDLen {
			ids = append(ids, e.Name())
		}
	}
	return ids
}

func wantRuns(t testing.TB, state string, want ...*Dir) {
	t.Helper()
	var ids []string
	for _, d := range want {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	if got := runsIn(t, state); !slices.Equal(got, ids) {
		t.Errorf("got run directories %q, want %q", got, ids)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// write makes files, by path: a directory if it ends in a slash.
func write(t testing.TB, paths ...string) {
	t.Helper()
	for _, p := range paths {
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(p, "/") {
			continue
		}
		if err := os.WriteFile(p, []byte("the person's"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
