package rundir

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNewAndClose(t *testing.T) {
	state := filepath.Join(t.TempDir(), "not", "yet", "seisin")
	d := start(t, state, "/r/src")
	if len(d.ID) != IDLen || strings.Trim(d.ID, idAlphabet) != "" {
		t.Errorf("got name %q, want %d of %q", d.ID, IDLen, idAlphabet)
	}
	if want := filepath.Join(state, "run", d.ID); d.Path != want {
		t.Errorf("got path %q, want %q", d.Path, want)
	}
	sub, err := d.Subdir("tmp")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(d.Path, "tmp"); sub != want {
		t.Errorf("got subdirectory %q, want %q", sub, want)
	}
	if _, err := d.Subdir("tmp"); err == nil {
		t.Error("a second subdirectory of the same name is no error")
	}
	for _, dir := range []string{state, filepath.Join(state, "run"), d.Path, sub} {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != fs.ModeDir|0o700 {
			t.Errorf("%s has mode %v, want drwx------", dir, got)
		}
	}
	end(t, d)
	wantRuns(t, state)
	if err := d.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

func TestRunsHaveNamesOfTheirOwn(t *testing.T) {
	state := t.TempDir()
	a, b := start(t, state), start(t, state)
	wantRuns(t, state, a, b)
	end(t, a)
	wantRuns(t, state, b)
	end(t, b)
	wantRuns(t, state)
}

func TestNewRefuses(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	write(t, state)
	if d, err := New(state, nil); err == nil {
		end(t, d)
		t.Error("New works where the state directory is a file")
	}
	broken := t.TempDir()
	write(t, filepath.Join(broken, "run", registryName))
	d, err := New(broken, nil)
	if err == nil {
		end(t, d)
		t.Fatal("New works on a registry that says nothing")
	}
	// The person is told which file it is.
	if !strings.Contains(err.Error(), filepath.Join(broken, "run", registryName)) {
		t.Errorf("got error «%v», want the registry's path in it", err)
	}
	wantTree(t, broken, "run/", "run/guard", "run/made.json")
}

// The next run clears away what a dead one left, and nothing else.
func TestNewSweepsTheDead(t *testing.T) {
	state, work := t.TempDir(), t.TempDir()
	alive := start(t, state)
	dead := start(t, state, work+"/f", work+"/d/e")
	ensure(t, dead, work+"/f", false)
	ensure(t, dead, work+"/d/e", true)
	write(t, dead.Path+"/own/deep/file")
	die(dead)
	wantRuns(t, state, alive, dead)
	// A run killed while it was made has no lock yet.
	write(t, filepath.Join(state, "run", "unfinish")+"/")
	// Nobody's run.
	write(t, filepath.Join(state, "run", "notes.txt"), filepath.Join(state, "run", "by-hand")+"/")

	next := start(t, state)
	wantRuns(t, state, alive, next)
	wantTree(t, work)
	for _, name := range []string{"notes.txt", "by-hand"} {
		if !exists(filepath.Join(state, "run", name)) {
			t.Errorf("%s is gone, and was no run's", name)
		}
	}
}

// A run is alive as long as any process holds its lock: the box's last one
// outlives the supervisor.
func TestAHeldLockIsLife(t *testing.T) {
	state := t.TempDir()
	d := start(t, state)
	held := duplicate(t, d.Files())
	die(d)
	other := start(t, state)
	wantRuns(t, state, d, other)
	for _, f := range held {
		_ = f.Close()
	}
	end(t, other)
	wantRuns(t, state)
}
