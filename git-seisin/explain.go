package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
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
			"create it. The exit status is 0 if it is allowed, 1 if it is denied and 2\n" +
			"if the question cannot be answered.",
		Flags:  []cli.Flag{jsonFlag()},
		Action: a.question(0, 3, a.explain),
	}
}

// A explained is the answer to one question.
type explained struct {
	Op       sandbox.Op      `json:"op"`
	Target   string          `json:"target"` // relative to the root, where it lies there
	Path     string          `json:"path"`   // real and absolute; "" for connect
	Exists   bool            `json:"exists"`
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
	Fixed   bool     `json:"fixed"` // it can be written, and not removed, renamed or replaced
	Notes   []string `json:"notes"`
}

var operations = []sandbox.Op{sandbox.OpRead, sandbox.OpWrite, sandbox.OpConnect}

func (a *app) explain(c *cli.Context, args []string) (*reply, error) {
	if len(args) < 2 || slices.Contains(operations, sandbox.Op(args[len(args)-1])) && !slices.Contains(operations, sandbox.Op(args[len(args)-2])) {
		return nil, &usageError{msg: "an operation and a target are needed", hint: c.Command.HelpName + " " + c.Command.ArgsUsage, code: exitUsage}
	}
	role, args := args[:len(args)-2], args[len(args)-2:]
	e := &explained{Op: sandbox.Op(args[0])}
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
	if err != nil {
		return nil, err
	}
	asked := answers
	if len(role) > 0 {
		asked = slices.DeleteFunc(slices.Clone(answers), func(x *settings.Answer) bool { return x.Spec.Role != role[0] })
		if len(asked) == 0 { // it is among the refused
			_, _, err := l.role(role[0], false)
			return nil, err
		}
	}
	if err := e.find(l, args[1]); err != nil {
		return nil, err
	}
	for _, answer := range asked {
		e.Verdicts = append(e.Verdicts, e.judge(l, answer.Spec.Plan()))
	}
	if e.Op != sandbox.OpConnect {
		owner := settings.OwnersOf(answers).Of(e.Path)
		e.Owner = &owner
	}
	r := &reply{result: e, text: e.text, problems: a.tellRefused(refused), code: exitNo}
	if slices.ContainsFunc(e.Verdicts, func(v verdict) bool { return v.Allowed }) {
		r.code = exitOK
	}
	return r, nil
}

// find resolves what is asked about.
func (e *explained) find(l *loaded, target string) (err error) {
	e.Target = target
	if e.Op == sandbox.OpConnect && !strings.Contains(target, "/") {
		return nil // a host
	}
	if e.Path, err = l.path(target); err != nil {
		return err
	}
	e.Target = l.show(e.Path)
	info, err := os.Lstat(e.Path)
	e.Exists = err == nil
	e.FIFO = err == nil && info.Mode()&fs.ModeNamedPipe != 0
	return nil
}

// judge asks the plan that the box is built from.
func (e *explained) judge(l *loaded, plan sandbox.Plan) verdict {
	v := verdict{Role: plan.Spec.Role, Act: string(e.Op), Notes: []string{}}
	granted := isGrant(plan, e.Path)
	switch {
	case e.Op == sandbox.OpConnect && e.Path == "":
		answer := plan.Verdict(e.Op, e.Target)
		v.Allowed, v.Rule = answer.Allowed, answer.Rule
		return v
	case e.Op != sandbox.OpWrite:
		answer := plan.Verdict(e.Op, e.Path)
		v.Allowed, v.Rule = answer.Allowed, answer.Rule
		return v
	case !e.Exists && !granted:
		// Nothing is there to write: it is the name that would be made.
		v.Act = "create"
		answer := plan.Verdict(sandbox.OpReplace, e.Path)
		v.Allowed, v.Rule = answer.Allowed, answer.Rule
	default:
		answer := plan.Verdict(sandbox.OpWrite, e.Path)
		v.Allowed, v.Rule = answer.Allowed, answer.Rule
		v.Fixed = v.Allowed && !plan.Verdict(sandbox.OpReplace, e.Path).Allowed
	}
	if !v.Allowed && e.FIFO {
		v.Notes = append(v.Notes, "it is a FIFO: in this version one that stands already may be written to all the same")
	}
	if !v.Allowed {
		return v
	}
	if !e.Exists && granted {
		v.Notes = append(v.Notes, "it does not exist: it is made empty for the run, and removed after it if it is still empty")
	}
	if v.Fixed && enclosing(plan, e.Path).Kind == sandbox.File {
		v.Notes = append(v.Notes, "it is written in place: tools that save by rename need the directory")
	}
	if apart := grantedApart(plan, e.Path); len(apart) > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("a rename between %s and %s fails with EXDEV, and mv copies: they are granted apart", l.show(enclosing(plan, e.Path).Path), showAll(l, apart)))
	}
	return v
}

// isGrant reports whether p is the name of a grant that is a mount. A run makes
// those that do not exist, and no others.
func isGrant(plan sandbox.Plan, p string) bool {
	m := enclosing(plan, p)
	return m.Path == p && m.Mode == sandbox.Writable && !m.Own && !m.Pin
}

// enclosing returns the deepest mount at p or above it. There is one at "/".
func enclosing(plan sandbox.Plan, p string) (deepest sandbox.Mount) {
	for _, m := range plan.Mounts {
		if sandbox.Within(p, m.Path) && len(m.Path) >= len(deepest.Path) {
			deepest = m
		}
	}
	return deepest
}

// grantedApart lists the other writable directories of the territory that p
// cannot be moved to by its name alone.
func grantedApart(plan sandbox.Plan, p string) (dirs []string) {
	here := enclosing(plan, p)
	if here.Own || here.Kind == sandbox.File || !inTerritory(plan.Spec, here) {
		return nil
	}
	for _, m := range plan.Mounts {
		if m.Path != here.Path && m.Mode == sandbox.Writable && m.Kind == sandbox.Dir && inTerritory(plan.Spec, m) {
			dirs = append(dirs, m.Path)
		}
	}
	return dirs
}

func inTerritory(spec sandbox.Spec, m sandbox.Mount) bool {
	return slices.ContainsFunc(spec.Write, func(g sandbox.Grant) bool {
		return g.Part == sandbox.Territory && sandbox.Within(m.Path, g.Path)
	})
}

// showAll names a few of dirs and counts the rest.
func showAll(l *loaded, dirs []string) string {
	const few = 3
	var names []string
	for _, dir := range dirs {
		if len(names) == few {
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(dirs)-few)
		}
		names = append(names, l.show(dir))
	}
	return strings.Join(names, ", ")
}

func (e *explained) text(w io.Writer) {
	for _, v := range e.Verdicts {
		fmt.Fprintln(w, printable(e.sentence(v)))
		if len(e.Verdicts) > 1 && !e.FIFO {
			continue // a line a role, unless it is not the whole truth
		}
		for _, n := range v.Notes {
			fmt.Fprintln(w, "  "+printable(n))
		}
	}
}

// sentence is the verdict in words: `dev may not write docs/a: no grant of
// role "dev" covers it; it belongs to docs`.
func (e *explained) sentence(v verdict) string {
	may, to := "may", ""
	if !v.Allowed {
		may = "may not"
	}
	if e.Op == sandbox.OpConnect {
		to = "to "
	}
	s := fmt.Sprintf("%s %s %s %s%s: %s", v.Role, may, v.Act, to, e.Target, v.Rule)
	switch {
	case v.Fixed:
		s += "; it cannot be removed, renamed or replaced"
	case v.Allowed || e.Op != sandbox.OpWrite || e.Owner.Why != "":
	case len(e.Owner.Roles) == 0:
		s += "; no role owns it"
	default:
		// Another role may take this one's place: hand it over, rather than
		// work around it (UA-35).
		s += "; it belongs to " + strings.Join(e.Owner.Roles, ", ")
	}
	return s
}
