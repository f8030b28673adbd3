package settings

import (
	"fmt"
	"path/filepath"
	"strings"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// sidecars are the files that SQLite keeps beside a database, and without
// which it cannot write to it (UA-16). The list is closed: `.db` says nothing
// of SQLite.
var sidecars = []string{"-wal", "-shm", "-journal"}

func isSQLite(p string) bool {
	return strings.HasSuffix(p, ".sqlite") || strings.HasSuffix(p, ".sqlite3")
}

// territory grants what the role's writes name.
func (r *resolver) territory() error {
	if r.options.Observe {
		if err := r.observe(); err != nil {
			return err
		}
	}
	for _, p := range r.role.Writes {
		if r.options.Observe && !p.Abs {
			continue // inside what observing grants
		}
		g, err := r.pattern("writes", p)
		if err != nil {
			return err
		}
		if closed := r.closedBy(g.Path); closed != nil {
			return r.refuse(p.Line, "remove it: nothing makes this writable", "writes %q: %s", p.Value, closed.Rule)
		}
		if bad := r.programItself(source{key: "writes", value: p.Value, line: p.Line}, g.Path); bad != nil {
			return bad
		}
		if p.Abs {
			r.note(p.Line, "", "WRITES OUTSIDE THE REPOSITORY: %s", g.Path)
		}
		r.grant(g)
	}
	return nil
}

func (r *resolver) observe() error {
	root, err := lookAt(r.place.Root)
	if err != nil {
		return err
	}
	r.grant(sandbox.Grant{
		Path: r.place.Root, Kind: sandbox.Dir, Part: sandbox.Territory, ID: root.id,
		Rule: "--observe: the whole repository is writable in this run",
	})
	return nil
}

func (r *resolver) grant(g sandbox.Grant) {
	r.answer.Spec.Write = addGrant(r.answer.Spec.Write, g)
	if g.Kind != sandbox.File || !isSQLite(g.Path) {
		return
	}
	for _, suffix := range sidecars {
		side := g
		side.Path += suffix
		side.Rule += ": SQLite's " + suffix
		f, err := lookAt(side.Path)
		if err != nil || f.odd || f.link || f.exists && f.kind != sandbox.File {
			continue // nothing of SQLite's, and so not granted
		}
		side.ID = f.id
		r.answer.Spec.Write = addGrant(r.answer.Spec.Write, side)
	}
}

// addGrant adds g to list. A name that is absent and granted both as a file and
// as a directory is to be a directory, or one of the two would mean nothing.
func addGrant(list []sandbox.Grant, g sandbox.Grant) []sandbox.Grant {
	for i := range list {
		if list[i].Path == g.Path {
			if g.Kind == sandbox.Dir {
				list[i].Kind = sandbox.Dir
			}
			return list
		}
	}
	return append(list, g)
}

// never closes what the role's never_writes name. It wins over every grant.
func (r *resolver) never() error {
	for _, p := range r.role.NeverWrites {
		g, err := r.pattern("never_writes", p)
		if err != nil {
			return err
		}
		g.Part = sandbox.Never
		s := &r.answer.Spec
		s.Closed = addGrant(s.Closed, g)
		if g.Kind == sandbox.File && isSQLite(g.Path) {
			for _, suffix := range sidecars {
				side := g
				side.Path, side.Rule = g.Path+suffix, g.Rule+": SQLite's "+suffix
				f, err := lookAt(side.Path)
				switch {
				case err != nil:
					return err
				case f.link:
					// Closed would be the link, and not what SQLite opens.
					return r.refuse(p.Line, fmt.Sprintf("take the link out: rm %q", side.Path), "never_writes %q: %q is a symlink", p.Value, side.Path)
				case f.exists:
					side.Kind = f.kind
				}
				side.ID = f.id
				s.Closed = addGrant(s.Closed, side)
			}
		}
		if !r.covered(g.Path) {
			r.note(p.Line, "remove it, or see whether it is spelt right",
				"never_writes %q takes nothing away: no writes of role %q covers it", p.Value, r.role.Name)
		}
	}
	return nil
}

func (r *resolver) covered(p string) bool {
	for _, g := range r.answer.Spec.Write {
		if g.Part == sandbox.Territory && (sandbox.Within(p, g.Path) || sandbox.Within(g.Path, p)) {
			return true
		}
	}
	return false
}

// pattern resolves one territory pattern on this tree.
func (r *resolver) pattern(key string, p roles.Pattern) (sandbox.Grant, error) {
	as := p.Path
	if !p.Abs {
		as = filepath.Join(r.place.Root, p.Path)
	}
	none, from := sandbox.Grant{}, source{key: key, value: p.Value, line: p.Line}
	w, err := follow(as)
	real := w.real
	if err == nil && real != r.place.Root && !isSystem(real) && r.misplaced(from, p, real) == nil {
		from.instead = r.spelling(real, p.Tree)
	}
	if bad := r.planted(from, w); bad != nil {
		return none, bad
	}
	if err != nil {
		return none, r.lost(from, err)
	}
	if bad := r.misplaced(from, p, real); bad != nil {
		return none, bad
	}
	if bad := r.intoSystem(from, w); bad != nil {
		return none, bad
	}
	f, err := lookAt(real)
	if err != nil {
		return none, err
	}
	switch {
	case sandbox.Within(real, "/dev") || sandbox.Within(real, "/proc") || sandbox.Within(real, "/sys"):
		return none, r.refuse(p.Line, "remove it", "%s %q: a box has its own /dev and /proc, and /sys is never written", key, p.Value)
	case f.odd:
		return none, r.refuse(p.Line, "name files and directories only", "%s %q is neither a file nor a directory", key, p.Value)
	case f.exists && p.Tree && f.kind == sandbox.File:
		return none, r.refuse(p.Line, fmt.Sprintf("write %q", r.spelling(real, false)), "%s %q: %s is a file, not a directory", key, p.Value, r.relative(real))
	case !f.exists && !p.Tree:
		f.kind = sandbox.File // a literal that is absent means a file
	}
	r.through(from, w)
	return sandbox.Grant{
		Path: real, Kind: f.kind, Part: sandbox.Territory, ID: f.id,
		Rule: r.rule(r.roleKey(key), p.Text),
	}, nil
}

// misplaced refuses a pattern that leads to a place which it may not name.
func (r *resolver) misplaced(from source, p roles.Pattern, real string) error {
	inside := sandbox.Within(real, r.place.Root)
	named := real
	if !inside {
		named = p.Path // it names the repository, and leaves it through a link
	}
	switch {
	case p.Abs && sandbox.Within(named, r.place.Root):
		return r.refuse(p.Line, fmt.Sprintf("write %q", r.spelling(named, p.Tree)),
			"%s is inside the repository, where patterns are relative to its top", from)
	case p.Abs && sandbox.Within(r.place.Root, real):
		return r.refuse(p.Line, `for all of the repository write "**"`, "%s holds the whole repository", from)
	case p.Abs && (overlaps(real, r.machine.Config) || overlaps(real, r.machine.State()) || sandbox.Within(r.machine.Home, real) && r.machine.Home != ""):
		return r.refuse(p.Line, "name the directory that the role needs, and nothing above it",
			"%s holds the home directory, or this tool's own files", from)
	case !p.Abs && !inside:
		return r.refuse(p.Line, fmt.Sprintf("if the role shall write there, name it: %q", r.spelling(real, p.Tree)),
			"%s leaves the repository through a symlink, to %q", from, real)
	}
	return nil
}

// spelling is how a pattern for the real path p is written.
func (r *resolver) spelling(p string, tree bool) string {
	if sandbox.Within(p, r.place.Root) {
		p = r.relative(p)
	}
	switch {
	case tree && p == ".":
		return "**"
	case tree:
		return p + "/**"
	}
	return p
}

func overlaps(a, b string) bool { return sandbox.Within(a, b) || sandbox.Within(b, a) }

// closedBy returns what keeps p from ever being written.
func (r *resolver) closedBy(p string) *sandbox.Grant {
	for _, list := range [][]sandbox.Grant{r.answer.Spec.Closed, r.answer.Spec.Hidden} {
		for i := range list {
			if sandbox.Within(p, list[i].Path) {
				return &list[i]
			}
		}
	}
	return nil
}
