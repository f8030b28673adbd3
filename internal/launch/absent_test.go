package launch

import (
	"os"
	"slices"
	"strings"
	"testing"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/sandboxtest"
)

// C15, LX-5: an absent grant is made before the box is opened, told, and taken
// away when it is still empty. What needs no mount is not made.
func TestMakeAbsent(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before []string
		grants []string
		made   []string // seen by Open
		notes  []string
	}{
		{name: "Nothing", grants: nil},
		{
			name: "Directory", grants: []string{"write new"}, made: []string{"new/"},
			notes: []string{"made $WORK/new for this run: rule of new"},
		},
		{
			name: "File", grants: []string{"write NOTES.md file"}, made: []string{"NOTES.md"},
			notes: []string{"made $WORK/NOTES.md for this run: rule of NOTES.md"},
		},
		{
			name: "Nested", grants: []string{"write a/b/f file"}, made: []string{"a/", "a/b/", "a/b/f"},
			notes: []string{
				"made $WORK/a for this run: rule of a/b/f", "made $WORK/a/b for this run: rule of a/b/f", "made $WORK/a/b/f for this run: rule of a/b/f",
			},
		},
		{name: "Scratch", grants: []string{"write .cache dir scratch"}, made: []string{".cache/"}}, // not told
		{name: "IsThere", before: []string{"src/", "f"}, grants: []string{"write src", "write f file"}, made: []string{"f", "src/"}},
		{
			// The role makes it itself, where its grant is inside another.
			name: "Redundant", before: []string{"src/"}, grants: []string{"write src", "write src/new", "write src/f file"},
			made: []string{"src/"},
		},

		// LX-4: a closed directory that the role could make itself stands in;
		// a closed file would be in the way of the host's own tools.
		{
			name: "ClosedDirectory", before: []string{"src/"}, grants: []string{"write src", "closed src/gen"},
			made:  []string{"src/", "src/gen/"},
			notes: []string{"made $WORK/src/gen for this run: rule of src/gen"},
		},
		{
			name: "ClosedDeep", before: []string{"src/"}, grants: []string{"write src", "closed src/a/gen"},
			made: []string{"src/", "src/a/", "src/a/gen/"},
			notes: []string{
				"made $WORK/src/a for this run: it leads to $WORK/src/a/gen, which must stay where it is",
				"made $WORK/src/a/gen for this run: rule of src/a/gen",
			},
		},
		{name: "ClosedFile", before: []string{"src/"}, grants: []string{"write src", "closed src/f file"}, made: []string{"src/"}},
		{
			name: "HiddenDirectory", before: []string{"x"}, grants: []string{"write .", "hidden .secrets"},
			made:  []string{".secrets/", "x"},
			notes: []string{"made $WORK/.secrets for this run: rule of .secrets"},
		},
		// Nobody inside can make these.
		{name: "ClosedBelowAReadOnlyParent", before: []string{"x"}, grants: []string{"closed gen", "hidden .secrets", "hidden a/b"}, made: []string{"x"}},
		{name: "Private", before: []string{"x"}, grants: []string{"private tmp", "shown tmp/w/r"}, made: []string{"x"}},
		{
			name: "GrantInPrivate", before: []string{"tmp/"}, grants: []string{"private tmp", "write tmp/a/b"}, made: []string{"tmp/", "tmp/a/", "tmp/a/b/"},
			notes: []string{"made $WORK/tmp/a for this run: rule of tmp/a/b", "made $WORK/tmp/a/b for this run: rule of tmp/a/b"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			for _, p := range tt.before {
				g.write(t, p)
			}
			before := sandboxtest.Tree(t, g.work)
			f := &fake{opened: func(sandbox.Site) { wantTree(t, g.work, tt.made...) }}
			if _, err := g.run(t, f, tt.grants...).Do(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(f.called(), "Open") {
				t.Fatal("nothing was opened")
			}
			if !slices.Equal(g.notes, tt.notes) {
				t.Errorf("got notes %q, want %q", g.notes, tt.notes)
			}
			wantTree(t, g.work, before...)
			g.wantNoRun(t)
		})
	}
}

// write makes a file of work, or a directory if the name ends in a slash.
func (g *ground) write(t *testing.T, name string) {
	t.Helper()
	var err error
	if dir, ok := strings.CutSuffix(name, "/"); ok {
		err = os.MkdirAll(g.work+"/"+dir, 0o755)
	} else {
		err = os.WriteFile(g.work+"/"+name, nil, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What the command put into it is the person's.
func TestWhatIsFilledStays(t *testing.T) {
	g := newGround(t)
	f := &fake{command: func(*command) (sandbox.Exit, error) {
		return sandbox.Exit{}, os.WriteFile(g.work+"/a/b/x", []byte("x"), 0o644)
	}}
	if _, err := g.run(t, f, "write a/b", "write f file").Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantTree(t, g.work, "a/", "a/b/", "a/b/x")
}

// Two runs with one absent grant: it stays as long as one of them lives, and
// what leads to it.
func TestTwoRunsShareWhatIsAbsent(t *testing.T) {
	g := newGround(t)
	inner := &fake{}
	outer := &fake{command: func(*command) (sandbox.Exit, error) {
		if _, err := g.run(t, inner, "write a/b", "write own").Do(t.Context()); err != nil {
			t.Error(err)
		}
		wantTree(t, g.work, "a/", "a/b/")
		return sandbox.Exit{}, nil
	}}
	if _, err := g.run(t, outer, "write a/b").Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(inner.called(), "Start") {
		t.Error("the inner run did not start")
	}
	wantTree(t, g.work)
	g.wantNoRun(t)
}

// What some run made is taken as it comes: it may have gone and come anew
// since the spec was made. What is the person's own is identified.
func TestWhatARunMadeIsNotIdentified(t *testing.T) {
	g := newGround(t)
	g.write(t, "src/")
	before := &fake{command: func(*command) (sandbox.Exit, error) {
		f := &fake{}
		r := g.run(t, f, "write new", "write src")
		for i := range r.Spec.Write {
			r.Spec.Write[i].ID = sandbox.FileID{Dev: 1, Ino: 2}
		}
		if _, err := r.Do(t.Context()); err != nil {
			t.Error(err)
		}
		for _, grant := range f.spec.Write {
			if got, want := grant.Absent(), grant.Path == g.work+"/new"; got != want {
				t.Errorf("%s is taken as it comes: %v, want %v", grant.Path, got, want)
			}
		}
		return sandbox.Exit{}, nil
	}}
	if _, err := g.run(t, before, "write new").Do(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A grant that cannot be made is an error with its rule, before a box is
// opened, and what was made till then goes.
func TestCannotMakeAbsent(t *testing.T) {
	g := newGround(t)
	g.write(t, "file")
	f := &fake{}
	_, err := g.run(t, f, "write a/b", "write file/x").Do(t.Context())
	if err == nil || !strings.Contains(err.Error(), "rule of file/x does not exist and could not be made: ") {
		t.Errorf("got «%v», want that the grant could not be made, by its rule", err)
	}
	if got, want := f.called(), []string{"Check"}; !slices.Equal(got, want) {
		t.Errorf("got calls %q, want %q", got, want)
	}
	wantTree(t, g.work, "file")
	g.wantNoRun(t)
}

// The box is given the run's own directory, what clears it away if we die, and
// a way to ask for what was removed under it.
func TestSite(t *testing.T) {
	g := newGround(t)
	g.write(t, "src/")
	var report func(sandbox.Event)
	f := &fake{opened: func(at sandbox.Site) {
		report = at.Report
		info, err := os.Stat(at.Dir)
		if err != nil || info.Mode() != os.ModeDir|0o700 || !strings.HasPrefix(at.Dir, g.state+"/run/") {
			t.Errorf("got directory %q, %v, %v, want one of this run's own", at.Dir, info.Mode(), err)
		}
		// All runs, this one, and the parents of what was made: src/a, src/a/gen.
		if got, want := len(at.Keep), 4; got != want {
			t.Errorf("got %d descriptors to keep, want %d", got, want)
		}
		for _, file := range at.Keep {
			if _, err := file.Stat(); err != nil {
				t.Errorf("a descriptor to keep is closed: %v", err)
			}
		}
	}}
	f.command = func(*command) (sandbox.Exit, error) {
		if err := os.Remove(g.work + "/src/a/gen"); err != nil {
			return sandbox.Exit{}, err
		}
		for _, kind := range []string{"denied", "renewed", "process"} {
			report(sandbox.Event{Kind: kind, Path: g.work + "/src/a/gen"})
		}
		wantTree(t, g.work, "src/", "src/a/")
		report(sandbox.Event{Kind: "stand-in", Path: g.work + "/src/a/gen"})
		wantTree(t, g.work, "src/", "src/a/", "src/a/gen/")
		return sandbox.Exit{}, nil
	}
	if _, err := g.run(t, f, "write src", "closed src/a/gen").Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantTree(t, g.work, "src/")
	g.wantNoRun(t)
}
