package rundir

import (
	"maps"
	"testing"
)

// A box asks for one directory, in the place of one that was removed. It is
// never the start of a tree: a link or a file on the way is not gone round.
func TestStandIn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before []string
		path   string
		fails  bool
		during []string
		after  []string
	}{
		{"InADirectory", []string{"a/"}, "a/d", false, []string{"a/", "a/d/"}, []string{"a/"}},
		{"Deeper", []string{"a/b/x"}, "a/b/d", false, []string{"a/", "a/b/", "a/b/d/", "a/b/x"}, []string{"a/", "a/b/", "a/b/x"}},
		{"IsThere", []string{"a/d/"}, "a/d", false, []string{"a/", "a/d/"}, []string{"a/", "a/d/"}},
		{"SomethingElseIsThere", []string{"a/d"}, "a/d", false, []string{"a/", "a/d"}, []string{"a/", "a/d"}},
		{"ParentIsGone", nil, "a/d", true, nil, nil},
		{"ParentIsAFile", []string{"a"}, "a/d", true, []string{"a"}, []string{"a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state, work := t.TempDir(), t.TempDir()
			for _, p := range tt.before {
				write(t, work+"/"+p)
			}
			d := start(t, state, work+"/"+tt.path)
			if err := d.StandIn(work + "/" + tt.path); (err != nil) != tt.fails {
				t.Errorf("StandIn(%q) = %v, want an error: %v", tt.path, err, tt.fails)
			}
			wantTree(t, work, tt.during...)
			end(t, d)
			wantTree(t, work, tt.after...)
		})
	}
}

// An agent put a link where a directory of the way was: nothing is made behind
// it.
func TestNothingIsMadeBehindALink(t *testing.T) {
	work, outside := t.TempDir(), t.TempDir()
	symlink(t, outside, work+"/l")
	d := start(t, t.TempDir(), work+"/l/d")
	if err := d.StandIn(work + "/l/d"); err == nil {
		t.Error("StandIn follows a link")
	}
	if made, err := d.Ensure(work+"/l/d/e", true); err == nil {
		t.Errorf("Ensure follows a link, and made %q", made)
	}
	end(t, d)
	wantTree(t, outside)
	wantTree(t, work, "l")
}

// A run asks which of its paths some run made, and so may come anew: not those
// of the person.
func TestTransient(t *testing.T) {
	state, work := t.TempDir(), t.TempDir()
	write(t, work+"/own")
	paths := []string{work + "/own", work + "/d/e", work + "/absent"}
	a := start(t, state, paths...)
	ensure(t, a, work+"/d/e", true)
	ensure(t, a, work+"/own", false)
	ensure(t, a, work+"/other", false)
	b := start(t, state, paths...)
	for _, d := range []*Dir{a, b} {
		got, err := d.Transient(paths)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]bool{work + "/d/e": true}; !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	end(t, a)
	if got, err := a.Transient(paths); err == nil {
		t.Errorf("after Close: got %v, want an error", got)
	}
}
