package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"seisin/internal/sandbox"
	"seisin/internal/settings"
)

func (a *app) explainCommand() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "say whether a role may do something, and by which rule",
		ArgsUsage: "[ROLE] read|write|connect TARGET",
		Description: "Without ROLE every role answers. To write a path that does not exist is to\n" +
			"create it. The exit status is 0 if it can be done, 1 if the box or the\n" +
			"permissions of files deny it, and 2 if the question cannot be answered.",
		Flags:  []cli.Flag{jsonFlag()},
		Action: a.question(0, 3, a.explain),
	}
}

// An explained is the answer to one question.
type explained struct {
	Op       sandbox.Op      `json:"op"`
	Target   string          `json:"target"`   // relative to the root, where it lies there
	Path     string          `json:"path"`     // real and absolute; "" for a host
	Exists   bool            `json:"exists"`   // in a box that starts now, but for what is made for it
	FIFO     bool            `json:"fifo"`     // one that stands already is not guarded in this version
	Verdicts []verdict       `json:"verdicts"` // in the order of the policy
	Owner    *settings.Owner `json:"owner"`    // null for connect
}

// A verdict is what one role may do.
type verdict struct {
	Role    string   `json:"role"`
	Act     string   `json:"act"` // what was judged: read, write, create, connect
	Allowed bool     `json:"allowed"`
	Rule    string   `json:"rule"`
	Fixed   bool     `json:"fixed"`  // it can be written, and not removed, renamed or replaced
	Kernel  bool     `json:"kernel"` // the box leaves it to the kernel: what is allowed may fail
	Notes   []string `json:"notes"`

	// Permitted is whether it can be done: the box allows it, and so do the
	// permissions of files. The exit status goes by it.
	Permitted bool `json:"permitted"`

	// Permissions say why it fails where the box allows it: those of the file,
	// or of a directory that leads to it. "" where they let it be done.
	Permissions string `json:"permissions"`
}

var operations = []sandbox.Op{sandbox.OpRead, sandbox.OpWrite, sandbox.OpConnect}

func (a *app) explain(c *cli.Context, args []string) (*reply, error) {
	if len(args) < 2 || slices.Contains(operations, sandbox.Op(args[len(args)-1])) && !slices.Contains(operations, sandbox.Op(args[len(args)-2])) {
		return nil, &usageError{msg: "an operation and a target are needed", hint: c.Command.HelpName + " " + c.Command.ArgsUsage, code: exitUsage}
	}
	role, args := args[:len(args)-2], args[len(args)-2:]
	e := &explained{Op: sandbox.Op(args[0]), Target: args[1], Verdicts: []verdict{}}
	switch {
	case !slices.Contains(operations, e.Op):
		return nil, &usageError{msg: fmt.Sprintf("%q is no operation", args[0]), hint: "the operations are: read, write, connect", code: exitUsage}
	case args[1] == "":
		return nil, &usageError{msg: "the target is empty", hint: "for the directory you are in write .", code: exitUsage}
	}
	l, err := load()
	if err != nil {
		return nil, err
	}
	if len(role) > 0 {
		if _, err := l.policy.Find(role[0]); err != nil {
			return nil, err
		}
	}
	answers, refused, err := l.all()
	if err != nil && len(role) > 0 {
		err = l.why(role[0])
	}
	if err != nil {
		return nil, err
	}
	asked := answers
	if len(role) > 0 {
		refused = nil // of other roles nobody asked
		asked = slices.DeleteFunc(slices.Clone(answers), func(x *settings.Answer) bool { return x.Spec.Role != role[0] })
		if len(asked) == 0 { // it is among the refused
			return nil, l.why(role[0])
		}
	}
	for _, answer := range asked {
		v, err := e.ask(l, answer.Spec.Plan(), args[1])
		if err != nil {
			return nil, err
		}
		e.Verdicts = append(e.Verdicts, v)
	}
	if e.Op != sandbox.OpConnect {
		owner, err := newOwnership(l, answers).of(args[1])
		if err != nil {
			return nil, err
		}
		e.Owner = &owner.Owner
		if len(asked) == 0 { // the policy has no roles
			e.Path, e.Target = owner.Path, owner.Name
		}
	}
	r := &reply{result: e, text: e.text, problems: a.tellProblems(l, refused), code: exitNo}
	if slices.ContainsFunc(e.Verdicts, func(v verdict) bool { return v.Permitted }) {
		r.code = exitOK
	}
	return r, nil
}

// ask puts the question to one role. Where the target lies is the same for all
// of them, but for what a grant puts into a place of the run's own: the first
// role's is told.
func (e *explained) ask(l *loaded, plan sandbox.Plan, target string) (verdict, error) {
	if e.Op == sandbox.OpConnect && !strings.Contains(target, "/") { // a host
		answer := plan.Verdict(e.Op, target)
		return verdict{Role: plan.Spec.Role, Act: string(e.Op), Allowed: answer.Allowed, Permitted: answer.Allowed, Rule: answer.Rule, Notes: []string{}}, nil
	}
	s, err := seek(l, plan, target, l.path(target))
	if err != nil {
		return verdict{}, err
	}
	if len(e.Verdicts) == 0 {
		e.Path, e.Target = s.path, s.show(l, target)
		e.Exists = s.exists && !s.made && !s.unseen && s.wrong == ""
		e.FIFO = s.isFIFO()
	}
	v := judge(l, plan, e.Op, s)
	v.Permitted = v.Allowed && v.Permissions == ""
	return v, nil
}

func (e *explained) text(w io.Writer) {
	var told []string
	for _, v := range e.Verdicts {
		fmt.Fprintln(w, printable(e.sentence(v)))
		for _, n := range v.limits(e.FIFO, len(e.Verdicts) > 1) {
			if !slices.Contains(told, n) { // most are the same for every role
				fmt.Fprintln(w, "  "+printable(n))
				told = append(told, n)
			}
		}
	}
}

// limits are the lines below a verdict. Where many roles answer, they are those
// without which it is not the whole truth.
func (v verdict) limits(fifo, many bool) (list []string) {
	if v.Permissions != "" {
		list = append(list, "the box allows it: "+v.Rule)
	}
	if !many || fifo {
		list = append(list, v.Notes...)
	}
	return list
}

// sentence is the verdict in words: `dev may not write docs/a: no grant of
// role "dev" covers it; it belongs to docs`.
func (e *explained) sentence(v verdict) string {
	may, to := "may", ""
	if !v.Permitted {
		may = "may not"
	}
	if e.Op == sandbox.OpConnect {
		to = "to "
	}
	leave := ""
	if v.Kernel {
		leave = ", if the kernel lets it"
	}
	why := v.Rule
	if v.Permissions != "" {
		why = v.Permissions
	}
	s := fmt.Sprintf("%s %s %s %s%s%s: %s", v.Role, may, v.Act, to, e.Target, leave, why)
	switch {
	case v.Permissions != "":
	case v.Fixed:
		s += "; it cannot be removed, renamed or replaced"
	case v.Allowed || e.Op != sandbox.OpWrite || e.Owner.Why != "":
	case len(e.Owner.Roles)+len(e.Owner.Refused) == 0:
		s += "; no role owns it"
	default:
		// Another role may take this one's place: hand it over, rather than
		// work around it (UA-35).
		s += "; it belongs to " + ownerNames(*e.Owner)
	}
	return s
}
