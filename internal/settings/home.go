package settings

import (
	"fmt"
	"path/filepath"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// home gives the role a home of its own, below this tool's state, of which it
// sees nothing else: each directory on the way is a skeleton with one name in
// it, so that a role cannot even list the homes of others.
func (r *resolver) home() error {
	if r.policy.Runtime.Isolate != roles.IsolateHome {
		return nil
	}
	s, state, dir := &r.answer.Spec, r.machine.State(), r.homeDir()
	line := r.policy.Runtime.IsolateLine
	if err := r.homeHasPlace(); err != nil {
		return err
	}
	for i, g := range s.Hidden {
		if g.Path == state {
			s.Hidden = append(s.Hidden[:i], s.Hidden[i+1:]...)
			break
		}
	}
	for at := filepath.Dir(dir); ; at = filepath.Dir(at) {
		s.Skeletons = append(s.Skeletons, sandbox.Grant{
			Path: at, Kind: sandbox.Dir, Part: sandbox.State, Rule: state + " is this tool's own state: of it a role sees its own home",
		})
		if at == state {
			break
		}
	}
	f, err := lookAt(dir)
	if err != nil {
		return err
	}
	s.Write = append(s.Write, sandbox.Grant{
		Path: dir, Kind: sandbox.Dir, Part: sandbox.Home, ID: f.id,
		Rule: fmt.Sprintf(`[runtime] isolate = "home" (%s:%d): the role's own home`, filepath.Base(r.policy.Path), line),
	})
	return nil
}

// homeDir is the role's home. Its name is short, since sockets are made in it
//
func (r *resolver) homeDir() string {
	return filepath.Join(r.machine.State(), "homes", "sn-"+r.answer.Spec.RootID, r.role.Name)
}

// homeHasPlace refuses a state directory in which a home cannot be shown.
func (r *resolver) homeHasPlace() error {
	line, state, dir := r.policy.Runtime.IsolateLine, r.machine.State(), r.homeDir()
	const fix = "set XDG_STATE_HOME to a directory of your own that is in none of these"
	if sandbox.Within(state, r.place.Root) {
		return r.refuse(line, fix, `[runtime] isolate = "home": %s, where the homes of roles are, is in the repository`, state)
	}
	for _, g := range r.answer.Spec.Hidden {
		if g.Path != state && sandbox.Within(dir, g.Path) {
			return r.refuse(line, fix, `[runtime] isolate = "home": the homes of roles are in %s: %s`, state, g.Rule)
		}
	}
	for at := dir; at != state; at = filepath.Dir(at) {
		f, err := lookAt(at)
		switch {
		case err != nil:
			return err
		case f.link:
			return r.refuse(line, "look at what is there, and move it away", "the role's home cannot be at %s: %s is a symlink", dir, at)
		case f.exists && f.kind != sandbox.Dir:
			return r.refuse(line, "look at what is there, and move it away", "the role's home cannot be at %s: %s is no directory", dir, at)
		}
	}
	return nil
}

// homeStands refuses a spec in which the role could not write its home after
// all. It is the plan that says so, whatever was thought of above.
func (r *resolver) homeStands() error {
	if r.policy.Runtime.Isolate != roles.IsolateHome {
		return nil
	}
	if v := r.answer.Spec.Verdict(sandbox.OpWrite, r.homeDir()); !v.Allowed {
		return r.refuse(r.policy.Runtime.IsolateLine, "set XDG_STATE_HOME to a directory of your own, in the home and outside of what roles write",
			"the role's home cannot be at %s: %s", r.homeDir(), v.Rule)
	}
	return nil
}

// A Stand is a name in the role's home, and what of the person's it leads to.
type Stand struct {
	Name   string // relative to the home
	Target string // absolute, real
}

// stand adds what reads names in the person's home: it has its name in the
// role's, too.
func (r *resolver) stand(named, real string) {
	if r.policy.Runtime.Isolate != roles.IsolateHome {
		return
	}
	if name, err := filepath.Rel(r.machine.Home, named); err == nil && filepath.IsLocal(name) {
		r.answer.Stands = append(r.answer.Stands, Stand{name, real})
	}
}
