package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// This file reads a command's arguments. The library stops at the first word
// that is no flag, and people write flags after it.

// errHelp asks for the command's help in place of what it does.
type helpError struct{ error }

// words reads flags, wherever they stand, and returns the other words. A "--"
// ends the flags. There must be least to most of them; most < 0 is any number.
func words(c *cli.Context, least, most int) ([]string, error) {
	w := reader{c: c, code: usageCode(c.Command.Name)}
	if err := w.read(-1); err != nil {
		return nil, err
	}
	switch n := len(w.words); {
	case n < least:
		return nil, w.usage("which %s?", strings.ToLower(strings.Trim(strings.Fields(c.Command.ArgsUsage)[n], ".")))
	case most >= 0 && n > most:
		return nil, w.usage("unexpected argument %q", strings.Join(w.words[most:], " "))
	}
	return w.words, nil
}

// wordsAndCommand reads count words with flags among them and after them, and
// then a command: it begins at the first word that is neither a flag of ours
// nor its value, or after "--". From there on nothing is ours.
func wordsAndCommand(c *cli.Context, count int) (ours, command []string, err error) {
	w := reader{c: c, code: usageCode(c.Command.Name)}
	if err := w.read(count); err != nil {
		return nil, nil, err
	}
	if len(w.words) < count {
		return nil, nil, &usageError{msg: "which role?", hint: "git seisin check lists them", code: w.code}
	}
	if w.ended && len(w.rest) == 0 {
		return nil, nil, w.usage(`nothing after "--"`)
	}
	return w.words, w.rest, nil
}

type reader struct {
	c     *cli.Context
	code  int
	words []string
	rest  []string // the command
	ended bool     // by "--"
}

// read stops at a word beyond most, which begins the command; most < 0 is no
// such word.
func (w *reader) read(most int) error {
	args := w.c.Args().Slice()
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			w.ended = true
			after := args[i+1:]
			if most >= 0 {
				n := min(most-len(w.words), len(after))
				w.words = append(w.words, after[:n]...)
				w.rest = after[n:]
				return nil
			}
			w.words = append(w.words, after...)
			return nil
		case strings.HasPrefix(a, "-") && a != "-":
			took, err := w.flag(args[i:])
			if err != nil {
				return err
			}
			i += took - 1
		case most >= 0 && len(w.words) == most:
			w.rest = args[i:]
			return nil
		default:
			w.words = append(w.words, a)
		}
	}
	return nil
}

// flag sets the flag that args begins with and returns how many words it took.
func (w *reader) flag(args []string) (took int, err error) {
	name, value, has := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
	if name == "h" || name == "help" {
		return 0, &helpError{cli.ShowSubcommandHelp(w.c)}
	}
	i := slices.IndexFunc(w.c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		e := w.usage("unknown flag %q", args[0])
		if len(w.words) > 0 && w.code == exitNotStarted {
			e.hint = fmt.Sprintf(`flags for the command go after "--": git seisin %s %s -- COMMAND %s`, w.c.Command.Name, w.words[0], args[0])
		}
		return 0, e
	}
	took = 1
	_, isBool := w.c.Command.Flags[i].(*cli.BoolFlag)
	switch {
	case isBool && !has:
		value = "true"
	case !has:
		if len(args) < 2 {
			return 0, w.usage("flag %s needs a value", args[0])
		}
		value, took = args[1], 2
	}
	if err := w.c.Set(name, value); err != nil {
		return 0, w.usage("flag %s: %v", args[0], err)
	}
	return took, nil
}

func (w *reader) usage(format string, args ...any) *usageError {
	return &usageError{msg: fmt.Sprintf(format, args...), hint: "see " + helpLine(w.c), code: w.code}
}
