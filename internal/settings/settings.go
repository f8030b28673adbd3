// Package settings turns a role, a place and a machine into a sandbox.Spec:
// all that one box may reach, resolved, with the rule behind every part.
//
// It reads the file system (what exists, what a link leads to) and never
// writes to it. It does not open boxes and does not know how they are built.
// The same policy on the same tree always gives the same spec.
//
// # Trust
//
// A policy is written by whoever can push to the repository, and the tree may
// have been written by an agent. A path that leaves the repository through a
// link is refused here, and so is one through a link that a role may have made;
// that nobody swaps it afterwards is the provider's business, who gets the
// identity of each file with its path.
package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"seisin/internal/gitdir"
	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// Options change what For grants beyond the policy.
type Options struct {
	Cwd     string // where the command starts; real
	Observe bool   // the territory is the whole repository
}

// An Answer is what a role is granted here and now.
type Answer struct {
	Spec sandbox.Spec

	// Later are parts of the policy that this version does not carry out,
	// each in words: `network: none in this version`. The box is narrower
	// than the policy in these, never wider.
	Later []string

	// Notes are what a person should know of this box before it runs.
	Notes []Note

	// Stands are what the role's home has of the person's. Only a role with a
	// home of its own has any.
	Stands []Stand

	// Gaps are what the host executes from scratch and the box leaves open.
	Gaps []Gap
}

// A Note is one thing to know, and what can be done about it.
type Note struct {
	What string
	Hint string
	Line int // in the policy; 0 is none
}

// A RefusedError reports a part of the policy that cannot be granted or held
// here.
type RefusedError struct {
	Path string // of the policy
	Line int
	Role string
	Msg  string
	Fix  string
}

func (e *RefusedError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: role %q: %s", e.Path, e.Line, e.Role, e.Msg)
	}
	return fmt.Sprintf("%s: role %q: %s", e.Path, e.Role, e.Msg)
}

// Hint says what the user can do about it.
func (e *RefusedError) Hint() string { return e.Fix }

// For resolves what role is granted: [Site.For] for one question.
func For(p *roles.Policy, role *roles.Role, place *gitdir.Place, m Machine, o Options) (*Answer, error) {
	return At(p, place, m).For(role, o)
}

// For resolves what role is granted. An error is a *RefusedError, or that the
// file system could not be read, or that the spec would not be valid.
func (s *Site) For(role *roles.Role, o Options) (*Answer, error) {
	r := s.with(role).resolver(role, o)
	for _, part := range []func() error{r.refuseUnheld, r.files, r.environment, r.later, r.outer} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	r.answer.Spec.Normalize()
	if err := r.answer.Spec.Validate(); err != nil {
		return nil, err
	}
	return r.answer, r.homeStands()
}

func (s *Site) resolver(role *roles.Role, o Options) *resolver {
	return &resolver{Site: s, role: role, options: o, answer: &Answer{Spec: sandbox.Spec{
		Role: role.Name, Key: role.Name,
		Root: s.place.Root, RootID: gitdir.RootID(s.place.Root), Cwd: o.Cwd,
		UserNS: role.Userns, Timeout: role.Timeout,
	}}}
}

// files resolves all that is a path.
func (r *resolver) files() error {
	for _, part := range []func() error{
		r.named, r.own, r.git, r.isolation, r.keys, r.reads, r.toolchains, r.temporary, r.territory, r.never, r.scratch, r.program, r.executed, r.gitLinks,
		r.shown, r.sockets, r.home,
	} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// with is s with role among its roles, also where a caller built it by hand.
func (s *Site) with(role *roles.Role) *Site {
	if slices.ContainsFunc(s.policy.Roles, func(other roles.Role) bool { return other.Name == role.Name }) {
		return s
	}
	p := *s.policy
	p.Roles = append(slices.Clone(p.Roles), *role)
	return At(&p, s.place, s.machine)
}

// A resolver works out one Answer.
type resolver struct {
	*Site
	role    *roles.Role
	options Options
	answer  *Answer
}

func (r *resolver) refuse(line int, fix, format string, args ...any) error {
	return &RefusedError{Path: r.policy.Path, Line: line, Role: r.role.Name, Msg: fmt.Sprintf(format, args...), Fix: fix}
}

func (r *resolver) note(line int, hint, format string, args ...any) {
	r.answer.Notes = append(r.answer.Notes, Note{What: fmt.Sprintf(format, args...), Hint: hint, Line: line})
}

// rule is how a line of the policy is quoted: `roles.dev.writes "src/**"
// (seisin.toml:14)`.
func (r *resolver) rule(key string, t roles.Text) string {
	return fmt.Sprintf("%s %q (%s:%d)", key, t.Value, filepath.Base(r.policy.Path), t.Line)
}

func (r *resolver) roleKey(key string) string { return "roles." + r.role.Name + "." + key }

// refuseUnheld refuses what asks for less reach than this version can hold
// the command to. To leave such a part out would be to weaken in silence.
func (r *resolver) refuseUnheld() error {
	rt, audit := r.policy.Runtime, r.policy.Audit
	switch {
	case rt.Provider != "" && rt.Provider != "native":
		return r.refuse(rt.ProviderLine, `provider = "native" is the one there is`, "[runtime] provider %q is not in this version", rt.Provider)
	case audit.Required:
		return r.refuse(audit.RequiredLine, "take required out until the version that keeps a log", "[audit] required = true: this version keeps no log")
	}
	for _, f := range rt.Require {
		r.answer.Spec.Require = append(r.answer.Spec.Require, f.Value)
	}
	return nil
}

// own closes what belongs to the tool: the policy, and the state directories.
func (r *resolver) own() error {
	s := &r.answer.Spec
	policy := filepath.Join(r.place.Root, roles.FileName)
	found, err := lookAt(policy)
	if err != nil {
		return err
	}
	switch {
	case found.link:
		return r.refuse(0, "put the file itself there", "%s is a symlink: what it leads to could be written under its own name", roles.FileName)
	case found.links > 1:
		return r.refuse(0, fmt.Sprintf("make a copy of its own: cp -p %[1]s %[1]s.copy && mv %[1]s.copy %[1]s", roles.FileName),
			"%s has %d hard links: it could be written under another name", roles.FileName, found.links)
	}
	s.Closed = append(s.Closed, sandbox.Grant{
		Path: policy, Kind: sandbox.File, Part: sandbox.Policy, ID: found.id,
		Rule: roles.FileName + " is the policy: no role writes it",
	})
	config, err := lookAt(r.machine.Config)
	if err != nil {
		return err
	}
	s.Closed = append(s.Closed, sandbox.Grant{
		Path: r.machine.Config, Kind: sandbox.Dir, Part: sandbox.State, ID: config.id,
		Rule: r.machine.Config + " holds the person's own settings of this tool: no role writes it",
	})
	for _, dir := range []string{filepath.Join(r.place.Common, "seisin"), r.machine.State()} {
		found, err := lookAt(dir)
		if err != nil {
			return err
		}
		s.Hidden = append(s.Hidden, sandbox.Grant{
			Path: dir, Kind: sandbox.Dir, Part: sandbox.State, ID: found.id,
			Rule: dir + " is this tool's own state: no role sees it",
		})
	}
	return nil
}

// git closes git's own administration: readable, or not even that.
func (r *resolver) git() error {
	s := &r.answer.Spec
	mode, list := "read", &s.Closed
	rule := " is git's own: read in this version"
	if r.role.Git == "none" {
		mode, list = "none", &s.Hidden
		rule = fmt.Sprintf(" is git's own: %s = \"none\"", r.roleKey("git"))
	}
	s.Gitdirs = append(s.Gitdirs, sandbox.Gitdir{Path: r.place.Gitdir, Common: r.place.Common, Mode: mode})
	seen := map[string]bool{}
	for _, dir := range []string{r.place.DotGit, r.place.Common, r.place.Gitdir} {
		if seen[dir] {
			continue
		}
		seen[dir] = true
		found, err := lookAt(dir)
		if err != nil {
			return err
		}
		*list = append(*list, sandbox.Grant{Path: dir, Kind: found.kind, Part: sandbox.Git, ID: found.id, Rule: dir + rule})
	}
	return nil
}

// later says what the policy asks for and this version does not give. All of
// it is more than the box gives, so that the box is the narrower one.
func (r *resolver) later() error {
	role := r.role
	network := role.Network
	if !role.NetworkSet {
		network = r.policy.Network.Allow
	}
	add := func(ask bool, text string) {
		if ask {
			r.answer.Later = append(r.answer.Later, text)
		}
	}
	add(len(network) > 0, "network: none in this version")
	add(role.Git == "commit", "git: read in this version")
	add(len(role.Reads) > 0 && r.policy.Runtime.Isolate == roles.IsolateNone, "reads: without isolation nothing is closed that they would open")
	add(len(role.Ports) > 0, "ports: none in this version")
	r.answer.Later = append(r.answer.Later, "approval: none in this version")
	return nil
}

// relative shows a path below the root as the policy writes it.
func (r *resolver) relative(p string) string {
	if p == r.place.Root {
		return "."
	}
	return strings.TrimPrefix(p, r.place.Root+"/")
}
