package main

import (
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"seisin/internal/sandbox/sandboxtest"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

func TestMain(m *testing.M) {
	// The real main, stages and exit codes included.
	sandboxtest.Main(m, map[string]func(){"git-seisin": main})
}

// TestScript runs the scripts, each in a directory outside /tmp: a box has a
// /tmp of its own, and people's repositories seldom lie there. Those that do
// have scripts of their own.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		WorkdirRoot:         sandboxtest.Home(t),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"listen": listen,
		},
	})
}

// setup gives a script a home, and a git that reads none of the developer's
// own settings.
func setup(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	e.Setenv("HOME", home)
	e.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		e.Setenv("GIT_"+who+"_NAME", "test")
		e.Setenv("GIT_"+who+"_EMAIL", "test@example.com")
	}
	e.Setenv("GORACE", "atexit_sleep_ms=0") // each start of the race build would end with a second of sleep
	return os.MkdirAll(home, 0o700)
}

// exits runs a program that must end with one exit status and no other:
//
//	exits CODE program [args...]
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode() // -1: ended by a signal
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("got exit status %d, want %d", got, want)
	}
}

// listen makes a stream socket, or one of another network of package net, that
// is there until the script ends:
//
//	listen NETWORK PATH
func listen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: listen NETWORK PATH")
	}
	var c io.Closer
	var err error
	if name := ts.MkAbs(args[1]); args[0] == "unixgram" {
		c, err = net.ListenPacket(args[0], name)
	} else {
		c, err = net.Listen(args[0], name)
	}
	ts.Check(err)
	ts.Defer(func() { _ = c.Close() })
}
