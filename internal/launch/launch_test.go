package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/sandboxtest"
)

// A ground is where runs of a fake provider are.
type ground struct {
	state, work string
	notes       []string
}

func newGround(t *testing.T) *ground {
	t.Helper()
	return &ground{state: filepath.Join(t.TempDir(), "seisin"), work: t.TempDir()}
}

// run is a run with grants such as "write src dir scratch", relative to work.
// Part and kind may be left out.
func (g *ground) run(t *testing.T, f *fake, grants ...string) Run {
	t.Helper()
	spec := sandbox.Spec{Role: "dev", Key: "dev", Root: g.work, RootID: "abcdefgh", Cwd: g.work}
	for _, line := range grants {
		words := append(strings.Fields(line), "dir", "territory")[:4]
		grant := sandbox.Grant{Path: filepath.Join(g.work, words[1]), Kind: sandbox.Kind(words[2]), Part: sandbox.Part(words[3]), Rule: "rule of " + words[1]}
		list := map[string]*[]sandbox.Grant{"write": &spec.Write, "closed": &spec.Closed, "hidden": &spec.Hidden, "private": &spec.Private, "shown": &spec.Shown}[words[0]]
		*list = append(*list, grant)
	}
	spec.Normalize()
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	return Run{
		Provider: f, Spec: spec, State: g.state, Command: []string{"true"},
		Note: func(format string, args ...any) {
			g.notes = append(g.notes, strings.ReplaceAll(fmt.Sprintf(format, args...), g.work, "$WORK"))
		},
	}
}

func wantTree(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := sandboxtest.Tree(t, dir); !slices.Equal(got, want) {
		t.Errorf("got %q in %s, want %q", got, dir, want)
	}
}

// wantNoRun holds that no run directory is left.
func (g *ground) wantNoRun(t *testing.T) {
	t.Helper()
	runs, err := os.ReadDir(filepath.Join(g.state, "run"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, r := range runs {
		if r.IsDir() {
			t.Errorf("left: run directory %s", r.Name())
		}
	}
}

// UA-8: the command's own exit comes back.
func TestExit(t *testing.T) {
	for _, want := range []sandbox.Exit{{}, {Code: 3}, {Code: 125}, {Signal: 9}} {
		g := newGround(t)
		f := &fake{command: func(c *command) (sandbox.Exit, error) {
			if !slices.Equal(c.argv, []string{"true"}) {
				t.Errorf("got command %q", c.argv)
			}
			return want, nil
		}}
		got, err := g.run(t, f).Do(t.Context())
		if got != want || err != nil {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
		// The life of a box, as package sandbox promises it to providers.
		calls := []string{"Check", "Open", "Admit", "Launch", "Start", "Release", "Close"}
		if !slices.Equal(f.called(), calls) {
			t.Errorf("got calls %q, want %q", f.called(), calls)
		}
		g.wantNoRun(t)
	}
}

// Whatever fails, what was opened is closed, in its order, and nothing is left.
func TestNothingIsLeftOnError(t *testing.T) {
	for _, tt := range []struct {
		fails string
		calls []string // from Open on
	}{
		{"Check", nil},
		{"Open", []string{"Open"}},
		{"Admit", []string{"Open", "Admit", "Close"}},
		{"Launch", []string{"Open", "Admit", "Launch", "Release", "Close"}},
		{"Start", []string{"Open", "Admit", "Launch", "Start", "Release", "Close"}},
		{"Wait", []string{"Open", "Admit", "Launch", "Start", "Release", "Close"}},
		{"Release", []string{"Open", "Admit", "Launch", "Start", "Release", "Close"}},
		{"Close", []string{"Open", "Admit", "Launch", "Start", "Release", "Close"}},
	} {
		t.Run(tt.fails, func(t *testing.T) {
			g := newGround(t)
			cause := errors.New("told to fail")
			f := &fake{fail: map[string]error{tt.fails: cause}}
			f.command = func(*command) (sandbox.Exit, error) { return sandbox.Exit{Code: 7}, f.fail["Wait"] }
			exit, err := g.run(t, f, "write a/b", "write f file", "closed a/b/gen").Do(t.Context())
			if !errors.Is(err, cause) {
				t.Errorf("got error «%v», want «%v»", err, cause)
			}
			ran := slices.Contains([]string{"Wait", "Release", "Close"}, tt.fails)
			if (exit.Code == 7) != ran {
				t.Errorf("got exit %+v, and the command ran: %v", exit, ran)
			}
			if got := f.called()[1:]; !slices.Equal(got, tt.calls) {
				t.Errorf("got calls %q, want %q", got, tt.calls)
			}
			wantTree(t, g.work)
			g.wantNoRun(t)
		})
	}
}

// All errors are told: what came while clearing away hides no earlier one.
func TestErrorsAreJoined(t *testing.T) {
	g := newGround(t)
	f := &fake{fail: map[string]error{"Start": errors.New("one"), "Release": errors.New("two"), "Close": errors.New("three")}}
	_, err := g.run(t, f).Do(t.Context())
	for _, cause := range f.fail {
		if !errors.Is(err, cause) {
			t.Errorf("got «%v», want «%v» in it", err, cause)
		}
	}
}

// A state directory that cannot be made is an error before anything is opened.
func TestNoRunDirectory(t *testing.T) {
	g := newGround(t)
	if err := os.WriteFile(g.state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := &fake{}
	_, err := g.run(t, f, "write a").Do(t.Context())
	if err == nil || !strings.Contains(err.Error(), "run directory in "+g.state+": ") {
		t.Errorf("got «%v», want that the run directory could not be made", err)
	}
	if got, want := f.called(), []string{"Check"}; !slices.Equal(got, want) {
		t.Errorf("got calls %q, want %q", got, want)
	}
	wantTree(t, g.work)
}
