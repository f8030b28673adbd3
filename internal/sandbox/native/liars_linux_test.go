package native_test

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

// A liar gives the same answer to everything.
type liar bool

func (l liar) Verdict(sandbox.Op, string) sandbox.Verdict { return sandbox.Verdict{Allowed: bool(l)} }
func (l liar) Rename(string, string) sandbox.Verdict      { return sandbox.Verdict{Allowed: bool(l)} }
func (l liar) Link(string, string) sandbox.Verdict        { return sandbox.Verdict{Allowed: bool(l)} }

// soon is how many acts a fault may stay unseen for.
const soon = 200

// caught tries worlds until something is wrong in one, and fails the test if
// nothing was within soon acts. Setup says what the box and its evaluator are,
// or that this world is no use.
func caught(t *testing.T, setup func(w *world) (sandbox.Provider, evaluator, bool)) {
	t.Helper()
	home := sandboxtest.Home(t)
	var c tally
	worlds := rapid.Custom(func(rt *rapid.T) string {
		w := newWorld(rt, baseFor(t, rt, home, "home"), home)
		w.calm = true
		provider, e, ok := setup(w)
		if !ok {
			return ""
		}
		return w.try(provider, e, min(actsPerBox, soon-c.acts), &c)
	})
	for seed := 1; seed < 400 && c.acts < soon; seed++ {
		if wrong := worlds.Example(seed); wrong != "" {
			first, _, _ := strings.Cut(wrong, "\n")
			t.Logf("after %d acts: %s", c.acts, first)
			return
		}
	}
	t.Errorf("nothing was wrong in %d acts", c.acts)
}

// An evaluator that always says yes, and one that always says no, fail the
// property: it looks both ways.
func TestALyingEvaluatorIsCaught(t *testing.T) {
	for name, l := range map[string]liar{"AlwaysYes": true, "AlwaysNo": false} {
		t.Run(name, func(t *testing.T) {
			caught(t, func(*world) (sandbox.Provider, evaluator, bool) { return native.New(), l, true })
		})
	}
}

// A box with one of its mounts left out fails the property, whichever it is
// (LX-1, LX-2, LX-7, A-34, A-47, SD-14).
func TestAMissingMountIsCaught(t *testing.T) {
	for _, tt := range []struct {
		name string
		is   func(w *world, m sandbox.Mount) bool
	}{
		{"Policy", func(w *world, m sandbox.Mount) bool { return m.Path == w.root+"/seisin.toml" }},
		{"Git", func(w *world, m sandbox.Mount) bool { return m.Path == w.root+"/.git" }},
		{"NeverWrites", func(_ *world, m sandbox.Mount) bool { return strings.Contains(m.Rule, "never_writes") && !m.Pin }},
		{"Keys", func(_ *world, m sandbox.Mount) bool { return strings.Contains(m.Rule, "[keys]") && !m.Pin }},
		{"Territory", func(_ *world, m sandbox.Mount) bool {
			return strings.Contains(m.Rule, ".writes") && m.Mode == sandbox.Writable && !m.Pin
		}},
		{"PinnedAncestor", func(w *world, m sandbox.Mount) bool { return m.Pin && sandbox.Within(m.Path, w.root) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			caught(t, func(w *world) (sandbox.Provider, evaluator, bool) {
				for _, m := range w.plan.Mounts {
					if m.Own || !tt.is(w, m) {
						continue
					}
					if _, err := os.Lstat(m.Path); err != nil {
						continue // it is made for the run, and shows little
					}
					without := native.Without(func(p string) bool { return p == m.Path })
					return without, w.plan, true
				}
				return nil, nil, false
			})
		})
	}
}
