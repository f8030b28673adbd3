package settings

import (
	"slices"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// found is where p leads and what stands there: what a line of the policy asks to
// read. A way that a role may have made is refused.
func (r *resolver) found(from source, p string) (w way, f found, err error) {
	w, err = follow(p)
	if bad := r.planted(from, w); bad != nil {
		return w, f, bad
	}
	if err == nil {
		f, err = lookAt(w.real)
	}
	if err != nil {
		err = r.lost(from, err)
	}
	return w, f, err
}

// reads opens closed places again, each by its name.
func (r *resolver) reads() error {
	if r.policy.Runtime.Isolate == roles.IsolateNone {
		return nil
	}
	places, err := r.closedPlaces()
	if err != nil {
		return err
	}
	for _, t := range r.role.Reads {
		from := source{key: "reads", value: t.Value, line: t.Line}
		w, f, err := r.found(from, r.inHome(t.Value))
		if err != nil {
			return err
		}
		in := r.keyHider(w.real)
		switch {
		case in != nil && in.Part != sandbox.Credentials:
			return r.refuse(t.Line, "take it out", "%s: %s", from, in.Rule)
		case f.odd:
			return r.refuse(t.Line, "name files and directories only", "%s is neither a file nor a directory", from)
		case !f.exists:
			r.note(t.Line, "make it first, or take it out of reads", "%s does not exist", from)
			continue
		case in == nil && r.policy.Runtime.Isolate == roles.IsolateCredentials && !slices.ContainsFunc(places, func(p string) bool { return r.inHome(p) == r.inHome(t.Value) }):
			r.note(t.Line, "take it out of reads", "%s is not closed", from)
			continue
		}
		r.through(from, w)
		r.stand(r.inHome(t.Value), w.real)
		r.answer.Spec.Read = append(r.answer.Spec.Read, sandbox.Grant{Path: w.real, Kind: f.kind, Part: sandbox.Credentials, ID: f.id, Rule: r.rule(r.roleKey("reads"), t)})
	}
	return nil
}
