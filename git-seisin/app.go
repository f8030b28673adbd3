package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"
)

// version is set by the release build.
var version = "0.1.0-dev"

// An app is one call of the program.
type app struct {
	stdin          *os.File
	stdout, stderr io.Writer
}

// command is the command line as the library sees it, with the library's
// habits turned off that this program does not share: it prints errors and
// exits by itself, prints usage on stdout, answers an unknown command with
// help, splits values at commas, and takes "h" and "help", which are legal
// role names, for commands.
func (a *app) command() *cli.App {
	top := &cli.App{
		Name:      "git-seisin",
		HelpName:  "git seisin", // what people type
		Usage:     "run coding agents in the roles that seisin.toml grants",
		UsageText: "git seisin COMMAND [flags] [arguments]",
		Writer:    a.stdout,
		ErrWriter: a.stderr,

		ExitErrHandler:            func(*cli.Context, error) {},
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,
		HideVersion:               true, // its alias -v; ours has none
		Flags:                     []cli.Flag{&cli.BoolFlag{Name: "version", Usage: "print the version"}},
		Before: func(c *cli.Context) error {
			if c.Bool("version") && c.Args().Present() {
				return &usageError{msg: fmt.Sprintf("unexpected argument %q", c.Args().First()), hint: "--version stands alone", code: exitUsage}
			}
			return nil
		},
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				_, err := fmt.Fprintln(a.stdout, "git-seisin", fullVersion())
				return err
			}
			return group(c)
		},
		Commands: []*cli.Command{
			a.runCommand(), a.checkCommand(), a.explainCommand(), a.whoseCommand(), a.settingsCommand(),
		},
	}
	plainFlags(top.Flags)
	harden(top.Commands)
	top.OnUsageError = onUsage(exitUsage)
	return top
}

func fullVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return version + " (" + s.Value[:12] + ")"
		}
	}
	return version
}

// harden sets on every command what the library does not inherit.
func harden(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelpCommand = true
		c.Description += "\n\nThe manual: man git-seisin-" + c.Name
		plainFlags(c.Flags)
		c.SkipFlagParsing = c.Action != nil && len(c.Subcommands) == 0 // words does it
		c.OnUsageError = onUsage(usageCode(c.Name))
		harden(c.Subcommands)
	}
}

// plainFlags keeps "(default: false)" out of the help.
func plainFlags(flags []cli.Flag) {
	for _, f := range flags {
		if b, ok := f.(*cli.BoolFlag); ok {
			b.DisableDefaultText = true
		}
	}
}

func usageCode(name string) int {
	if name == "run" || name == "shell" {
		return exitNotStarted // below that, the code is the command's own
	}
	return exitUsage
}

// A usageError is a command line that cannot be understood.
type usageError struct {
	msg, hint string
	code      int
}

func (e *usageError) Error() string { return e.msg }
func (e *usageError) Hint() string  { return e.hint }

func onUsage(code int) cli.OnUsageErrorFunc {
	return func(c *cli.Context, err error, _ bool) error {
		msg := err.Error()
		if name, ok := strings.CutPrefix(msg, "flag provided but not defined: "); ok {
			msg = fmt.Sprintf("unknown flag %q", name)
		}
		return &usageError{msg: msg, hint: "see " + helpLine(c), code: code}
	}
}

// ownError is err in this program's words: the library has an error of its
// own for "-h NAME", with a code of its own.
func ownError(err error) error {
	if e, ok := errors.AsType[cli.ExitCoder](err); ok {
		return &usageError{msg: strings.ToLower(e.Error()[:1]) + e.Error()[1:], hint: "see git seisin -h", code: exitUsage}
	}
	return err
}

func helpLine(c *cli.Context) string {
	if c.Command == nil || c.Command.Name == "git-seisin" || c.Command.Name == "" {
		return "git seisin -h"
	}
	return "git seisin " + c.Command.Name + " -h"
}

// group is the action of a command that has only subcommands.
func group(c *cli.Context) error {
	if name := c.Args().First(); name != "" {
		return &usageError{msg: fmt.Sprintf("no command %q", name), hint: "see git seisin -h", code: exitUsage}
	}
	return &usageError{msg: "which command?", hint: "see git seisin -h", code: exitUsage}
}
