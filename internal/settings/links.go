package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"seisin/internal/sandbox"
)

// A link is followed when a run starts, and a role may have made it in a run
// before: `rmdir src/gen; ln -s .. src/gen` would give the role that writes
// src/gen/** the whole repository. So a grant goes through no link the name of
// which some role of the policy may replace; through others it does (A-15,
// C18), and where it leads is told.

// A source is a part of the policy that names a path.
type source struct {
	key, value string // writes "src/**"
	line       int
	plain      bool   // the value stands by itself: scratch ~/.cache
	instead    string // how to name the real path, or "" where that is no way out
}

func (s source) String() string {
	if s.plain {
		return s.key + " " + s.value
	}
	return fmt.Sprintf("%s %q", s.key, s.value)
}

// planted refuses a way through a link that a role may have put there.
func (r *resolver) planted(from source, w way) error {
	for _, link := range w.links {
		rule := r.plantedBy(link)
		if rule == "" {
			continue
		}
		fix := fmt.Sprintf("take the link out: rm %q", link)
		if from.instead != "" {
			fix = fmt.Sprintf("take the link out, or name the real path: %q", from.instead)
		}
		to, err := RealPath(link)
		if err != nil {
			to = "itself"
		}
		return r.refuse(from.line, fix, "%s goes through the symlink %q to %q, and a role may have put it there: %s", from, link, to, rule)
	}
	return nil
}

// plantedBy is the rule by which some role may replace the name link, or "".
func (r *resolver) plantedBy(link string) string {
	if r.reach == nil {
		r.reach = r.reachOf()
	}
	return r.reach.rule(link, r.place.Root)
}

// through says where a way leads that has a link in it.
func (r *resolver) through(from source, w way) {
	if len(w.links) > 0 {
		r.note(from.line, "", "%s goes through the symlink %q to %q", from, w.links[0], w.real)
	}
}

// lost refuses a path that cannot be followed to its end.
func (r *resolver) lost(from source, err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		switch {
		case errors.Is(err, fs.ErrPermission):
			e := &ClosedError{pe.Path, pe.Err}
			return r.refuse(from.line, e.Hint(), "%s: %v", from, e)
		case errors.Is(err, syscall.ENOTDIR):
			return r.refuse(from.line, "name what is below directories only", "%s: %q is below a file", from, pe.Path)
		}
	}
	return r.refuse(from.line, "mend or remove the link", "%s leads nowhere: %v", from, err)
}

// The directories of the system. A link is no way to grant one: whoever reads
// the policy would not see what every role may write.
var (
	systemTrees = []string{"/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sbin", "/sys", "/usr", "/var/spool"}
	systemTops  = []string{"/", "/home", "/opt", "/root", "/run", "/var", "/var/lib", "/var/log"}
)

func isSystem(p string) bool {
	return slices.Contains(systemTops, p) ||
		slices.ContainsFunc(systemTrees, func(dir string) bool { return sandbox.Within(p, dir) })
}

// intoSystem refuses a way through a link to a directory of the system.
func (r *resolver) intoSystem(from source, w way) error {
	if len(w.links) == 0 || !isSystem(w.real) || sandbox.Within(w.real, r.place.Root) {
		return nil
	}
	return r.refuse(from.line, "take the link out, or let it lead to a directory of your own",
		"%s goes through the symlink %q to %q, a directory of the system", from, w.links[0], w.real)
}

// named refuses the person's own directories where the way to them is not the
// person's: from the home and from these it follows what is granted and closed.
func (r *resolver) named() error {
	for _, n := range r.machine.named {
		w, err := follow(n.path)
		if bad := r.planted(source{key: n.variable, value: n.path}, w); bad != nil {
			return bad
		}
		if err != nil {
			return closed(err)
		}
	}
	return nil
}
