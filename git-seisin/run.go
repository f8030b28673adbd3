package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"seisin/internal/launch"
	"seisin/internal/roles"
	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
	"seisin/internal/settings"
)

func (a *app) runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "run a command in a role's box",
		ArgsUsage: "ROLE [--] [COMMAND [ARGUMENTS...]]",
		Description: "Without COMMAND the role's own command is run. The exit status is the\n" +
			"command's; 125 says that it was not started, 126 that it cannot be\n" +
			"executed, 127 that there is no such command.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "observe", Usage: "let the role write in the whole repository"},
			&cli.BoolFlag{Name: "yes", Usage: "accept the policy as it is; it does nothing in this version"},
			&cli.BoolFlag{Name: "quiet", Usage: "say nothing but errors"},
		},
		Action: a.run,
	}
}

func (a *app) run(c *cli.Context) error {
	ours, command, err := wordsAndCommand(c, 1)
	if err != nil {
		return err
	}
	exit, err := a.runRole(c, ours[0], command)
	if errors.Is(err, launch.ErrTimeout) {
		return &timeoutError{err, exit}
	}
	if err != nil {
		return &runError{err}
	}
	if exit.Signal != 0 {
		return &signalError{exit}
	}
	if status := exit.Status(); status != 0 {
		return &statusError{status}
	}
	return nil
}

func (a *app) runRole(c *cli.Context, name string, command []string) (sandbox.Exit, error) {
	if role := inside(); role != "" {
		return sandbox.Exit{}, &insideError{role}
	}
	provider := native.New()
	provider.Begin()
	defer provider.End()
	l, err := load()
	if err != nil {
		return sandbox.Exit{}, err
	}
	answer, role, err := l.role(name, c.Bool("observe"))
	if err != nil {
		return sandbox.Exit{}, err
	}
	if len(command) == 0 {
		command = role.Command
	}
	switch {
	case len(command) == 0:
		return sandbox.Exit{}, &noCommandError{role}
	case command[0] == "":
		return sandbox.Exit{}, &usageError{msg: "the command is empty", hint: "name a program first, and then its arguments", code: exitNotStarted}
	}
	say := func(format string, args ...any) {
		if !c.Bool("quiet") {
			fmt.Fprintf(a.stderr, "git-seisin: %s\n", printable(fmt.Sprintf(format, args...)))
		}
	}
	dieWithGit()
	seed := l.seed(answer)
	exit, err := launch.Run{
		Provider: provider, Spec: answer.Spec, State: l.machine.State(), Command: command,
		In: a.stdin, Out: file(a.stdout), Err: file(a.stderr), Note: say,
		Seed: seed,
		Checked: func() error {
			if l.lacks(answer.Spec, command[0]) {
				return &sandbox.StartError{Command: command[0], NotFound: true, Why: "command not found"}
			}
			a.header(say, l, answer, role, c)
			return nil
		},
	}.Do(context.Background())
	if e, ok := errors.AsType[*sandbox.StartError](err); ok {
		err = &startError{err, e.NotFound, e.Why}
	}
	for _, h := range streamHints {
		if err != nil && strings.HasSuffix(err.Error(), h.why) {
			err = &hintedError{err, h.hint}
		}
	}
	return exit, err
}

// streamHints go by what the launch says of a standard stream.
var streamHints = []struct{ why, hint string }{
	{"standard input is a directory", "give it a file, a pipe or nothing: < /dev/null"},
	{"standard output is a directory", "give it a file or a pipe: > /dev/null"},
	{"standard error is a directory", "give it a file or a pipe: 2> /dev/null"},
}

// A startError is a command that could not be started, and what to do.
type startError struct {
	error
	notFound bool
	why      string
}

func (e *startError) Unwrap() error { return e.error }

func (e *startError) Hint() string {
	if e.notFound {
		return "it is looked for on the box's PATH, which is yours, or at the path that it is given by"
	}
	for _, h := range startHints {
		if strings.Contains(e.why, h.why) {
			return h.hint
		}
	}
	return "make it executable, or name the program that reads it: sh FILE"
}

// startHints go by what the provider says of a file that is there.
var startHints = []struct{ why, hint string }{
	{"is a directory", "name a program in it"},
	{"interpreter", "install what its first line names, change that line, or name the program that reads it: sh FILE"},
	{"#!", "begin it with a line such as #!/bin/sh, or name the program that reads it: sh FILE"},
}

// A noCommandError reports a run that has nothing to run.
type noCommandError struct{ role *roles.Role }

func (e *noCommandError) Error() string {
	return fmt.Sprintf("role %q has no command of its own, and none was given", e.role.Name)
}

func (e *noCommandError) Hint() string {
	return fmt.Sprintf("git seisin run %s -- COMMAND, or command = [\"…\"] in [roles.%s]", e.role.Name, e.role.Name)
}

// A timeoutError reports a command that was ended when its time had passed.
type timeoutError struct {
	error
	exit sandbox.Exit
}

func (e *timeoutError) Unwrap() error { return e.error }

// code is the command's own status, but for a polite 0: a run that was cut
// short has not succeeded (UA-8).
func (e *timeoutError) code() int {
	if s := e.exit.Status(); s != exitOK {
		return s
	}
	return 128 + int(syscall.SIGTERM)
}

// header says in a few lines what this box is, before it runs.
func (*app) header(say func(string, ...any), l *loaded, answer *settings.Answer, role *roles.Role, c *cli.Context) {
	kept, _ := l.writes(role, answer)
	say("%s", summary(answer, role, values(kept), c.Bool("observe")))
	say("%s", strings.Join(answer.Later, " · "))
	if !l.policy.Runtime.IsolateSet {
		// Who wrote isolate = false has read it already.
		say("%s", isolation(l.policy, role))
	}
	if files := inPlace(l, answer.Spec); len(files) > 0 {
		say("%s: written in place; a tool that saves by rename needs the directory", strings.Join(files, " "))
	}
	for _, line := range reaches(l, answer.Spec) {
		say("%s", line)
	}
	for _, n := range answer.Notes {
		say("%s", n.What)
	}
	if c.Bool("yes") {
		say("--yes does nothing: approval is not in this version")
	}
}

// reaches says in a line each what the policy opens besides files.
func reaches(l *loaded, spec sandbox.Spec) (lines []string) {
	if len(spec.Sockets) > 0 {
		line := "sockets: may connect to " + grantNames(l, spec.Sockets)
		if shown := part(spec.Shown, sandbox.Socket); len(shown) > 0 {
			line += "; " + grantNames(l, shown) + " can be read for that"
		}
		lines = append(lines, line)
	}
	if spec.UserNS {
		lines = append(lines, "userns: "+userNS(os.Geteuid()))
	}
	return lines
}

// userNS says what userns = true is worth. Of a box that root started only uid
// 0 is mapped, and to map that one anew takes a capability, which no box has.
func userNS(uid int) string {
	if uid == 0 {
		return "may make user namespaces, which are of no use to root: their uid_map cannot be written"
	}
	return "may make user namespaces"
}

func grantNames(l *loaded, grants []sandbox.Grant) string {
	var names []string
	for _, g := range grants {
		names = append(names, l.name(place{Path: g.Path, Kind: g.Kind}))
	}
	return strings.Join(names, " ")
}

// inPlace lists the files that are granted by themselves. An agent that is not
// told takes the refusal of a file beside them for a fault (C16).
func inPlace(l *loaded, spec sandbox.Spec) (files []string) {
	for _, g := range spec.Write {
		if g.Part == sandbox.Territory && g.Kind == sandbox.File && isGrant(spec.Plan(), g.Path) && !settings.Sidecar(g) {
			files = append(files, l.show(g.Path))
		}
	}
	return files
}

func summary(answer *settings.Answer, role *roles.Role, writes []string, observe bool) string {
	scratch := 0
	for _, g := range slices.Concat(answer.Spec.Write, answer.Spec.Private) {
		if g.Part == sandbox.Scratch || g.Part == sandbox.Temporary {
			scratch++
		}
	}
	if observe {
		return fmt.Sprintf("%s: OBSERVING: the whole repository is writable but for what is closed to every role (+%d scratch), the network is NOT there, and nothing is recorded in this version", role.Name, scratch)
	}
	return fmt.Sprintf("%s: writes %s (+%d scratch)", role.Name, nothingOr(writes), scratch)
}

// file is w if it is one, as in the real program.
func file(w any) *os.File {
	f, _ := w.(*os.File)
	return f
}
