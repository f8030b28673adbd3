package sandbox

import (
	"cmp"
	"path"
	"slices"
)

// A Plan is the mounts that hold a spec, outermost first. The kernel is given
// these mounts and [Plan.Verdict] answers from them, so that what the tool
// says and what the kernel does have one source.
type Plan struct {
	Spec   Spec
	Mounts []Mount

	at map[string]int // Mounts by path
}

// A Mount is one place of the box where another rule begins.
type Mount struct {
	Path string `json:"path"`
	Mode Mode   `json:"mode"`
	Own  bool   `json:"own"` // the run's own files, not the host's
	Pin  bool   `json:"pin"` // here only so that it cannot be moved: it leads to a mount below
	Kind Kind   `json:"kind"`
	Gone Gone   `json:"gone"`
	Rule string `json:"rule"`
	ID   FileID `json:"id"`

	// Opens is the path of the Empty mount in which this one shows something
	// of what was there, or "".
	Opens string `json:"opens"`
}

// A Mode is what may be done below a mount.
type Mode string

// The modes of a mount.
const (
	ReadOnly Mode = "ro"
	Writable Mode = "rw"
	Empty    Mode = "empty" // read-only, and nothing of what was there
	// Skeleton is read-only, and of what was there only what is mounted in it:
	// what the host makes there later opens nothing (F2).
	Skeleton Mode = "skeleton"
)

// Gone says what to do while a mount's name is missing from the host's tree.
type Gone string

// What a missing name calls for.
const (
	// Wait: nobody inside can make the name, so it is mounted once the host
	// has made it.
	Wait Gone = "wait"
	// StandIn: a role could make the name itself, so an empty directory is
	// put there. Git does not see it, and an editor's save does not meet it.
	StandIn Gone = "stand-in"
	// End: a role could make the name itself, and nothing can stand in for it:
	// an empty file would be in the way of the host's own git and editors, and
	// a repository that is gone is gone. The box ends.
	End Gone = "end"
)

// builtin are the mounts every box has whatever its spec: its own /dev, /proc
// and /run. A provider builds them in its own way; here they stand for what
// they answer.
var builtin = []Mount{
	{Path: "/", Mode: ReadOnly, Kind: Dir, Rule: "outside every grant the host's files are read-only"},
	{Path: "/dev", Mode: ReadOnly, Own: true, Kind: Dir, Rule: "the box has its own /dev"},
	{Path: "/dev/full", Mode: Writable, Own: true, Kind: File, Rule: "the box has its own /dev"},
	{Path: "/dev/null", Mode: Writable, Own: true, Kind: File, Rule: "the box has its own /dev"},
	{Path: "/dev/pts", Mode: Writable, Own: true, Kind: Dir, Rule: "the box has its own terminals"},
	{Path: "/dev/random", Mode: Writable, Own: true, Kind: File, Rule: "the box has its own /dev"},
	{Path: "/dev/shm", Mode: Writable, Own: true, Kind: Dir, Rule: "the box has its own /dev/shm"},
	{Path: "/dev/tty", Mode: Writable, Own: true, Kind: File, Rule: "the box has its own /dev"},
	{Path: "/dev/urandom", Mode: Writable, Own: true, Kind: File, Rule: "the box has its own /dev"},
	{Path: "/dev/zero", Mode: Writable, Own: true, Kind: File, Rule: "the box has its own /dev"},
	{Path: "/proc", Mode: Writable, Own: true, Kind: Dir, Rule: "the box sees its own processes only"},
	{Path: "/run", Mode: ReadOnly, Own: true, Kind: Dir, Rule: "the box has its own /run"},
}

// ProcParts are the parts of a box's /proc that speak to the whole machine. They
// are closed for every uid, though only root could use them: a wall that only
// root needs would rot (F13). As one literal, since what has to be computed is
// computed three times a run, before main (ADR 4).
var ProcParts = []Mount{
	{Path: "/proc/acpi", Mode: ReadOnly, Own: true, Kind: Dir, Rule: settingsRule},
	{Path: "/proc/bus", Mode: ReadOnly, Own: true, Kind: Dir, Rule: settingsRule},
	{Path: "/proc/fs", Mode: ReadOnly, Own: true, Kind: Dir, Rule: settingsRule},
	{Path: "/proc/irq", Mode: ReadOnly, Own: true, Kind: Dir, Rule: settingsRule},
	{Path: "/proc/mtrr", Mode: ReadOnly, Own: true, Kind: Dir, Rule: settingsRule},
	{Path: "/proc/scsi", Mode: ReadOnly, Own: true, Kind: Dir, Rule: settingsRule},
	{Path: "/proc/sys", Mode: ReadOnly, Own: true, Kind: Dir, Rule: settingsRule},
	{Path: "/proc/sysrq-trigger", Mode: ReadOnly, Own: true, Kind: Dir, Rule: settingsRule},
	{Path: "/proc/kcore", Mode: Empty, Own: true, Kind: File, Rule: maskedRule},
	{Path: "/proc/keys", Mode: Empty, Own: true, Kind: File, Rule: maskedRule},
	{Path: "/proc/kpagecgroup", Mode: Empty, Own: true, Kind: File, Rule: maskedRule},
	{Path: "/proc/kpagecount", Mode: Empty, Own: true, Kind: File, Rule: maskedRule},
	{Path: "/proc/kpageflags", Mode: Empty, Own: true, Kind: File, Rule: maskedRule},
	{Path: "/proc/sched_debug", Mode: Empty, Own: true, Kind: File, Rule: maskedRule},
	{Path: "/proc/timer_list", Mode: Empty, Own: true, Kind: File, Rule: maskedRule},
}

const (
	settingsRule = "the machine's settings are read-only"
	maskedRule   = "what speaks of the whole machine is masked"
)

// Builtin reports whether every box has a mount at p, whatever its spec.
func Builtin(p string) bool {
	at := func(m Mount) bool { return m.Path == p }
	return slices.ContainsFunc(builtin, at) || slices.ContainsFunc(ProcParts, at)
}

// fresh reports whether p is a place that every box has anew, so that nothing
// of the host's is there to be granted or closed.
func fresh(p string) bool {
	return Builtin(p) || Within(p, "/dev") || Within(p, "/proc")
}

// layers, from the weakest to the strongest at one path. Read is the weakest,
// since it opens what lies deeper than a Hidden, never the Hidden itself.
const (
	layerRead = iota
	layerEntry
	layerPrivate
	layerShown
	layerSkeleton
	layerWrite
	layerClosed
	layerHidden
)

type candidate struct {
	Grant
	layer int
}

// Plan works out the mounts. Equal specs have equal plans.
//
// The rules are few. Deeper covers shallower. A denial (Closed, Hidden) wins
// over a grant at any depth, and only Read opens what is Hidden again.
// What its surroundings already say is no mount of its own: a file that a
// read-only parent protects has no mount that a host's save could throw off
// (LX-3). Between a writable place and a mount inside it every directory is
// pinned by a mount, or it could be renamed with what it protects (LX-1,
// LX-2).
func (s Spec) Plan() Plan {
	layers := [][]Grant{s.Read, s.Entries, s.Private, s.Shown, s.Skeletons, s.Write, s.Closed, s.Hidden}
	n := 0
	for _, list := range layers {
		n += len(list)
	}
	most := len(builtin) + len(ProcParts) + n // and what is pinned
	p := Plan{Spec: s, Mounts: make([]Mount, 0, most), at: make(map[string]int, most)}
	all := make([]candidate, 0, n)
	for layer, list := range layers {
		for _, g := range list {
			all = append(all, candidate{g, layer})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(compareComponents(a.Path, b.Path), cmp.Compare(b.layer, a.layer))
	})
	for _, list := range [][]Mount{builtin, ProcParts} {
		for _, m := range list {
			p.add(m)
		}
	}
	decided := ""
	for _, c := range all {
		if c.Path != decided && p.consider(c) {
			decided = c.Path // the strongest layer that means something there
		}
	}
	slices.SortFunc(p.Mounts, func(a, b Mount) int { return compareComponents(a.Path, b.Path) })
	for i, m := range p.Mounts {
		p.at[m.Path] = i
	}
	return p
}

// compareComponents orders paths so that a directory stands before all below
// it, and those before its next neighbour ("/a" "/a/b" "/a-b").
func compareComponents(a, b string) int {
	for i := range min(len(a), len(b)) {
		switch x, y := a[i], b[i]; {
		case x == y:
		case x == '/':
			return -1
		case y == '/':
			return 1
		default:
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}

func (p *Plan) add(m Mount) {
	p.at[m.Path] = len(p.Mounts)
	p.Mounts = append(p.Mounts, m)
}

// consider adds the mount that c needs where it stands, if it needs one. It
// reports whether c decides for its path: a grant that a denial makes void
// does not.
func (p *Plan) consider(c candidate) (decides bool) {
	if fresh(c.Path) {
		return true
	}
	around := p.enclosing(c.Path)
	m := Mount{Path: c.Path, Kind: c.Kind, Rule: c.Rule, ID: c.ID, Mode: ReadOnly, Gone: Wait}
	void := p.Spec.denial(c.Path) != nil
	switch c.layer {
	case layerEntry:
		if p.Spec.hides(c.Path) || around.Mode != Skeleton || path.Dir(c.Path) != around.Path {
			return false
		}
	case layerSkeleton:
		isPrivate := slices.ContainsFunc(p.Spec.Private, func(g Grant) bool { return g.Path == c.Path })
		if p.Spec.hides(c.Path) || isPrivate || around.Mode == Empty || around.Mode == Writable && !around.Own {
			return false // in a territory each closed place is masked by itself
		}
		m.Mode = Skeleton
	case layerPrivate:
		if void {
			return false
		}
		m.Mode, m.Own = Writable, true
	case layerShown:
		if void {
			return false
		}
		if around.Mode == ReadOnly && !around.Own {
			return true
		}
		if !around.Own && around.Mode != Skeleton {
			m.Gone = End
		}
	case layerWrite:
		if void {
			return false
		}
		if around.Mode == Writable && !around.Own {
			return true
		}
		m.Mode = Writable
	case layerClosed:
		if around.Mode != Writable {
			return false // what shows it, if anything does, is read-only too
		}
		m.Gone = End
		if c.Kind == Dir {
			m.Gone = StandIn
		}
	case layerHidden:
		if around.Mode == Empty || around.Mode == Skeleton {
			return true
		}
		m.Mode = Empty
		if around.Mode == Writable {
			m.Gone = StandIn
		}
	case layerRead:
		if around.Mode == Skeleton {
			break
		}
		if around.Mode != Empty {
			return true
		}
		m.Opens = around.Path
	}
	p.pin(around, m)
	p.add(m)
	return true
}

// pin makes every directory between around and m a mount, if a process inside
// could rename it.
func (p *Plan) pin(around, m Mount) {
	if around.Mode != Writable {
		return
	}
	var between []string
	for dir := path.Dir(m.Path); dir != around.Path; dir = path.Dir(dir) {
		between = append(between, dir)
	}
	for _, dir := range slices.Backward(between) {
		p.add(Mount{
			Path: dir, Mode: Writable, Own: around.Own, Pin: true, Kind: Dir, Gone: StandIn,
			Rule: "it leads to " + m.Path + ", which must stay where it is",
		})
	}
}

// enclosing returns the deepest mount at p or above it.
func (p *Plan) enclosing(name string) Mount {
	for {
		if i, ok := p.at[name]; ok {
			return p.Mounts[i]
		}
		name = path.Dir(name)
	}
}

// hides reports whether a Hidden grant covers name.
func (s Spec) hides(name string) bool {
	return slices.ContainsFunc(s.Hidden, func(g Grant) bool { return Within(name, g.Path) && !fresh(g.Path) })
}

// denial returns the shallowest Closed or Hidden grant that covers name.
func (s Spec) denial(name string) *Grant {
	var found *Grant
	for _, list := range [][]Grant{s.Closed, s.Hidden} {
		for i := range list {
			if Within(name, list[i].Path) && !fresh(list[i].Path) && (found == nil || len(list[i].Path) < len(found.Path)) {
				found = &list[i]
			}
		}
	}
	return found
}
