package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"seisin/internal/launch"
	"seisin/internal/sandbox"
)

// This file is the only one that prints an error. The rules are:
//
//   - one "error:" line says what failed and why, in lower case, no full stop;
//   - each "hint:" line says one thing the user can do about it;
//   - the text may hold strings from seisin.toml, so it is escaped here, once.
//
// Exit codes are part of the interface, and scripts rely on them.
const (
	exitOK         = 0
	exitNo         = 1   // the answer is no
	exitUsage      = 2   // the question, or the policy, is bad
	exitNotStarted = 125 // run refused, or failed before the command started
	exitNotRun     = 126 // the command is there and cannot be executed
	exitNotFound   = 127 // there is no such command
)

// report prints err, if there is one to print, and returns its exit code.
func (a *app) report(err error) int {
	if err == nil {
		return exitOK
	}
	if s, ok := errors.AsType[*statusError](err); ok {
		return s.code
	}
	if s, ok := errors.AsType[*signalError](err); ok {
		launch.Die(s.exit, a.stdin, file(a.stdout)) // returns where the status says it
		return s.exit.Status()
	}
	if h, ok := errors.AsType[*helpError](err); ok {
		if h.error == nil {
			return exitOK
		}
		err = h.error
	}
	fmt.Fprintf(a.stderr, "git-seisin: error: %s\n", printable(err.Error()))
	if h, ok := errors.AsType[hinter](err); ok {
		for line := range strings.Lines(h.Hint()) {
			if line = strings.TrimSpace(line); line != "" {
				fmt.Fprintf(a.stderr, "git-seisin: hint: %s\n", printable(line))
			}
		}
	}
	return exitCode(err)
}

// A hinter is an error that knows what the user can do about it.
type hinter interface {
	error
	Hint() string
}

// A statusError carries an exit status and nothing to say: the command's own,
// or a "no" that is printed already.
type statusError struct{ code int }

func (e *statusError) Error() string { return fmt.Sprintf("exit status %d", e.code) }

// A signalError is a command that ended by a signal, which has nothing to say
// either.
type signalError struct{ exit sandbox.Exit }

func (e *signalError) Error() string { return fmt.Sprintf("signal %d", e.exit.Signal) }

// A runError is whatever kept a command from being started by run.
type runError struct{ error }

func (e *runError) Unwrap() error { return e.error }

func exitCode(err error) int {
	if s, ok := errors.AsType[*sandbox.StartError](err); ok {
		if s.NotFound {
			return exitNotFound
		}
		return exitNotRun
	}
	if u, ok := errors.AsType[*usageError](err); ok {
		return u.code
	}
	if t, ok := errors.AsType[*timeoutError](err); ok {
		return t.code()
	}
	if _, ok := errors.AsType[*runError](err); ok {
		return exitNotStarted
	}
	return exitUsage
}

// printable shows what a terminal would act on, or show in another order than
// it is written, as an escape.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
