package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"seisin/internal/sandbox"
)

// judge asks the plan that the box is built from, and says what else decides
// whether an attempt succeeds.
func judge(l *loaded, plan sandbox.Plan, op sandbox.Op, s spot) verdict {
	v := verdict{Role: plan.Spec.Role, Act: string(op), Notes: []string{}}
	asked := op
	if op == sandbox.OpWrite && !s.exists {
		// Nothing is there to write: it is the name that would be made.
		v.Act, asked = "create", sandbox.OpReplace
	}
	answer := plan.Verdict(asked, s.path)
	v.Allowed, v.Rule = answer.Allowed, answer.Rule
	m := enclosing(plan, s.path)
	switch {
	case s.wrong != "":
		v.Allowed, v.Rule = false, s.wrong
	case v.Allowed && op == sandbox.OpConnect && !s.exists && s.own:
		v.Allowed, v.Rule = false, "it is not there, and what comes later on the host is not found: "+m.Rule
	case v.Allowed && op != sandbox.OpWrite && !s.exists && s.own && m.Mode != sandbox.Writable:
		v.Allowed, v.Rule = false, "it is not there: "+m.Rule
	}
	if !v.Allowed {
		v.Notes = append(v.Notes, denialNotes(op, m, s)...)
		return v
	}
	v.Kernel = s.kernel
	v.Permissions = s.refusedTo(l, op)
	if op == sandbox.OpWrite {
		v.Fixed = s.exists && !s.kernel && !plan.Verdict(sandbox.OpReplace, s.path).Allowed
	}
	v.Notes = append(v.Notes, v.allowanceNotes(l, plan, op, s)...)
	return v
}

// denialNotes say what happens all the same.
func denialNotes(op sandbox.Op, m sandbox.Mount, s spot) (list []string) {
	switch {
	case op == sandbox.OpWrite && s.isFIFO():
		list = append(list, "it is a FIFO: in this version one that stands already may be written to all the same")
	case op == sandbox.OpRead && m.Mode == sandbox.Empty && m.Path == s.path:
		list = append(list, "it can be opened, and is empty inside")
	}
	return list
}

// kernelNotes say what the kernel asks for.
var kernelNotes = []struct{ in, says string }{
	{"/proc", "the kernel itself decides what is there and what may be done with it"},
	{"/dev/pts", "a terminal is there once a program in the box has opened /dev/ptmx"},
	{"/dev/tty", "it opens where the run has a terminal"},
}

// allowanceNotes say what one may not expect of a yes.
func (v verdict) allowanceNotes(l *loaded, plan sandbox.Plan, op sandbox.Op, s spot) (list []string) {
	m := enclosing(plan, s.path)
	say := func(yes bool, format string, args ...any) {
		if yes {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	for _, k := range kernelNotes {
		say(s.kernel && sandbox.Within(s.path, k.in), "%s", k.says)
	}
	if op == sandbox.OpConnect {
		// Its directory is the box's own, and only the socket is shown in it.
		around := enclosing(plan, path.Dir(s.path))
		say(s.exists && around.Own, "one that is made anew during a run is not found: %s", around.Rule)
	}
	if op != sandbox.OpWrite {
		say(!s.exists && s.own, "it is not there when a run begins")
		say(!s.exists && !s.own, "it does not exist")
		return list
	}
	say(s.made, "it does not exist: it is made empty for the run, and removed after it if it is still empty")
	say(!s.exists && s.orphan != "", "%s does not exist, and has to be made first", l.show(s.orphan))
	say(v.Fixed && m.Kind == sandbox.File && !m.Own, "it is written in place: tools that save by rename need the directory")
	if apart := grantedApart(plan, s.path); len(apart) > 0 {
		say(true, "a rename between %s and %s fails with EXDEV, and mv copies: they are granted apart", l.show(m.Path), showAll(l, apart))
	}
	return list
}

// isGrant reports whether p is the name of a grant that is a mount. A run makes
// those that do not exist, and no others.
func isGrant(plan sandbox.Plan, p string) bool {
	m := enclosing(plan, p)
	return m.Path == p && m.Mode == sandbox.Writable && !m.Own && !m.Pin
}

// enclosing returns the deepest mount at p or above it. There is one at "/".
func enclosing(plan sandbox.Plan, p string) (deepest sandbox.Mount) {
	for _, m := range plan.Mounts {
		if sandbox.Within(p, m.Path) && len(m.Path) >= len(deepest.Path) {
			deepest = m
		}
	}
	return deepest
}

// grantedApart lists the other writable directories of the territory that p
// cannot be moved to by its name alone.
func grantedApart(plan sandbox.Plan, p string) (dirs []string) {
	here := enclosing(plan, p)
	if here.Own || here.Kind == sandbox.File || !inTerritory(plan.Spec, here) {
		return nil
	}
	for _, m := range plan.Mounts {
		if m.Path != here.Path && m.Mode == sandbox.Writable && m.Kind == sandbox.Dir && inTerritory(plan.Spec, m) {
			dirs = append(dirs, m.Path)
		}
	}
	return dirs
}

func inTerritory(spec sandbox.Spec, m sandbox.Mount) bool {
	return slices.ContainsFunc(spec.Write, func(g sandbox.Grant) bool {
		return g.Part == sandbox.Territory && sandbox.Within(m.Path, g.Path)
	})
}

// showAll names a few of dirs and counts the rest.
func showAll(l *loaded, dirs []string) string {
	const few = 3
	var names []string
	for _, dir := range dirs {
		if len(names) == few {
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(dirs)-few)
		}
		names = append(names, l.show(dir))
	}
	return strings.Join(names, ", ")
}
