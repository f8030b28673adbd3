package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"seisin/internal/sandbox"
)

const credentialsClosed = "[runtime]\nisolate = 'credentials'\n[roles.dev]\nwrites = ['src/**']\n"

// nine places, in the order in which check names them, before all others.
func TestCredentialHomesInOrder(t *testing.T) {
	want := []string{"~/.ssh", "~/.aws", "~/.npmrc", "~/.config", "~/.gnupg", "~/.kube", "~/.docker", "~/.netrc", "~/.git-credentials"}
	if got := CredentialHomes[:len(want)]; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A-18, SD-10: each place is closed, whether it is a file, a directory, a link
// or missing when the run begins; at no isolation it can be read.
func TestClosedPlaces(t *testing.T) {
	for _, kind := range []string{"missing", "file", "directory", "link"} {
		t.Run(kind, func(t *testing.T) {
			g := newGround(t)
			g.make(t, "$HOME/plain/f")
			var names []string
			for i, place := range CredentialHomes {
				name := strings.Replace(place, "~", g.home, 1)
				if kind == "file" && place == "~/.config" {
					continue // this tool's own configuration lies below it: nothing runs
				}
				names = append(names, g.place(t, kind, name, i)...)
			}
			spec, open := g.answer(t, credentialsClosed).Spec, g.answer(t, asPolicy("")).Spec
			for _, name := range names {
				for _, op := range []sandbox.Op{sandbox.OpRead, sandbox.OpWrite, sandbox.OpReplace} {
					if v := spec.Verdict(op, name); v.Allowed {
						t.Errorf("%s of %s is allowed: %s", op, g.fold(name), v.Rule)
					}
				}
				if v := open.Verdict(sandbox.OpRead, name); !v.Allowed {
					t.Errorf("without isolation a read of %s is refused: %s", g.fold(name), v.Rule)
				}
			}
			if v := spec.Verdict(sandbox.OpRead, g.home+"/plain/f"); !v.Allowed {
				t.Errorf("a read of ~/plain/f is refused: %s", v.Rule)
			}
		})
	}
}

// place makes a place of that kind, the i-th, and returns the names by which it
// could be read.
func (g *ground) place(t *testing.T, kind, name string, i int) []string {
	t.Helper()
	g.make(t, filepath.Dir(name)+"/")
	names := []string{name, name + "/below"}
	switch kind {
	case "file":
		g.make(t, name)
	case "directory":
		g.make(t, name+"/below")
	case "link":
		store := fmt.Sprintf("%s/%d/store", g.out, i)
		g.make(t, store+"/below", name+" -> "+store)
		names = append(names, store, store+"/below")
	}
	return names
}

// A relocated XDG_CONFIG_HOME is closed as ~/.config is (SD-10).
func TestRelocatedConfigurationIsClosed(t *testing.T) {
	g := newGround(t)
	g.make(t, "$OUT/cfg/gh/hosts.yml", "$OUT/other")
	t.Setenv("XDG_CONFIG_HOME", g.out+"/cfg")
	spec := g.answer(t, credentialsClosed).Spec
	for name, want := range map[string]bool{"/cfg/gh/hosts.yml": false, "/other": true, "/later": false} {
		if v := spec.Verdict(sandbox.OpRead, g.out+name); v.Allowed != want {
			t.Errorf("a read of $OUT%s is allowed: %v, want %v: %s", name, v.Allowed, want, v.Rule)
		}
	}
}

// reads open a closed place by name, and nothing beside it.
func TestReads(t *testing.T) {
	for _, tt := range []struct {
		name         string
		make         []string
		reads        string
		open, closed []string
		notes        string
	}{
		{"Whole", []string{"$HOME/.ssh/id"}, "~/.ssh", []string{"/.ssh/id"}, []string{"/.aws/x"}, ""},
		{"Part", []string{"$HOME/.config/gh/h", "$HOME/.config/x/f"}, "~/.config/gh", []string{"/.config/gh/h"}, []string{"/.config/x/f", "/.config"}, ""},
		{"File", []string{"$HOME/.npmrc"}, "~/.npmrc", []string{"/.npmrc"}, []string{"/.netrc"}, ""},
		{"Absolute", []string{"$HOME/.npmrc"}, "$HOME/.npmrc", []string{"/.npmrc"}, []string{"/.netrc"}, ""},
		{"Absent", []string{"$HOME/.config/x/f"}, "~/.config/gh", nil, []string{"/.config/gh/h", "/.config/x/f"}, `reads "~/.config/gh" does not exist`},
		{"NotClosed", []string{"$HOME/plain"}, "~/plain", []string{"/plain"}, nil, `reads "~/plain" is not closed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, tt.make...)
			a := g.answer(t, credentialsClosed+"reads = ['"+g.expand(tt.reads)+"']\n")
			for _, name := range tt.open {
				if v := a.Spec.Verdict(sandbox.OpRead, g.home+name); !v.Allowed {
					t.Errorf("a read of ~%s is refused: %s", name, v.Rule)
				}
				if v := a.Spec.Verdict(sandbox.OpWrite, g.home+name); v.Allowed {
					t.Errorf("a write of ~%s is allowed: %s", name, v.Rule)
				}
			}
			for _, name := range tt.closed {
				if v := a.Spec.Verdict(sandbox.OpRead, g.home+name); v.Allowed {
					t.Errorf("a read of ~%s is allowed: %s", name, v.Rule)
				}
			}
			if got := strings.Join(g.notes(a), "\n"); !strings.Contains(got, tt.notes) || (got == "") != (tt.notes == "") {
				t.Errorf("got the notes %q, want %q", got, tt.notes)
			}
		})
	}
}

// A home that lies where each run has a directory of its own is a skeleton there.
func TestIsolationOfAHomeInTMPDIR(t *testing.T) {
	g := newGround(t)
	g.make(t, "$HOME/.npmrc", "$HOME/open")
	t.Setenv("TMPDIR", filepath.Dir(g.home))
	plan := g.answer(t, credentialsClosed).Spec.Plan()
	for name, want := range map[string]bool{"$HOME/.npmrc": false, "$HOME/.ssh": false, "$HOME/open": true} {
		if v := plan.Verdict(sandbox.OpRead, g.expand(name)); v.Allowed != want {
			t.Errorf("read %s: got %+v, want allowed %t", name, v, want)
		}
	}
	if v := plan.Verdict(sandbox.OpWrite, filepath.Dir(g.home)+"/x"); !v.Allowed {
		t.Errorf("the run's own directory cannot be written: %s", v.Rule)
	}
}

// What isolation cannot hold is refused.
func TestIsolationIsRefused(t *testing.T) {
	refuseAll(t, []refusal{
		{"LinkToTheHome", []string{"$HOME/.ssh -> ."}, credentialsClosed, 2, `~/.ssh, which isolation closes, holds the home or the repository: it is $HOME`, "let it lead to a directory of its own"},
		{"LinkToTheRepository", []string{"$HOME/.ssh -> $ROOT"}, credentialsClosed, 2, `~/.ssh, which isolation closes, holds the home or the repository: it is $ROOT`, "let it lead to a directory of its own"},
		{"ReadsOfAKey", []string{"k/f"}, "[keys]\ndir = 'k'\n" + credentialsClosed + "reads = ['$ROOT/k/f']\n", 7,
			`reads "$ROOT/k/f": [keys] dir "k" (seisin.toml:2): a role reads the keys in it that it names, and writes none`, "take it out"},
	})
}
