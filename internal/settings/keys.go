package settings

import (
	"fmt"
	"path/filepath"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// keys hides the key directories, whole.
func (r *resolver) keys() error {
	for _, d := range r.policy.Keys.Dirs {
		dir := d.Value
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(r.place.Root, dir)
		}
		from := source{key: "[keys] dir", value: d.Value, line: d.Line}
		w, err := follow(dir)
		real := w.real
		if err == nil && !isSystem(real) && !sandbox.Within(r.place.Root, real) {
			from.instead = real
		}
		if bad := r.planted(from, w); bad != nil {
			return bad
		}
		if err != nil {
			return r.lost(from, err)
		}
		found, err := lookAt(dir)
		switch {
		case err != nil:
			return r.lost(from, err)
		case found.link:
			// The mask would lie on the link's target or nowhere.
			return r.refuse(d.Line, fmt.Sprintf("name the real directory: dir = %q", real),
				"[keys] dir %q is a symlink to %q", d.Value, real)
		case sandbox.Within(real, "/dev") || sandbox.Within(real, "/proc"):
			return r.refuse(d.Line, "keep keys elsewhere", "[keys] dir %q: every box has its own /dev and /proc", d.Value)
		case found.exists && found.kind != sandbox.Dir:
			return r.refuse(d.Line, "name the directory that holds it", "[keys] dir %q is not a directory", d.Value)
		case sandbox.Within(r.place.Root, real) || sandbox.Within(r.machine.Home, real):
			return r.refuse(d.Line, "name a directory that holds keys and nothing else",
				"[keys] dir %q holds the repository or the home directory", d.Value)
		}
		r.answer.Spec.Hidden = append(r.answer.Spec.Hidden, sandbox.Grant{
			Path: real, Kind: sandbox.Dir, Part: sandbox.Keys, ID: found.id,
			Rule: r.keyRule(d),
		})
		r.through(from, w)
	}
	return nil
}

func (r *resolver) keyRule(d roles.Text) string {
	return fmt.Sprintf("[keys] dir %q (%s:%d): closed to every role in this version", d.Value, filepath.Base(r.policy.Path), d.Line)
}
