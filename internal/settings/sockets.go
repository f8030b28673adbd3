package settings

import (
	"os"
	"path/filepath"
	"strings"

	"seisin/internal/roles"
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
		case err == nil && info.Mode().Type() != os.ModeSocket:
			return r.refuse(t.Line, "name the socket itself", "%q is no socket", t.Value)
		case err == nil && isDatagram(real):
			return r.refuse(t.Line, "take it out, or let what listens there make a stream socket",
				"%q is a datagram socket: no box can make one that connects to it", t.Value)
		}
		rule := r.rule(r.roleKey("sockets"), t)
		r.answer.Spec.Sockets = append(r.answer.Spec.Sockets, sandbox.Grant{Path: real, Kind: sandbox.File, Part: sandbox.Socket, Rule: rule})
		r.showSocket(t, real, rule, err == nil)
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

// showSocket makes the host's socket at p be found in the box, and says when
// it is not. A socket that is not there yet is no mistake in the policy.
func (r *resolver) showSocket(t roles.Text, p, rule string, exists bool) {
	own, dir := r.ownPlace(p), filepath.Dir(p)
	show := func(g sandbox.Grant) {
		g.Part, g.Rule = sandbox.Socket, rule
		r.answer.Spec.Shown = append(r.answer.Spec.Shown, g)
	}
	found, err := lookAt(dir)
	hasDir := own != "" && dir != own && err == nil && found.exists && found.kind == sandbox.Dir
	switch {
	case hasDir:
		show(sandbox.Grant{Path: dir, Kind: sandbox.Dir, ID: found.id})
	case own != "" && exists:
		show(sandbox.Grant{Path: p, Kind: sandbox.File})
		r.note(t.Line, "", "socket %s stands in %s, which is the box's own: one that is made anew during a run is not found there", t.Value, own)
	case own != "":
		r.note(t.Line, "", "socket %s is not there, and %s is the box's own: it is not found later, so start what listens before the run", t.Value, own)
		return
	}
	if !exists {
		r.note(t.Line, "", "socket %s is not there: it can be connected to once it is", t.Value)
	}
}

// ownPlace returns the directory of the box's own that would hold p, or "":
// the box has there what the host has.
func (r *resolver) ownPlace(p string) (own string) {
	if sandbox.Within(p, "/run") {
		own = "/run"
	}
	for _, g := range r.answer.Spec.Private {
		if sandbox.Within(p, g.Path) && len(g.Path) > len(own) {
			own = g.Path
		}
	}
	for _, g := range r.answer.Spec.Skeletons {
		if filepath.Dir(p) == g.Path && len(g.Path) > len(own) {
			own = g.Path // of it the box has what stood there when the run began
		}
	}
	for _, list := range [][]sandbox.Grant{r.answer.Spec.Shown, r.answer.Spec.Write} {
		for _, g := range list {
			if g.Kind == sandbox.Dir && sandbox.Within(p, g.Path) && len(g.Path) > len(own) {
				return ""
			}
		}
	}
	return own
}
