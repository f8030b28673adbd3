package settings

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// A Gap is what the host executes and the box does not close.
type Gap struct {
	Path string
	Kind sandbox.Kind
	Why  string // who executes it: `claude does what it says`

	// Left is why it is left open, or "" where that is only that nothing is
	// there: then a role can make it, and a mount needs something to lie on.
	Left string
}

// A candidate is one thing that the host executes, if scratch covers it.
type candidate struct {
	path  string
	wider []string // directories to close in its place, the widest first
	found found
	why   string
	left  string // why it is not to be closed, or ""
}

// executed closes what the host executes from scratch. A role would be outside
// every box at the person's next command.
func (r *resolver) executed() error {
	list, err := r.candidates()
	if err != nil {
		return err
	}
	for _, c := range list {
		if err := r.closeExecuted(c); err != nil {
			return err
		}
	}
	return nil
}

// candidates are the same for all roles that have the same scratch.
func (r *resolver) candidates() ([]candidate, error) {
	scratch := r.scratchRoots()
	if len(scratch) == 0 {
		return nil, nil
	}
	if r.executes == nil || !slices.Equal(r.executes.scratch, scratch) {
		l := &looker{machine: r.machine, scratch: scratch, known: map[string]bool{}, seen: map[string]seen{}}
		for _, look := range []func() error{l.surfaces, l.path} {
			if err := look(); err != nil {
				return nil, err
			}
		}
		// Outer ones first: what lies in one needs no mount of its own.
		slices.SortStableFunc(l.list, func(a, b candidate) int { return cmp.Compare(a.outermost(), b.outermost()) })
		r.executes = &executes{scratch, l.list}
	}
	return r.executes.list, nil
}

// executes are candidates, and the scratch they were looked for in.
type executes struct {
	scratch []string
	list    []candidate
}

func (c candidate) outermost() string {
	if len(c.wider) > 0 {
		return c.wider[0]
	}
	return c.path
}

func (r *resolver) scratchRoots() (list []string) {
	for _, g := range r.answer.Spec.Write {
		if g.Part == sandbox.Scratch {
			list = append(list, g.Path)
		}
	}
	slices.Sort(list)
	return list
}

// closeExecuted closes c, or says why it stays open.
func (r *resolver) closeExecuted(c candidate) error {
	gap := Gap{Path: c.path, Kind: c.found.kind, Why: c.why, Left: c.left}
	if r.closedBy(c.path) != nil || sandbox.Within(c.path, r.place.Root) && r.territoryOver(c.path) == "" {
		return nil
	}
	for _, dir := range c.wider {
		if len(r.writesIn(dir)) > 0 || r.territoryOver(dir) != "" {
			continue
		}
		f, err := lookAt(dir)
		if err != nil {
			return err
		}
		r.closeFound(dir, f, c)
		return nil
	}
	in, territory := r.writesIn(c.path), r.territoryOver(c.path)
	switch {
	case territory != "":
		gap.Left = territory
	case !utf8.ValidString(c.path):
		gap.Left = "its name is not UTF-8, and a spec has no such path"
	case len(in) > 0 && in[0].Part == sandbox.Scratch && r.policy.Runtime.WritesSet:
		return r.executedScratch(c, in[0])
	case !c.found.exists:
	case c.found.odd:
		gap.Left = "it is neither a file nor a directory"
	case len(in) > 0:
		gap.Left = in[0].Rule
	default:
		r.closeFound(c.path, c.found, c)
		if c.found.kind != sandbox.File || c.found.links < 2 {
			return nil
		}
		gap.Left = fmt.Sprintf("it has %d hard links, and may be written by another name", c.found.links)
	}
	r.answer.Gaps = append(r.answer.Gaps, gap)
	return nil
}

func (r *resolver) closeFound(p string, f found, c candidate) {
	r.answer.Spec.Closed = append(r.answer.Spec.Closed, sandbox.Grant{
		Path: p, Kind: f.kind, Part: sandbox.Executed, ID: f.id,
		Rule: fmt.Sprintf("%s runs outside (%s): no role writes it", p, c.why),
	})
}

// executedScratch refuses scratch that would grant nothing else.
func (r *resolver) executedScratch(c candidate, g sandbox.Grant) error {
	t := roles.Text{Value: g.Path}
	if i := slices.IndexFunc(r.scratchList(), func(t roles.Text) bool { return r.scratchRule(t) == g.Rule }); i >= 0 {
		t = r.scratchList()[i]
	}
	return r.refuse(t.Line, "leave it out of [runtime] writes, or have it executed no more",
		"scratch %q: %s runs outside (%s): no role writes it", t.Value, c.path, c.why)
}

// writesIn are the places in p that the run has been given: p closed would be
// those closed.
func (r *resolver) writesIn(p string) (list []sandbox.Grant) {
	for _, grants := range [][]sandbox.Grant{r.answer.Spec.Write, r.answer.Spec.Private} {
		for i := range grants {
			if sandbox.Within(grants[i].Path, p) {
				list = append(list, grants[i])
			}
		}
	}
	return list
}

// territoryOver is the rule of the territory that covers p, or "": what the
// policy names is the role's, and its control files are another matter.
func (r *resolver) territoryOver(p string) string {
	for i := range r.answer.Spec.Write {
		if g := &r.answer.Spec.Write[i]; g.Part == sandbox.Territory && sandbox.Within(p, g.Path) {
			return g.Rule
		}
	}
	return ""
}
