package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"seisin/internal/settings"
)

func (a *app) whoseCommand() *cli.Command {
	return &cli.Command{
		Name:      "whose",
		Usage:     "say which roles own a path",
		ArgsUsage: "PATH...",
		Description: "A role owns what its territory covers and its box lets it write. The paths\n" +
			"are relative to the current directory, and need not exist.",
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
	owners := settings.OwnersOf(answers)
	list := []owned{}
	for _, arg := range args {
		if arg == "" {
			return nil, &usageError{msg: "a path is empty", hint: "for the directory you are in write .", code: exitUsage}
		}
		p, err := l.path(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, owned{Path: p, Name: l.show(p), Owner: owners.Of(p)})
	}
	r := &reply{result: map[string]any{"paths": list}, problems: a.tellRefused(refused)}
	r.text = func(w io.Writer) {
		for _, o := range list {
			fmt.Fprintf(w, "%s: %s\n", printable(o.Name), ownerWords(o.Owner))
		}
	}
	return r, nil
}

func ownerWords(o settings.Owner) string {
	switch {
	case len(o.Roles) > 0:
		return strings.Join(o.Roles, ", ")
	case o.Every:
		return "every role: " + o.Why
	case o.Why != "":
		return "no role: " + o.Why
	}
	return "nobody"
}

// tellRefused says which roles an answer leaves out, since a role that cannot
// run owns nothing now, and may own something once it is mended.
func (a *app) tellRefused(refused []error) (problems []problem) {
	for _, err := range refused {
		fmt.Fprintf(a.stderr, "git-seisin: left out: %s\n", printable(err.Error()))
		problems = append(problems, problemsOf(err)...)
	}
	return problems
}
