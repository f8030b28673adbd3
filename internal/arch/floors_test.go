package arch

import "testing"

// floors lists the packages that there are, lowest floor first. A package
// imports packages of lower floors only.
var floors = [][]string{
	{
		"internal/gitdir",
		"internal/notify",
		"internal/roles",
		"internal/rundir",
		"internal/sandbox",
		"internal/signals",
	},
	{
		"internal/homes",
		"internal/sandbox/native",
	},
	{
		"internal/launch",
		"internal/settings",
	},
	{
		"git-seisin",
	},
}

// planned lists the packages to come, likewise. One that is begun moves to
// the same floor above.
var planned = [][]string{
	{
		"internal/secrets",
		"internal/watch",
	},
	{
		"hooks",
		"internal/egress",
		"internal/harness",
		"internal/landing",
		"internal/requests",
		"internal/sandbox/container",
		"internal/sandbox/srt",
		"internal/spool",
		"internal/trust",
	},
	{},
	{},
}

// aside lists the packages that are no part of the product, with the reason.
// Only tests import them.
var aside = map[string]string{
	"bench/slowest":                "reads what go test prints",
	"bench/startexit":              "measures the product from outside",
	"internal/arch":                "tests of the whole",
	"internal/escapes":             "the threat model",
	"internal/sandbox/sandboxtest": "helpers for tests",
}

// onTheirOwn are those of aside that import nothing of ours: what measures the
// product must not change with it.
var onTheirOwn = []string{"bench/slowest", "bench/startexit"}

// The two wings meet in package sandbox and in git-seisin. What decides never
// touches the kernel, and what enforces takes a spec as it is: neither may
// import the other, not through a third package either.
var (
	decide  = []string{"internal/gitdir", "internal/roles", "internal/settings", "internal/trust"}
	enforce = []string{
		"internal/egress", "internal/homes", "internal/launch", "internal/notify", "internal/rundir",
		"internal/sandbox/container", "internal/sandbox/native", "internal/sandbox/srt",
		"internal/signals", "internal/spool",
	}
)

// floorOf returns the floor of every package in table.
func floorOf(t *testing.T, table [][]string) map[string]int {
	t.Helper()
	floor := map[string]int{}
	for i, names := range table {
		for _, name := range names {
			if _, twice := floor[name]; twice {
				t.Errorf("%s stands on two floors", name)
			}
			floor[name] = i
		}
	}
	return floor
}

func TestEveryPackageHasItsFloor(t *testing.T) {
	floor, coming, onDisk := floorOf(t, floors), floorOf(t, planned), packages(t)
	for dir := range onDisk {
		_, placed := floor[dir]
		_, expected := coming[dir]
		switch {
		case placed || aside[dir] != "":
		case expected:
			t.Errorf("%s is there now: move it from planned to floors", dir)
		default:
			t.Errorf("%s has no floor: add it to floors, as low as it can be", dir)
		}
	}
	for dir := range floor {
		if len(onDisk[dir]) == 0 {
			t.Errorf("%s has a floor, and no file", dir)
		}
	}
}

func TestImportsGoDown(t *testing.T) {
	floor := floorOf(t, floors)
	for dir, files := range packages(t) {
		from, placed := floor[dir]
		for _, s := range files {
			for _, imp := range s.imports() {
				dep, ok := ours(imp)
				if !ok {
					continue
				}
				if aside[dep] != "" && aside[dir] == "" {
					t.Errorf("%s imports %s, which is for tests", s.name, dep)
				}
				if to, known := floor[dep]; placed && known && to >= from {
					t.Errorf("%s is on floor %d, and imports %s of floor %d", s.name, from, dep, to)
				}
			}
		}
	}
}

func TestToolsStandOnTheirOwn(t *testing.T) {
	all := packages(t)
	for _, dir := range onTheirOwn {
		for _, s := range all[dir] {
			for _, imp := range s.imports() {
				if dep, ok := ours(imp); ok {
					t.Errorf("%s imports %s, want nothing of ours", s.name, dep)
				}
			}
		}
	}
}

func TestWingsNeverMeet(t *testing.T) {
	all := packages(t)
	for _, wings := range []struct{ from, to []string }{{decide, enforce}, {enforce, decide}} {
		for _, from := range wings.from {
			reached := reach(all, from)
			for _, to := range wings.to {
				if by, ok := reached[to]; ok {
					t.Errorf("%s reaches %s, of the other wing, through %s", from, to, by)
				}
			}
		}
	}
}

// reach returns every package of ours that from imports, directly or not, and
// the file that does it.
func reach(all map[string][]source, from string) map[string]string {
	by := map[string]string{}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, s := range all[queue[0]] {
			for _, imp := range s.imports() {
				dep, ok := ours(imp)
				if _, seen := by[dep]; ok && !seen {
					by[dep] = s.name
					queue = append(queue, dep)
				}
			}
		}
	}
	return by
}
