package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"seisin/internal/launch"
	"seisin/internal/sandbox"
)

// Scripts rely on these.
func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"Done", nil, 0},
		{"TheAnswerIsNo", &statusError{exitNo}, 1},
		{"TheCommandsOwn", &statusError{42}, 42},
		{"BadQuestion", &usageError{code: exitUsage}, 2},
		{"BadPolicyInAQuestion", &noPolicyError{"/w"}, 2},
		{"BadPolicyInARun", &runError{&noPolicyError{"/w"}}, 125},
		{"BadFlagInARun", &runError{&usageError{code: exitNotStarted}}, 125},
		{"NoUserNamespaces", &runError{&sandbox.UnsupportedError{Feature: "x"}}, 125},
		{"NotExecutable", &runError{&sandbox.StartError{Command: "x"}}, 126},
		{"NotFound", &runError{&startError{&sandbox.StartError{Command: "x", NotFound: true}, true, "command not found"}}, 127},
		{"OutOfTimeByTheSignal", &timeoutError{launch.ErrTimeout, sandbox.Exit{Signal: 9}}, 137},
		{"OutOfTimeByItself", &timeoutError{launch.ErrTimeout, sandbox.Exit{Code: 3}}, 3},
		{"OutOfTimeIsNoSuccess", &timeoutError{launch.ErrTimeout, sandbox.Exit{}}, 143},
		{"Help", &helpError{}, 0},
		{"HelpThatCannotBePrinted", &helpError{errors.New("no space left")}, 2},
	} {
		var stderr bytes.Buffer
		a := &app{stderr: &stderr}
		if got := a.report(tt.err); got != tt.want {
			t.Errorf("%s: got exit code %d, want %d", tt.name, got, tt.want)
		}
	}
}

// odd are what a file name or a policy may hold, and a terminal would act on.
var odd = []struct{ in, want string }{
	{"plain ü 日", "plain ü 日"},
	{"\x1b[31mred", `\x1b[31mred`},
	{"a\nb", `a\nb`},
	{"\u202egpj.exe", `\u202egpj.exe`}, // turns what follows
	{"\u200b", `\u200b`},
	{"\u009b31m", `\u009b31m`}, // an escape in one character
	{"\x7f", `\x7f`},
}

func TestPrintable(t *testing.T) {
	for _, tt := range odd {
		if got := printable(tt.in); got != tt.want {
			t.Errorf("printable(%q): got %q, want %q", tt.in, got, tt.want)
		}
	}
}

// JSON reads back as what it was made of, and none of it acts on a terminal.
func TestEncode(t *testing.T) {
	for _, tt := range append(odd, struct{ in, want string }{in: "\U000e0001 <&>"}) {
		b, err := encode(map[string]string{"k": tt.in})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal(b, &got); err != nil || got["k"] != tt.in {
			t.Errorf("encode(%q): got back %q, %v", tt.in, got["k"], err)
		}
		for line := range bytes.Lines(b) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			if s := string(line); printable(s) != s {
				t.Errorf("encode(%q): got %q, which is not printable", tt.in, s)
			}
		}
	}
}

// Where an error has several causes, each is a problem of its own.
func TestProblemsOf(t *testing.T) {
	err := fmt.Errorf("run: %w", &sandbox.UnheldError{Provider: "native", Items: []sandbox.Unheld{
		{Item: "/a", Why: "it is a link", Fix: "mend it"}, {Item: "/b", Why: "it is absent"},
	}})
	want := []problem{
		{What: `the native box cannot hold "/a"`, Why: "it is a link", Hint: "mend it"},
		{What: `the native box cannot hold "/b"`, Why: "it is absent"},
	}
	got := problemsOf(err)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
