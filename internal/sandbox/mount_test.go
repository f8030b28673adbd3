package sandbox

import (
	"reflect"
	"slices"
	"testing"
)

// Whatever the spec, a box has its own /dev, /proc and /run, and they stand
// before what is mounted in them.
func TestPlanOfEveryBox(t *testing.T) {
	p := specOf(t, "write /run/x", "closed /dev", "write /", "hidden /proc/sys").Plan()
	for _, m := range slices.Concat(builtin, ProcParts) {
		i := slices.IndexFunc(p.Mounts, func(got Mount) bool { return got.Path == m.Path })
		if i < 0 || !reflect.DeepEqual(p.Mounts[i], m) {
			t.Errorf("the mount %q is not as every box has it", m.Path)
		}
		if !Builtin(m.Path) {
			t.Errorf("Builtin(%q) = false, want true", m.Path)
		}
	}
	if Builtin("/tmp") || Builtin("/dev/sda") || Builtin("") {
		t.Error("Builtin is true of what no box has")
	}
	var paths []string
	for _, m := range p.Mounts {
		paths = append(paths, m.Path)
	}
	if !slices.IsSortedFunc(paths, compareComponents) {
		t.Errorf("the mounts are not outermost first: %q", paths)
	}
}

// The mount carries what the grant says: its rule, and the identity that the
// provider compares before it mounts.
func TestPlanKeepsTheGrant(t *testing.T) {
	s := specOf(t, "write /r", "closed /r/a/seisin.toml file")
	s.Write[0].ID, s.Closed[0].ID = FileID{1, 2}, FileID{1, 3}
	p := s.Plan()
	for path, want := range map[string]Mount{
		"/r":               {Path: "/r", Mode: Writable, Kind: Dir, Gone: Wait, Rule: "write /r", ID: FileID{1, 2}},
		"/r/a/seisin.toml": {Path: "/r/a/seisin.toml", Mode: ReadOnly, Kind: File, Gone: End, Rule: "closed /r/a/seisin.toml", ID: FileID{1, 3}},
		// A pin is the directory that stands there, whichever it is.
		"/r/a": {Path: "/r/a", Mode: Writable, Pin: true, Kind: Dir, Gone: StandIn, Rule: "it leads to /r/a/seisin.toml, which must stay where it is"},
	} {
		if got := p.enclosing(path); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}
