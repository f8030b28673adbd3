package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// DefaultScratch is what every role may write besides its territory, unless
// [runtime] writes says otherwise. The order is that of check.
var DefaultScratch = []string{"~/.claude", "~/.codex", "~/.local/share", "~/.local/state", "~/.cache", "$TMPDIR", "/tmp"}

// temporary gives the run directories of its own in place of the host's /tmp,
// /var/tmp and $TMPDIR: with a shared one, roles could meet there (F22).
func (r *resolver) temporary() error {
	s := &r.answer.Spec
	for _, dir := range []string{"/tmp", "/var/tmp"} {
		real, err := realPath(dir)
		if err != nil {
			return err
		}
		r.private(real, dir)
	}
	if dir := r.machine.Getenv("TMPDIR"); dir != "" {
		if why := r.private(dir, "$TMPDIR"); why != "" {
			r.note(0, "set TMPDIR to a directory for temporary files, or unset it", "TMPDIR is /tmp inside: %q %s", dir, why)
		}
	}
	s.Normalize()
	return nil
}

// private adds dir as a directory of the run's own, or says why it cannot be.
func (r *resolver) private(dir, name string) (why string) {
	if !filepath.IsAbs(dir) {
		return "is relative"
	}
	w, err := follow(dir)
	if err != nil {
		return "leads nowhere"
	}
	real := w.real
	f, err := lookAt(real)
	switch {
	case slices.ContainsFunc(w.links, func(link string) bool { return r.plantedBy(link) != "" }):
		return "goes through a symlink that a role may have put there"
	case err != nil || !f.exists || f.kind != sandbox.Dir:
		return "is no directory"
	case sandbox.Within(real, r.place.Root):
		return "lies in the repository"
	case isSystem(real) || real == r.machine.Home || sandbox.Builtin(real) || r.closedBy(real) != nil:
		return "is not for temporary files"
	}
	r.answer.Spec.Private = append(r.answer.Spec.Private, sandbox.Grant{
		Path: real, Kind: sandbox.Dir, Part: sandbox.Temporary, ID: f.id,
		Rule: name + " is this run's own",
	})
	return ""
}

// tempDir is TMPDIR inside.
func (r *resolver) tempDir() string {
	dir, err := realPath(r.machine.Getenv("TMPDIR"))
	if err == nil && slices.ContainsFunc(r.answer.Spec.Private, func(g sandbox.Grant) bool { return g.Path == dir }) {
		return dir
	}
	return "/tmp"
}

// scratch grants what agents and tools need outside the repository.
func (r *resolver) scratch() error {
	for _, t := range r.scratchList() {
		if err := r.scratchPlace(t); err != nil {
			return err
		}
	}
	if r.policy.Runtime.WritesSet {
		r.noteDropped()
	}
	return nil
}

// scratchList is the policy's list, or the default. A role with a home of its
// own writes there, and shares nothing.
func (r *resolver) scratchList() (list []roles.Text) {
	switch {
	case r.policy.Runtime.WritesSet:
		return r.policy.Runtime.Writes
	case r.policy.Runtime.Isolate == roles.IsolateHome:
		return nil
	}
	for _, p := range DefaultScratch {
		list = append(list, roles.Text{Value: p})
	}
	return list
}

func (r *resolver) scratchRule(t roles.Text) string {
	if r.policy.Runtime.WritesSet {
		return r.rule("[runtime] writes", t)
	}
	return fmt.Sprintf("scratch %s: every role may write it", t.Value)
}

func (r *resolver) scratchPlace(t roles.Text) error {
	p := t.Value
	switch {
	case p == "$TMPDIR":
		return nil // it is the run's own already
	case strings.HasPrefix(p, "~/"):
		if r.machine.Home == "" {
			r.note(t.Line, "set HOME", "scratch %s is not granted: HOME names no directory", p)
			return nil
		}
		p = filepath.Join(r.machine.Home, p[2:])
	}
	from := source{key: "scratch", value: t.Value, line: t.Line}
	w, err := follow(p)
	real := w.real
	if slices.ContainsFunc(r.answer.Spec.Private, func(g sandbox.Grant) bool { return g.Path == real }) && err == nil {
		return nil
	}
	if err == nil && r.policy.Runtime.WritesSet && !isSystem(real) && !r.tooWide(claim{scratch: true}, real) {
		from.instead = real
	}
	if bad := r.planted(from, w); bad != nil {
		return bad
	}
	if err != nil {
		return r.lost(from, err)
	}
	f, err := lookAt(real)
	switch {
	case err != nil:
		return err
	case sandbox.Within(real, r.place.Root):
		// Scratch is no back door into the repository.
		if r.policy.Runtime.WritesSet {
			return r.refuse(t.Line, "grant it to the roles that need it: writes", "scratch %q lies in the repository", t.Value)
		}
		r.note(t.Line, "", "scratch %s is not granted: it lies in the repository", t.Value)
		return nil
	case real == "/" || sandbox.Within(r.machine.Home, real) && r.machine.Home != "",
		overlaps(real, r.machine.Config), sandbox.Within(real, r.machine.State()):
		return r.refuse(t.Line, "name a directory below it", "scratch %q holds the home directory, or this tool's own files", t.Value)
	case sandbox.Within(real, "/dev") || sandbox.Within(real, "/proc") || sandbox.Within(real, "/sys"):
		return r.refuse(t.Line, "remove it", "scratch %q: a box has its own /dev and /proc, and /sys is never written", t.Value)
	case f.odd:
		return r.refuse(t.Line, "name files and directories only", "scratch %q is neither a file nor a directory", t.Value)
	case r.closedBy(real) != nil:
		return r.refuse(t.Line, "remove it", "scratch %q: %s", t.Value, r.closedBy(real).Rule)
	}
	if bad := r.programItself(from, real); bad != nil {
		return bad
	}
	if bad := r.intoSystem(from, w); bad != nil {
		return bad
	}
	from.plain = true
	r.through(from, w)
	r.answer.Spec.Write = append(r.answer.Spec.Write, sandbox.Grant{Path: real, Kind: f.kind, Part: sandbox.Scratch, ID: f.id, Rule: r.scratchRule(t)})
	return nil
}

// noteDropped names the defaults that a list of one's own leaves out: it
// replaces them, and whoever copied half of it lost the other half.
func (r *resolver) noteDropped() {
	var dropped []string
	for _, d := range DefaultScratch {
		if d != "$TMPDIR" && d != "/tmp" && !slices.ContainsFunc(r.policy.Runtime.Writes, func(t roles.Text) bool { return t.Value == d }) {
			dropped = append(dropped, d)
		}
	}
	if len(dropped) > 0 {
		r.note(r.policy.Runtime.WritesLine, "", "[runtime] writes replaces the defaults and leaves out %s", strings.Join(dropped, " "))
	}
}

// shown keeps visible, read-only, what the box needs and a private or
// writable directory would cover or open: the repository first (C24).
func (r *resolver) shown() error {
	r.show(r.place.Root, "the repository can be read")
	for _, dir := range []string{r.place.Common, r.place.Gitdir} {
		r.showPrivate(dir, "the repository can be read")
	}
	r.showPrivate(r.machine.Home, "the home directory can be read")
	for _, dir := range filepath.SplitList(r.machine.Getenv("PATH")) {
		if real, err := realPath(dir); err == nil && filepath.IsAbs(dir) {
			r.showPrivate(real, "programs on PATH can be read")
		}
	}
	return nil
}

// showPrivate shows dir if it lies in a directory that is the run's own.
func (r *resolver) showPrivate(dir, rule string) {
	for _, g := range r.answer.Spec.Private {
		if dir != g.Path && sandbox.Within(dir, g.Path) {
			r.show(dir, rule)
			return
		}
	}
}

func (r *resolver) show(dir, rule string) {
	f, err := lookAt(dir)
	if err != nil || !f.exists || f.kind != sandbox.Dir {
		return
	}
	r.answer.Spec.Shown = append(r.answer.Spec.Shown, sandbox.Grant{Path: dir, Kind: sandbox.Dir, Part: sandbox.Visible, ID: f.id, Rule: rule})
}
