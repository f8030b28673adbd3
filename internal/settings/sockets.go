package settings

import (
	"os"
	"path/filepath"
	"strings"

	"seisin/internal/sandbox"
)

// sockets names the unix sockets of the host that the role may connect to.
//
// Where the box has a directory of its own, the socket is shown: by its
// directory, so that one which a daemon makes anew is found; alone where that
// directory is /run or /tmp itself.
func (r *resolver) sockets() error {
	for _, t := range r.role.Sockets {
		p := t.Value
		if strings.HasPrefix(p, "~/") {
			if r.machine.Home == "" {
				return r.refuse(t.Line, "set HOME", "socket %q: HOME names no directory", p)
			}
			p = filepath.Join(r.machine.Home, p[2:])
		}
		real, err := realPath(p)
		if err != nil {
			return r.refuse(t.Line, "mend or remove the link", "socket %q leads nowhere: %v", t.Value, err)
		}
		info, err := os.Lstat(real)
		switch {
		case r.hiddenBy(real) != nil:
			return r.refuse(t.Line, "take it out", "socket %q: %s", t.Value, r.hiddenBy(real).Rule)
		case sandbox.Within(real, "/dev") || sandbox.Within(real, "/proc"):
			return r.refuse(t.Line, "take it out", "socket %q: every box has its own /dev and /proc", t.Value)
		case err != nil:
			r.note(t.Line, "start what listens there before the run", "socket %s is not there: it can be connected to once it is, if its directory is there at the start", t.Value)
		case info.Mode().Type() != os.ModeSocket:
			return r.refuse(t.Line, "name the socket itself", "%q is no socket", t.Value)
		}
		rule := r.rule(r.roleKey("sockets"), t)
		r.answer.Spec.Sockets = append(r.answer.Spec.Sockets, sandbox.Grant{Path: real, Kind: sandbox.File, Part: sandbox.Socket, Rule: rule})
		r.showSocket(real, rule)
	}
	return nil
}

func (r *resolver) hiddenBy(p string) *sandbox.Grant {
	for i, g := range r.answer.Spec.Hidden {
		if sandbox.Within(p, g.Path) {
			return &r.answer.Spec.Hidden[i]
		}
	}
	return nil
}

func (r *resolver) showSocket(p, rule string) {
	own := []string{"/run"}
	for _, g := range r.answer.Spec.Private {
		own = append(own, g.Path)
	}
	for _, dir := range own {
		switch {
		case !sandbox.Within(p, dir):
			continue
		case filepath.Dir(p) != dir:
			r.show(filepath.Dir(p), rule)
			return
		}
		if f, err := lookAt(p); err == nil && f.exists {
			r.answer.Spec.Shown = append(r.answer.Spec.Shown, sandbox.Grant{Path: p, Kind: sandbox.File, Part: sandbox.Socket, Rule: rule})
		}
		return
	}
}
