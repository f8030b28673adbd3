package sandbox

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// The machine or the provider refuses in the tool's words: what, why, and what
// to do.
func TestRefusals(t *testing.T) {
	one := Unheld{Field: "Closed", Item: "/r/f", Why: "it does not exist", Fix: "create it"}
	two := Unheld{Field: "Require", Item: "landlock-scope", Why: "the kernel is too old"}
	for _, tt := range []struct {
		err interface {
			error
			Hint() string
		}
		text, hint string
	}{
		{&UnheldError{"native", []Unheld{one}}, `the native box cannot hold "/r/f": it does not exist`, "create it"},
		{&UnheldError{"native", []Unheld{one, two, two}}, `the native box cannot hold "/r/f": it does not exist (and 2 more)`, "create it"},
		{&UnheldError{"native", []Unheld{one, {Fix: "and this"}}}, `the native box cannot hold "/r/f": it does not exist (and 1 more)`, "create it\nand this"},
		{&UnheldError{"srt", []Unheld{two}}, `the srt box cannot hold "landlock-scope": the kernel is too old`, ""},
		{&UnsupportedError{"Landlock", "ABI 1", "use Linux 6.1"}, "this machine has no Landlock, which every box needs: ABI 1", "use Linux 6.1"},
		{&UnsupportedError{Feature: "Landlock"}, "this machine has no Landlock, which every box needs", ""},
	} {
		if got := tt.err.Error(); got != tt.text {
			t.Errorf("got error «%s», want «%s»", got, tt.text)
		}
		if got := tt.err.Hint(); got != tt.hint {
			t.Errorf("%v: got hint «%s», want «%s»", tt.err, got, tt.hint)
		}
	}
	if got, want := (&StartError{Command: "nope", Why: "no such file"}).Error(), "nope: no such file"; got != want {
		t.Errorf("got error «%s», want «%s»", got, want)
	}
}

func TestExitStatus(t *testing.T) {
	for _, tt := range []struct {
		exit Exit
		want int
	}{
		{Exit{}, 0},
		{Exit{Code: 3}, 3},
		{Exit{Code: 255}, 255},
		{Exit{Signal: 2}, 130}, // UA-8: an interrupted run never exits 0
		{Exit{Signal: 9}, 137},
		{Exit{Signal: 15}, 143},
	} {
		if got := tt.exit.Status(); got != tt.want {
			t.Errorf("%+v: got status %d, want %d", tt.exit, got, tt.want)
		}
	}
}

// A named stands for a provider where only its name matters.
type named string

func (n named) Name() string                                       { return string(n) }
func (named) Environment(json.RawMessage) (json.RawMessage, error) { return nil, nil }
func (named) Check(context.Context, Spec) error                    { return nil }
func (named) Open(context.Context, Spec, Site) (Box, error)        { return nil, nil }

func TestFindProvider(t *testing.T) {
	all := Providers{
		Installed:   map[string]Provider{"native": named("native"), "srt": named("srt")},
		Default:     "native",
		Unavailable: map[string]string{"container": "podman is not on PATH"},
	}
	for _, tt := range []struct {
		providers  Providers
		name, want string
		err        string
	}{
		{all, "", "native", ""},
		{all, "srt", "srt", ""},
		{all, "container", "", `provider "container" is not available: podman is not on PATH`},
		{all, "docker", "", `no provider "docker"`},
		{all, "Native", "", `no provider "Native"`},
		// There is no fallback to running unconfined.
		{Providers{}, "", "", `no provider ""`},
	} {
		got, err := tt.providers.Find(tt.name)
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) || got != nil {
				t.Errorf("Find(%q) = %v, «%v», want «%s»", tt.name, got, err, tt.err)
			}
		case err != nil || got.Name() != tt.want:
			t.Errorf("Find(%q) = %v, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}
