package settings

import (
	"fmt"
	"path/filepath"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// A keyDir is one declared key directory.
type keyDir struct {
	named string // below the root, or absolute, as the policy has it
	keys  string // where its keys are, real: another work tree's, where this one has none
}

// keys hides the key directories, whole, and opens in them the keys that the
// role names, one by one.
func (r *resolver) keys() error {
	var dirs []keyDir
	for _, d := range r.policy.Keys.Dirs {
		named := d.Value
		if !filepath.IsAbs(named) {
			named = filepath.Join(r.place.Root, named)
		}
		real, exists, err := r.keyDir(d, named)
		if err != nil {
			return err
		}
		dir := keyDir{named: named, keys: real}
		if !filepath.IsAbs(d.Value) {
			main, err := r.elsewhere(d)
			if err != nil {
				return err
			}
			if !exists && main != "" {
				dir.keys = main
			}
		}
		dirs = append(dirs, dir)
	}
	for _, k := range r.role.Keys {
		if err := r.key(k, dirs); err != nil {
			return err
		}
	}
	return nil
}

// keyDir hides one directory.
func (r *resolver) keyDir(d roles.Text, dir string) (real string, exists bool, err error) {
	from := source{key: "[keys] dir", value: d.Value, line: d.Line}
	w, err := follow(dir)
	real = w.real
	if err == nil && !isSystem(real) && !sandbox.Within(r.place.Root, real) {
		from.instead = real
	}
	if bad := r.planted(from, w); bad != nil {
		return "", false, bad
	}
	if err != nil {
		return "", false, r.lost(from, err)
	}
	found, err := lookAt(dir)
	switch {
	case err != nil:
		return "", false, r.lost(from, err)
	case found.link:
		// The mask would lie on the link's target or nowhere.
		return "", false, r.refuse(d.Line, fmt.Sprintf("name the real directory: dir = %q", real),
			"[keys] dir %q is a symlink to %q", d.Value, real)
	case sandbox.Within(real, "/dev") || sandbox.Within(real, "/proc"):
		return "", false, r.refuse(d.Line, "keep keys elsewhere", "[keys] dir %q: every box has its own /dev and /proc", d.Value)
	case found.exists && found.kind != sandbox.Dir:
		return "", false, r.refuse(d.Line, "name the directory that holds it", "[keys] dir %q is not a directory", d.Value)
	case sandbox.Within(r.place.Root, real) || sandbox.Within(r.machine.Home, real):
		return "", false, r.refuse(d.Line, "name a directory that holds keys and nothing else",
			"[keys] dir %q holds the repository or the home directory", d.Value)
	}
	r.hideKeys(d, real, found.id)
	r.through(from, w)
	return real, found.exists, nil
}

func (r *resolver) hideKeys(d roles.Text, dir string, id sandbox.FileID) {
	r.answer.Spec.Hidden = append(r.answer.Spec.Hidden, sandbox.Grant{
		Path: dir, Kind: sandbox.Dir, Part: sandbox.Keys, ID: id,
		Rule: fmt.Sprintf("[keys] dir %q (%s:%d): a role reads the keys in it that it names, and writes none", d.Value, filepath.Base(r.policy.Path), d.Line),
	})
}

// elsewhere hides the directory d of the other work trees of the repository:
// they share their secrets. It returns that of the main work tree, if it is
// there (C02).
func (r *resolver) elsewhere(d roles.Text) (main string, err error) {
	if r.trees == nil {
		top, linked, err := r.place.Others()
		if err != nil {
			return "", closed(err)
		}
		r.trees = &trees{top, linked}
	}
	for _, tree := range append([]string{r.trees.main}, r.trees.linked...) {
		if tree == "" {
			continue
		}
		w, err := follow(filepath.Join(tree, d.Value))
		if err != nil {
			continue // whoever stands there is told
		}
		f, err := lookAt(w.real)
		switch {
		case err != nil:
			return "", err
		case f.exists && f.kind != sandbox.Dir, sandbox.Within(r.place.Root, w.real), sandbox.Within(r.machine.Home, w.real):
			continue // no key directory there, and refused there
		case !f.exists && sandbox.Within(w.real, r.place.Root):
			continue // to keep it away would be to make it, in a tree within this one
		}
		r.hideKeys(d, w.real, f.id)
		if tree == r.trees.main && f.exists && len(w.links) == 0 {
			main = w.real
		}
	}
	return main, nil
}

// key opens one key.
func (r *resolver) key(k roles.Text, dirs []keyDir) error {
	from := source{key: "keys", value: k.Value, line: k.Line}
	w, f, err := r.found(from, keyPath(k.Value, r.place.Root, dirs))
	if err != nil {
		return err
	}
	in := r.keyHider(w.real)
	switch {
	case in == nil && len(w.links) > 0:
		return r.refuse(k.Line, "put the file itself into a key directory, or declare the directory that it is in: [keys] dir",
			"%s goes through the symlink %q to %q, which is in no key directory", from, w.links[0], w.real)
	case in == nil:
		return r.refuse(k.Line, "put the file into a key directory, or declare the directory that it is in: [keys] dir",
			"%s is %q, which is in no key directory", from, w.real)
	case in.Part != sandbox.Keys:
		return r.refuse(k.Line, "keep keys elsewhere", "%s: %s", from, in.Rule)
	case f.exists && f.kind == sandbox.Dir:
		return r.refuse(k.Line, "name each key that the role may read", "%s is a directory", from) // SD-4
	case f.odd:
		return r.refuse(k.Line, "name a regular file", "%s is neither a file nor a directory", from)
	case !f.exists:
		r.note(k.Line, "put it there, or take it out of keys", "%s does not exist: it was looked for at %s", from, w.real)
	case r.trees != nil && r.trees.main != "" && sandbox.Within(w.real, r.trees.main) && !sandbox.Within(w.real, r.place.Root):
		r.note(0, "", "%s is the main work tree's: %s", from, w.real)
	}
	r.through(from, w)
	r.answer.Spec.Read = append(r.answer.Spec.Read, sandbox.Grant{
		Path: w.real, Kind: sandbox.File, Part: sandbox.Keys, ID: f.id, Rule: r.rule(r.roleKey("keys"), k),
	})
	return nil
}

// keyPath is where the key of that name is: a bare name in the first directory,
// any other relative to the root. What is in a directory that this work tree
// has not is in the one that stands in for it.
func keyPath(name, root string, dirs []keyDir) string {
	switch {
	case filepath.IsAbs(name):
		return name
	case filepath.Base(name) == name:
		return filepath.Join(dirs[0].keys, name)
	}
	p := filepath.Join(root, name)
	for _, d := range dirs {
		if rest, err := filepath.Rel(d.named, p); err == nil && filepath.IsLocal(rest) {
			return filepath.Join(d.keys, rest)
		}
	}
	return p
}

// keyHider returns the deepest hidden place that p lies in, and is not.
func (r *resolver) keyHider(p string) (in *sandbox.Grant) {
	for i := range r.answer.Spec.Hidden {
		g := &r.answer.Spec.Hidden[i]
		if p != g.Path && sandbox.Within(p, g.Path) && (in == nil || len(g.Path) > len(in.Path)) {
			in = g
		}
	}
	return in
}
