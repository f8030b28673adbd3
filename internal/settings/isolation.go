package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// isolation closes the places of credentials. Each directory that holds one is
// a skeleton: what stood there when the run began is there, but for what is
// closed, and what comes later is not (F2).
func (r *resolver) isolation() error {
	level := r.policy.Runtime.Isolate
	if level == roles.IsolateNone {
		return nil
	}
	home, line := r.machine.Home, r.policy.Runtime.IsolateLine
	switch {
	case home == "":
		return r.refuse(line, "set HOME to your home directory", "[runtime] isolate = %q: HOME names no directory", string(level))
	case sandbox.Within(home, r.place.Root):
		return r.refuse(line, "keep the repository in a directory below the home", "[runtime] isolate = %q: the home lies in the repository", string(level))
	}
	holders := map[string]bool{}
	places, err := r.closedPlaces()
	if err != nil {
		return err
	}
	for _, place := range places {
		if r.reopened(place) {
			continue
		}
		rule := fmt.Sprintf("[runtime] isolate = %q (%s:%d) closes %s", string(level), filepath.Base(r.policy.Path), line, place)
		names := []string{filepath.Join(home, strings.TrimPrefix(place, "~/"))}
		if filepath.IsAbs(place) {
			names[0] = place
		}
		// Where it is a link, what it leads to is closed, and what it leads
		// through.
		if w, err := follow(names[0]); err == nil {
			names = append(append(names, w.links...), w.real)
		}
		for _, name := range names {
			real, err := realPath(filepath.Dir(name))
			if err != nil {
				continue // nothing is there that could be read
			}
			name = filepath.Join(real, filepath.Base(name))
			if sandbox.Within(home, name) || sandbox.Within(r.place.Root, name) {
				return r.refuse(line, "let it lead to a directory of its own", "%s, which isolation closes, holds the home or the repository: it is %s", place, name)
			}
			f, err := lookAt(name)
			if err != nil {
				return err
			}
			r.answer.Spec.Hidden = append(r.answer.Spec.Hidden, sandbox.Grant{Path: name, Kind: f.kind, Part: sandbox.Credentials, ID: f.id, Rule: rule})
			holders[real] = true
		}
	}
	for dir := range holders {
		if err := r.skeleton(dir); err != nil {
			return err
		}
	}
	return nil
}

// reopened reports whether the role's reads name the place itself.
func (r *resolver) reopened(place string) bool {
	return slices.ContainsFunc(r.role.Reads, func(t roles.Text) bool { return t.Value == place || r.inHome(t.Value) == r.inHome(place) })
}

func (r *resolver) inHome(place string) string {
	if rest, ok := strings.CutPrefix(place, "~/"); ok {
		return filepath.Join(r.machine.Home, rest)
	}
	return filepath.Clean(place)
}

// skeleton lists what a directory holds. In the repository, and in a place that
// is mounted for itself, a closed name is masked instead.
func (r *resolver) skeleton(dir string) error {
	if dir == "/" || sandbox.Within(dir, r.place.Root) {
		return nil
	}
	f, err := lookAt(dir)
	if err != nil || f.kind != sandbox.Dir || !f.exists {
		return err
	}
	s := &r.answer.Spec
	rule := dir + " holds credentials: what stood there when the run began is there without them, and nothing else"
	s.Skeletons = append(s.Skeletons, sandbox.Grant{Path: dir, Kind: sandbox.Dir, Part: sandbox.Visible, ID: f.id, Rule: rule})
	entries, err := os.ReadDir(dir)
	if err != nil {
		return closed(err)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		kind := sandbox.Link
		switch {
		case !utf8.ValidString(name):
			continue // a spec has no such path
		case e.IsDir():
			kind = sandbox.Dir
		case e.Type().IsRegular():
			kind = sandbox.File
		case e.Type()&os.ModeSymlink == 0:
			continue // a FIFO or a socket is a way out, and no way to read
		}
		// Without an identity: a shell's history is another file at each save.
		s.Entries = append(s.Entries, sandbox.Grant{Path: name, Kind: kind, Part: sandbox.Visible, Rule: "what is not hidden can be read"})
	}
	return nil
}
