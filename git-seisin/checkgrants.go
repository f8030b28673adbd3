package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
	"seisin/internal/settings"
)

// A taken is a line of writes of which never_writes leaves nothing.
type taken struct {
	writes roles.Pattern
	by     string // the never_writes, with its line
}

// writes are the role's patterns of which something is left, and the others.
func (l *loaded) writes(role *roles.Role, answer *settings.Answer) (kept []roles.Pattern, gone []taken) {
	for _, p := range role.Writes {
		name := p.Path
		if !p.Abs {
			name = filepath.Join(l.place.Root, name)
		}
		real, err := settings.RealPath(name)
		i := slices.IndexFunc(answer.Spec.Closed, func(g sandbox.Grant) bool {
			return err == nil && g.Part == sandbox.Never && sandbox.Within(real, g.Path)
		})
		if i < 0 {
			kept = append(kept, p)
			continue
		}
		gone = append(gone, taken{p, answer.Spec.Closed[i].Rule})
	}
	return kept, gone
}

// takenAway tells lines that grant nothing: who wrote them means something
// else.
func (x *checker) takenAway(role *roles.Role, gone []taken) {
	for _, t := range gone {
		x.once(fmt.Sprint(t.writes.Line, t.writes.Value, t.by), problem{
			What: fmt.Sprintf("role %q: never_writes takes all of writes %q away: %s", role.Name, t.writes.Value, t.by),
			Hint: "remove one of the two lines, or let never_writes name less",
			File: x.policy.Path, Line: t.writes.Line,
		})
	}
}

func values(patterns []roles.Pattern) []string {
	list := []string{}
	for _, p := range patterns {
		list = append(list, p.Value)
	}
	return list
}

// territory are the grants that let the role write something.
func territory(spec sandbox.Spec) (list []sandbox.Grant) {
	plan := spec.Plan()
	for _, g := range part(spec.Write, sandbox.Territory) {
		if plan.Verdict(sandbox.OpWrite, g.Path).Allowed {
			list = append(list, g)
		}
	}
	return list
}

// permissions tells what belongs to somebody else: the box lets it be written,
// and its own permissions decide whether it is.
func (x *checker) permissions(role *roles.Role, answer *settings.Answer) {
	if info, err := os.Lstat(x.place.Root); err == nil && isOthers(info) {
		x.note(role, fmt.Sprintf("the work tree belongs to %s, not to you", ownerName(info)))
	}
	for _, g := range territory(answer.Spec) {
		if settings.Sidecar(g) {
			continue
		}
		name := x.show(g.Path)
		if why := x.grantRefused(answer.Spec.Plan(), g); why != "" {
			x.blame(role, problem{
				What: fmt.Sprintf("%s cannot be written", name), Why: why,
				Hint: "change its mode or its owner, or run as who owns it",
			})
			continue
		}
		if info, err := os.Lstat(g.Path); err == nil && isOthers(info) {
			x.note(role, fmt.Sprintf("%s belongs to %s, not to you", name, ownerName(info)))
		}
	}
}

// grantRefused says why permissions do not let a granted place be written.
func (l *loaded) grantRefused(plan sandbox.Plan, g sandbox.Grant) string {
	s, err := seek(l, plan, g.Path, g.Path)
	if err != nil {
		return ""
	}
	return s.refusedTo(l, sandbox.OpWrite)
}

func (x *checker) note(role *roles.Role, what string) {
	x.notes(role, []settings.Note{{What: what, Hint: "what a run may do there is decided by its permissions too"}})
}

// scratchNames are the places that every role may write besides, as the policy
// names them: those that answer grants. Without an answer they are those that
// one would be asked for.
func (l *loaded) scratchNames(answer *settings.Answer) []string {
	names := slices.DeleteFunc(slices.Clone(settings.DefaultScratch), isTemporary)
	if l.policy.Runtime.WritesSet || l.policy.Runtime.Isolate == roles.IsolateHome {
		names = []string{}
		for _, t := range l.policy.Runtime.Writes {
			names = append(names, t.Value)
		}
	}
	names = slices.DeleteFunc(names, isTemporary)
	// The run has these of its own, whatever the policy says.
	for _, name := range temporary {
		if name != "$TMPDIR" || l.machine.Getenv("TMPDIR") != "" {
			names = append(names, name)
		}
	}
	if answer == nil {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool { return !l.isGranted(answer.Spec, name) })
}

var temporary = []string{"$TMPDIR", "/tmp", "/var/tmp"}

func isTemporary(name string) bool { return slices.Contains(temporary, name) }

// isGranted reports whether a name of scratch is part of the box.
func (l *loaded) isGranted(spec sandbox.Spec, name string) bool {
	p := name
	switch rest, ofHome := strings.CutPrefix(p, "~/"); {
	case ofHome && l.machine.Home == "":
		return false
	case ofHome:
		p = filepath.Join(l.machine.Home, rest)
	case p == "$TMPDIR":
		p = l.machine.Getenv("TMPDIR")
	}
	real, err := settings.RealPath(p)
	return err == nil && slices.ContainsFunc(slices.Concat(spec.Write, spec.Private), func(g sandbox.Grant) bool {
		return g.Path == real && (g.Part == sandbox.Scratch || g.Part == sandbox.Temporary)
	})
}
