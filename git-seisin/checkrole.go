package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
	"seisin/internal/settings"
)

// A roleCheck is all that check says of one role.
type roleCheck struct {
	role *roles.Role

	Name        string   `json:"name"`
	Line        int      `json:"line"`
	Command     []string `json:"command"`
	AsRoot      bool     `json:"as_root"` // the person is, which is worth little inside
	Groups      []string `json:"groups"`  // of the person's, that a command has beside the first
	Isolation   string   `json:"isolation"`
	Credentials []string `json:"credentials"` // some that the role can read

	Home         string   `json:"home"` // HOME inside, where it is the role's own; else ""
	Territory    []place  `json:"territory"`
	Pinned       []place  `json:"pinned"`        // lead to a closed place, and cannot be moved
	ScratchNames []string `json:"scratch_names"` // as the policy has them
	Scratch      []place  `json:"scratch"`
	Private      []place  `json:"private"` // the run's own in place of the host's
	Closed       []place  `json:"closed"`  // readable, never writable
	Hidden       []place  `json:"hidden"`
	Opened       []place  `json:"opened"`  // of what is hidden, what it may read all the same: its keys
	Guarded      []place  `json:"guarded"` // of these, what a mount on a name protects
	Sockets      []place  `json:"sockets"` // of the host, that it may connect to
	Shown        []place  `json:"shown"`   // of the host, readable for the sake of a socket
	UserNS       bool     `json:"userns"`

	Later   []string       `json:"later"`   // asked for, and not in this version
	Refused []string       `json:"refused"` // programs and means that the filter breaks
	Open    []string       `json:"open"`    // what this version does not hold
	Notes   []checkedNote  `json:"notes"`
	Machine checkedMachine `json:"machine"`
}

// A place is a path of the box and what is to be known of it.
type place struct {
	Path    string       `json:"path"`
	Kind    sandbox.Kind `json:"kind"`
	Absent  bool         `json:"absent"`
	Outside bool         `json:"outside"` // of the repository
	Rule    string       `json:"rule"`
	With    []string     `json:"with"` // SQLite's files beside it: "-wal"
	Says    []string     `json:"says"`
}

// checkRole answers for one role in full.
func (l *loaded) checkRole(name string) (*reply, error) {
	role, err := l.policy.Find(name)
	if err != nil {
		return nil, err
	}
	x := newChecker(l)
	answer := x.role(role)
	if answer == nil {
		return x.reply(nil, func(io.Writer) {}), nil
	}
	c := x.describe(role, answer)
	return x.reply(c, c.text(l)), nil
}

func (x *checker) describe(role *roles.Role, answer *settings.Answer) *roleCheck {
	spec, plan := answer.Spec, answer.Spec.Plan()
	c := &roleCheck{
		role: role,
		Name: role.Name, Line: role.Line, Command: orEmpty(role.Command), AsRoot: os.Geteuid() == 0, Groups: groupNames(),
		Isolation: string(x.policy.Runtime.Isolate), Credentials: readable(x.policy),
		Home:         homeOf(spec),
		ScratchNames: x.scratchNames(answer),
		Scratch:      x.places(part(spec.Write, sandbox.Scratch)),
		Private:      x.places(spec.Private),
		Closed:       x.places(spec.Closed),
		Hidden:       x.places(spec.Hidden),
		Sockets:      x.places(spec.Sockets),
		Shown:        x.places(part(spec.Shown, sandbox.Socket)),
		UserNS:       spec.UserNS,
		Refused:      refusedToAll,
		Opened:       x.places(spec.Read),
		Later:        answer.Later, Notes: x.checked.Notes, Machine: x.checked.Machine,
	}
	for i, p := range c.Sockets {
		// Its identity is not looked at, so that one that is made anew is found.
		_, err := os.Lstat(p.Path)
		c.Sockets[i].Absent = err != nil
	}
	for i, p := range c.Shown {
		c.Shown[i].Absent = false
		if p.Kind == sandbox.Dir {
			c.Shown[i].Says = append(c.Shown[i].Says, "all in it can be read")
		}
	}
	for i, p := range c.Opened {
		for _, stand := range answer.Stands {
			if stand.Target == p.Path {
				c.Opened[i].Says = append(c.Opened[i].Says, "in the role's home it is ~/"+stand.Name)
			}
		}
	}
	c.Territory = x.places(territory(spec))
	for i := range c.Territory {
		sayTerritory(&c.Territory[i], plan)
	}
	c.Pinned, c.Guarded = []place{}, []place{}
	for _, m := range plan.Mounts {
		p := place{Path: m.Path, Kind: m.Kind, Absent: m.ID == sandbox.FileID{}, Rule: m.Rule, With: []string{}, Says: []string{}}
		switch says := guard(plan, m); {
		case m.Pin && !m.Own:
			p.Absent = false // its identity is not looked at
			c.Pinned = append(c.Pinned, p)
		case says != "":
			p.Says = append(p.Says, says)
			if isKeys(spec, m.Path) && sandbox.Within(m.Path, spec.Root) {
				p.Says = append(p.Says, "keys are safer outside the repository, where git and editors replace no directory: name an absolute path in [keys] dir")
			}
			c.Guarded = append(c.Guarded, p)
		}
	}
	c.Open = append(open(len(c.Territory) > 0), x.openScratch(answer)...)
	if x.policy.Runtime.Isolate != roles.IsolateNone {
		c.Open = append(c.Open, "what isolation closes can be read by the name that another mount of the same file system gives it, as a bind mount does")
	}
	return c
}

func isKeys(spec sandbox.Spec, p string) bool {
	return slices.ContainsFunc(spec.Hidden, func(g sandbox.Grant) bool { return g.Path == p && g.Part == sandbox.Keys })
}

func part(grants []sandbox.Grant, of sandbox.Part) (list []sandbox.Grant) {
	for _, g := range grants {
		if g.Part == of {
			list = append(list, g)
		}
	}
	return list
}

// places lists grants, SQLite's sidecars with their database (UA-16).
func (x *checker) places(grants []sandbox.Grant) []place {
	list := []place{}
	for _, g := range grants {
		if settings.Sidecar(g) {
			continue
		}
		p := place{
			Path: g.Path, Kind: g.Kind, Absent: g.Absent(), Rule: g.Rule,
			Outside: !sandbox.Within(g.Path, x.place.Root), With: []string{}, Says: []string{},
		}
		for _, side := range grants {
			if suffix, ok := strings.CutPrefix(side.Path, g.Path); ok && settings.Sidecar(side) {
				p.With = append(p.With, suffix)
			}
		}
		list = append(list, p)
	}
	return list
}

// sayTerritory adds what a grant means beyond its words.
func sayTerritory(p *place, plan sandbox.Plan) {
	say := func(yes bool, what string) {
		if yes {
			p.Says = append(p.Says, what)
		}
	}
	fixed := !plan.Verdict(sandbox.OpReplace, p.Path).Allowed
	say(p.Absent && isGrant(plan, p.Path), "it does not exist: it is made empty for a run, and removed after it if it is still empty")
	say(fixed && p.Kind == sandbox.File, "it is written in place: it cannot be removed, renamed or replaced; tools that save by rename need the directory")
	say(fixed && len(p.With) > 0, "SQLite commits in its modes WAL, TRUNCATE and PERSIST; in its default mode a commit fails, since it removes its journal: grant the folder")
}

// guard says in what way a mount does not seal what it protects, or "". A mount
// hangs on a name: when the host gives the name to another file, it falls off,
// and the keeper puts it back. What a read-only directory protects has no such
// gap, nor a mount; and behind one that stands in the run's own files there are
// these, and not the host's.
func guard(plan sandbox.Plan, m sandbox.Mount) string {
	if sandbox.Builtin(m.Path) || m.Own || m.Pin || enclosing(plan, filepath.Dir(m.Path)).Own {
		return ""
	}
	if m.Mode == sandbox.Writable || m.Mode == sandbox.ReadOnly && m.Gone == sandbox.Wait {
		return ""
	}
	if m.Mode == sandbox.Skeleton {
		if enclosing(plan, filepath.Dir(m.Path)).Mode == sandbox.Skeleton {
			return "" // it hangs in the box's own files
		}
		return "the run ends when you move or replace the directory itself, and for milliseconds until then the role may read what has its name"
	}
	may := "write"
	switch {
	case m.Mode == sandbox.Empty && m.Gone == sandbox.Wait:
		may = "read"
	case m.Mode == sandbox.Empty:
		may = "read and write"
	}
	s := fmt.Sprintf("for a moment after you replace it in a run, milliseconds as a rule, the role may %s the new one, and make it itself when you remove it", may)
	s += "; the run ends if a process takes hold of that and is seen to keep it"
	switch m.Gone {
	case sandbox.StandIn:
		s += "; what is missing for 50 ms is made as an empty directory"
	case sandbox.End:
		s += ", or if it is missing for 50 ms"
	}
	return s
}

// refusedToAll is what people miss of all that the filter refuses, also where
// userns is true.
var refusedToAll = []string{
	"strace and debuggers (ptrace)", "bwrap and unshare -m (mount namespaces)", "io_uring",
	"unix datagrams and socketpair(SOCK_DGRAM)", "perf and bpf",
}

// open lists what this version does not hold a command to.
func open(writes bool) []string {
	list := []string{
		"a FIFO that stands in the repository, in the home directory, beside a grant outside them or in a directory that is shown below a temporary one can be written to, whoever owns it",
		"a file that has another name (a hard link) in the territory or in scratch can be read and written by that name",
		"a directory that you move out of the territory during a run can be written by a process that stood in it, and for some milliseconds by others",
		"the mode of the terminal that the run was started in can be changed",
	}
	if writes {
		list = append(list,
			"a repository inside the territory: its .git can be written, and what its hooks and settings name runs when you use it",
			"control files in the territory (.envrc, .mcp.json, .vscode, hooks folders and their like) can be written, and what they name may run outside, as may what PATH or a link in your home leads to in it")
	}
	return list
}
