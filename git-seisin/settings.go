package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"seisin/internal/settings"
)

func (a *app) settingsCommand() *cli.Command {
	return &cli.Command{
		Name:      "settings",
		Usage:     "print all that a role's box may reach, for programs",
		ArgsUsage: "ROLE",
		Description: "The answer is JSON, with --json or without. With --srt it is a settings\n" +
			"file for sandbox-runtime, and what that cannot say is named on stderr.",
		Flags: []cli.Flag{
			jsonFlag(),
			&cli.BoolFlag{Name: "srt", Usage: "print a settings file for sandbox-runtime"},
			&cli.BoolFlag{Name: "observe", Usage: "as run --observe would have it"},
			&cli.StringFlag{Name: "spool", Usage: "with --srt: the role may connect to the socket at `PATH`"},
		},
		Action: a.question(1, 1, a.settings),
	}
}

func (a *app) settings(c *cli.Context, args []string) (*reply, error) {
	spool := c.String("spool")
	switch {
	case c.Bool("srt") && c.Bool("json"):
		return nil, &usageError{msg: "--srt and --json exclude each other", hint: "a settings file stands alone, without anything around it", code: exitUsage}
	case c.IsSet("spool") && !c.Bool("srt"):
		return nil, &usageError{msg: "--spool is for --srt", hint: "a run in the native box has no spool in this version", code: exitUsage}
	case c.IsSet("spool") && spool == "":
		return nil, &usageError{msg: "--spool is empty", hint: "give it the path of a socket", code: exitUsage}
	}
	l, err := load()
	if err != nil {
		return nil, err
	}
	answer, role, err := l.role(args[0], c.Bool("observe"))
	if err != nil {
		return nil, err
	}
	if !c.Bool("srt") {
		if err := l.held(role, answer); err != nil {
			return nil, err
		}
		return &reply{result: answer.Spec, problems: a.tellMachine(l)}, nil
	}
	if spool != "" {
		// Sandbox-runtime shows the host's own /tmp, and so the host's links.
		if spool, err = settings.RealPath(l.path(spool)); err != nil {
			return nil, &loopError{c.String("spool"), c.String("spool")}
		}
	}
	file, left, err := settings.SRT(answer, role, l.policy, spool)
	if err != nil {
		return nil, err
	}
	for _, what := range left {
		fmt.Fprintf(a.stderr, "git-seisin: %s\n", printable(what))
	}
	b, err := encode(file)
	return &reply{text: func(w io.Writer) { _, _ = w.Write(b) }}, err
}
