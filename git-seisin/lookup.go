package main

import (
	"path"
	"strings"

	"seisin/internal/sandbox"
)

// lacks reports whether the box is known to have no command of that name, so
// that a name which was misspelt is told before anything is made and said for
// it. What it does not know, such as what the kernel has in /proc, the box finds
// out: it looks again, and in the same order.
func (l *loaded) lacks(spec sandbox.Spec, name string) bool {
	plan := spec.Plan()
	if strings.Contains(name, "/") {
		s, known := l.program(plan, in(spec.Cwd, name), name)
		return known && !s.exists
	}
	for _, dir := range strings.Split(sandbox.Variable(spec.Env, "PATH"), ":") {
		s, known := l.program(plan, in(spec.Cwd, path.Join(dir, name)), name)
		if !known || s.exists && !s.dir {
			return false
		}
	}
	return true
}

// in is name as it is for a process in dir.
func in(dir, name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(dir, name)
}

// program is what stands at p, a name to be started, and whether that is known.
func (l *loaded) program(plan sandbox.Plan, p, asked string) (s spot, known bool) {
	s, err := seek(l, plan, asked, p)
	if s.wrong != "" {
		s.exists = false
	}
	return s, err == nil && !s.kernel && !s.unseen && s.barred == ""
}
