package settings

import (
	"slices"

	"seisin/internal/sandbox"
)

// program closes this executable where a grant covers it: a role that replaced
// it would be outside every box at the next run (ATT-16). Where its directory
// cannot be written nothing changes, and nothing is said.
func (r *resolver) program() error {
	covered := slices.ContainsFunc(r.answer.Spec.Write, func(g sandbox.Grant) bool {
		return sandbox.Within(r.machine.Program, g.Path)
	})
	if r.machine.Program == "" || !covered || r.closedBy(r.machine.Program) != nil {
		return nil
	}
	f, err := lookAt(r.machine.Program)
	if err != nil || !f.exists {
		return err
	}
	r.answer.Spec.Closed = append(r.answer.Spec.Closed, sandbox.Grant{
		Path: r.machine.Program, Kind: f.kind, Part: sandbox.State, ID: f.id, Rule: r.programRule(),
	})
	return nil
}

func (r *resolver) programRule() string {
	return r.machine.Program + " is this program: no role writes it"
}

// programItself refuses a grant of that very file, which would grant nothing.
func (r *resolver) programItself(from source, real string) error {
	if real != r.machine.Program {
		return nil
	}
	return r.refuse(from.line, "remove it: nothing makes this writable", "%s: %s", from, r.programRule())
}
