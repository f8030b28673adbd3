package main

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"seisin/internal/sandbox"
	"seisin/internal/settings"
)

func (a *app) whoseCommand() *cli.Command {
	return &cli.Command{
		Name:      "whose",
		Usage:     "say which roles own a path",
		ArgsUsage: "PATH...",
		Description: "A role owns what its territory covers and its box lets it write. The paths\n" +
			"are relative to the current directory, and need not exist. The permissions of\n" +
			"files are not asked: git seisin explain does that.",
		Flags:  []cli.Flag{jsonFlag()},
		Action: a.question(1, -1, a.whose),
	}
}

// An owned is one line of the answer.
type owned struct {
	Path string `json:"path"` // real and absolute
	Name string `json:"name"` // relative to the root, where it lies there
	settings.Owner
}

func (a *app) whose(_ *cli.Context, args []string) (*reply, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	answers, refused, err := l.all()
	if err != nil {
		return nil, err
	}
	ask := newOwnership(l, answers)
	list := []owned{}
	for _, arg := range args {
		if arg == "" {
			return nil, &usageError{msg: "a path is empty", hint: "for the directory you are in write .", code: exitUsage}
		}
		o, err := ask.of(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	r := &reply{result: map[string]any{"paths": list}, problems: a.tellProblems(l, refused)}
	r.text = func(w io.Writer) {
		for _, o := range list {
			fmt.Fprintf(w, "%s: %s\n", printable(o.Name), ownerWords(o.Owner))
		}
	}
	return r, nil
}

// An ownership answers whose a name is. Where it lies is the same for all
// roles, but for what a grant puts into a place of the run's own.
type ownership struct {
	*loaded
	plan   sandbox.Plan
	owners settings.Owners
}

func newOwnership(l *loaded, answers []*settings.Answer) ownership {
	o := ownership{loaded: l, plan: sandbox.Spec{}.Plan(), owners: settings.OwnersOf(answers, l.claims(answers))}
	if len(answers) > 0 {
		o.plan = answers[0].Spec.Plan()
	}
	return o
}

func (o ownership) of(arg string) (owned, error) {
	s, err := seek(o.loaded, o.plan, arg, o.path(arg))
	if err != nil {
		return owned{}, err
	}
	owner := o.owners.Of(s.path)
	switch {
	case s.wrong != "":
		owner = settings.Owner{Roles: []string{}, Refused: []string{}, Why: s.wrong}
	case len(owner.Roles) == 0 && inBuiltin(s.path):
		owner.Why = enclosing(o.plan, s.path).Rule
	}
	return owned{Path: s.path, Name: s.show(o.loaded, arg), Owner: owner}, nil
}

// inBuiltin reports whether p lies in what every box has, whatever its policy.
func inBuiltin(p string) bool {
	for ; p != "/"; p = path.Dir(p) {
		if sandbox.Builtin(p) {
			return true
		}
	}
	return false
}

func ownerWords(o settings.Owner) string {
	switch {
	case len(o.Roles)+len(o.Refused) > 0:
		return ownerNames(o)
	case o.Every:
		return "every role: " + o.Why
	case o.Why != "":
		return "no role: " + o.Why
	}
	return "nobody"
}

// ownerNames lists the roles that own a path: "dev, docs (refused)".
func ownerNames(o settings.Owner) string {
	names := slices.Clone(o.Roles)
	for _, role := range o.Refused {
		names = append(names, role+" (refused)")
	}
	return strings.Join(names, ", ")
}

// tellProblems says which roles an answer leaves out, since a role that cannot
// run owns nothing now, and may own something once it is mended; and that none
// can run.
func (a *app) tellProblems(l *loaded, refused []error) (problems []problem) {
	for _, err := range refused {
		fmt.Fprintf(a.stderr, "git-seisin: left out: %s\n", printable(err.Error()))
		problems = append(problems, problemsOf(err)...)
	}
	return append(problems, a.tellMachine(l)...)
}
