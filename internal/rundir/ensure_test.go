package rundir

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// C15, C17: what a grant needs is made, told, and taken away again; what the
// person has, or has made of it, stays.
func TestEnsure(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before []string // what the person has
		path   string
		dir    bool
		made   []string
		then   func(t *testing.T, work string) // while the run lives
		left   []string
	}{
		{name: "File", path: "f", made: []string{"f"}},
		{name: "Directory", path: "d", dir: true, made: []string{"d"}},
		{name: "NestedDirectory", path: "a/b/c", dir: true, made: []string{"a", "a/b", "a/b/c"}},
		{name: "NestedFile", path: "a/b/f", made: []string{"a", "a/b", "a/b/f"}},
		{
			name: "BelowWhatIsThere", before: []string{"a/x"}, path: "a/b/f",
			made: []string{"a/b", "a/b/f"}, left: []string{"a/", "a/x"},
		},
		{name: "FileIsThere", before: []string{"f"}, path: "f", left: []string{"f"}},
		{name: "DirectoryIsThere", before: []string{"d/"}, path: "d", dir: true, left: []string{"d/"}},
		// What is there is the provider's business, whatever it is.
		{name: "OtherKindIsThere", before: []string{"d/"}, path: "d", left: []string{"d/"}},

		{
			name: "FileIsFilled", path: "f", made: []string{"f"},
			then: func(t *testing.T, work string) { write(t, work+"/f") },
			left: []string{"f"},
		},
		{
			name: "NestedFileIsFilled", path: "a/b/f", made: []string{"a", "a/b", "a/b/f"},
			then: func(t *testing.T, work string) { write(t, work+"/a/b/f") },
			left: []string{"a/", "a/b/", "a/b/f"},
		},
		{
			name: "DirectoryIsFilled", path: "a/b", dir: true, made: []string{"a", "a/b"},
			then: func(t *testing.T, work string) { write(t, work+"/a/b/x") },
			left: []string{"a/", "a/b/", "a/b/x"},
		},
		{
			name: "DirectoryAboveIsFilled", path: "a/b", dir: true, made: []string{"a", "a/b"},
			then: func(t *testing.T, work string) { write(t, work+"/a/x") },
			left: []string{"a/", "a/x"},
		},
		{
			name: "DirectoryHoldsADirectory", path: "d", dir: true, made: []string{"d"},
			then: func(t *testing.T, work string) { write(t, work+"/d/e/") },
			left: []string{"d/", "d/e/"},
		},
		{
			name: "FilledAndEmptied", path: "d", dir: true, made: []string{"d"},
			then: func(t *testing.T, work string) { write(t, work+"/d/x"); remove(t, work+"/d/x") },
		},
		{
			name: "FileIsReplaced", path: "f", made: []string{"f"},
			then: func(t *testing.T, work string) {
				if err := os.WriteFile(work+"/new", nil, 0o644); err != nil {
					t.Fatal(err)
				}
				rename(t, work+"/new", work+"/f")
			},
			left: []string{"f"},
		},
		{
			name: "DirectoryIsReplaced", path: "d", dir: true, made: []string{"d"},
			then: func(t *testing.T, work string) {
				write(t, work+"/new/")
				remove(t, work+"/d")
				rename(t, work+"/new", work+"/d")
			},
			left: []string{"d/"},
		},
		{
			name: "FileIsALinkByNow", path: "f", made: []string{"f"},
			then: func(t *testing.T, work string) { remove(t, work+"/f"); symlink(t, "elsewhere", work+"/f") },
			left: []string{"f"},
		},
		{
			name: "DirectoryIsAFileByNow", path: "d", dir: true, made: []string{"d"},
			then: func(t *testing.T, work string) {
				write(t, work+"/new")
				remove(t, work+"/d")
				rename(t, work+"/new", work+"/d")
			},
			left: []string{"d"},
		},
		{
			name: "Removed", path: "a/b", dir: true, made: []string{"a", "a/b"},
			then: func(t *testing.T, work string) { remove(t, work+"/a/b"); remove(t, work+"/a") },
		},
		{
			// It is the same directory, under the person's name for it.
			name: "MovedAway", path: "d", dir: true, made: []string{"d"},
			then: func(t *testing.T, work string) { rename(t, work+"/d", work+"/kept") },
			left: []string{"kept/"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state, work := t.TempDir(), t.TempDir()
			for _, p := range tt.before {
				write(t, work+"/"+p)
			}
			path := filepath.Join(work, tt.path)
			d := start(t, state, path)
			made, err := d.Ensure(path, tt.dir)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range made {
				if made[i], err = filepath.Rel(work, p); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(made, tt.made) {
				t.Errorf("made %q, want %q", made, tt.made)
			}
			if again, err := d.Ensure(path, tt.dir); err != nil || len(again) > 0 {
				t.Errorf("a second Ensure = %q, %v, want nothing", again, err)
			}
			if tt.then != nil {
				tt.then(t, work)
			}
			end(t, d)
			wantTree(t, work, tt.left...)
			wantRuns(t, state)
		})
	}
}

// What is made has the mode that the person's own tools would give it.
func TestEnsureModes(t *testing.T) {
	work := t.TempDir()
	d := start(t, t.TempDir(), work+"/d/f")
	ensure(t, d, work+"/d/f", false)
	for path, want := range map[string]os.FileMode{"/d": 0o755, "/d/f": 0o644} { // under umask 022
		info, err := os.Stat(work + path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %v, want %v", path, got, want)
		}
	}
}

// A path that cannot be made is an error, and what was made on the way goes.
func TestEnsureFails(t *testing.T) {
	work := t.TempDir()
	write(t, work+"/file")
	symlink(t, "nowhere", work+"/link")
	for _, path := range []string{"/file/x", "/file/x/y", "/link/x", "/new/" + string(make([]byte, 1)), "/new/" + long} {
		d := start(t, t.TempDir(), work+path)
		if made, err := d.Ensure(work+path, true); err == nil {
			t.Errorf("Ensure(%q) = %q, want an error", path, made)
		}
		end(t, d)
		wantTree(t, work, "file", "link")
	}
}

// A closed directory is the person's, and no reason to leave the run's own
// things behind.
func TestEnsureInAClosedDirectory(t *testing.T) {
	if os.Getuid() == 0 {
		return // nothing is closed to root; the second run tests it
	}
	state, work := t.TempDir(), t.TempDir()
	if err := os.Mkdir(work+"/ro", 0o555); err != nil {
		t.Fatal(err)
	}
	d := start(t, state, work+"/ro/x")
	if _, err := d.Ensure(work+"/ro/x", true); err == nil {
		t.Error("a directory was made in a closed one")
	}
	end(t, d)
	wantTree(t, work, "ro/")
	wantRuns(t, state)
}

// long is a name that no file has.
var long = string(slices.Repeat([]byte("n"), 256))

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}
