package settings

import (
	"strings"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// Owners answer whose a path is.
type Owners struct {
	plans  []sandbox.Plan
	claims []sandbox.Plan // of roles that are refused
}

// An Owner is whose one path is.
type Owner struct {
	// Roles are those whose territory covers the path and whose box lets them
	// write it, in the order of the policy.
	Roles []string `json:"roles"`

	// Refused are those that would own it and cannot run: they are to be
	// mended, and the path is nobody else's for that.
	Refused []string `json:"refused"`

	// Why is the reason where the path is no territory by its nature: "it is
	// the policy". It is empty where a role owns the path, or simply none
	// does.
	Why string `json:"why"`

	// Every is set where every role may write the path all the same: scratch.
	Every bool `json:"every"`
}

// OwnersOf asks the roles of a policy, each resolved by [For], and those that
// are refused by what [Site.Claim] says of them.
func OwnersOf(answers, claims []*Answer) Owners {
	return Owners{plansOf(answers), plansOf(claims)}
}

func plansOf(answers []*Answer) (plans []sandbox.Plan) {
	for _, a := range answers {
		plans = append(plans, a.Spec.Plan())
	}
	return plans
}

// Claim is what a role that is refused asks to write, as far as it can be told:
// by those of its patterns that could be granted. No box is to be made of it.
func (s *Site) Claim(role *roles.Role) *Answer {
	r := s.with(role).resolver(role, Options{})
	for _, part := range []func() error{r.named, r.own, r.git, r.isolation, r.keys} {
		_ = part() // that one fails is why the role is refused, or is told so
	}
	for _, p := range role.Writes {
		one := *role
		one.Writes, r.role = []roles.Pattern{p}, &one
		_ = r.territory()
	}
	for _, p := range role.NeverWrites {
		one := *role
		one.NeverWrites, r.role = []roles.Pattern{p}, &one
		_ = r.never()
	}
	r.answer.Spec.Normalize()
	return r.answer
}

// Of returns whose p is. P is absolute and real, as [RealPath] gives it.
func (o Owners) Of(p string) Owner {
	owner := Owner{Roles: []string{}, Refused: []string{}}
	for _, plan := range o.claims {
		if plan.Verdict(sandbox.OpWrite, p).Allowed && inTerritory(plan.Spec, p) {
			owner.Refused = append(owner.Refused, plan.Spec.Role)
		}
	}
	scratch := 0
	for _, plan := range o.plans {
		if !plan.Verdict(sandbox.OpWrite, p).Allowed {
			continue
		}
		if inTerritory(plan.Spec, p) {
			owner.Roles = append(owner.Roles, plan.Spec.Role)
		} else {
			scratch++
		}
	}
	if len(owner.Roles) > 0 || len(o.plans) == 0 {
		return owner
	}
	owner.Every = scratch == len(o.plans)
	owner.Why = natures[natureOf(o.plans[0].Spec, p)]
	if owner.Every {
		owner.Why = "it is scratch"
	}
	return owner
}

// inTerritory reports whether p is the role's by its writes, or is its home.
func inTerritory(spec sandbox.Spec, p string) bool {
	for _, g := range spec.Write {
		if (g.Part == sandbox.Territory || g.Part == sandbox.Home) && sandbox.Within(p, g.Path) {
			return true
		}
	}
	return false
}

// natures are the parts that are the same for every role, and so no role's.
var natures = map[sandbox.Part]string{
	sandbox.Policy: "it is the policy",
	sandbox.State:  "it is this tool's own state",
	sandbox.Keys:   "it is in a key directory",
	sandbox.Git:    "it is git's own",

	sandbox.Executed: "it runs outside every box",
}

// natureOf returns the part of the deepest denial that covers p: the state
// lies in the git directory.
func natureOf(spec sandbox.Spec, p string) (part sandbox.Part) {
	depth := -1
	for _, list := range [][]sandbox.Grant{spec.Closed, spec.Hidden, spec.Skeletons} {
		for _, g := range list {
			if natures[g.Part] != "" && sandbox.Within(p, g.Path) && len(g.Path) > depth {
				part, depth = g.Part, len(g.Path)
			}
		}
	}
	return part
}

// Sidecar reports whether g was granted or closed with the SQLite database
// beside it, and not by a pattern of its own.
func Sidecar(g sandbox.Grant) bool {
	for _, suffix := range sidecars {
		if db, ok := strings.CutSuffix(g.Path, suffix); ok && isSQLite(db) && strings.HasSuffix(g.Rule, sidecarRule(suffix)) {
			return true
		}
	}
	return false
}

func sidecarRule(suffix string) string { return ": SQLite's " + suffix }
