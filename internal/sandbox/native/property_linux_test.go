package native_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

// patience bounds the wait for a box to renew what the host threw off. It takes
// some milliseconds on an idle machine; this is not what the test measures.
const patience = 30 * time.Second

// A tally counts what a property run has shown.
type tally struct{ acts, denied, wrote, disturbed, ended int }

func (c tally) String() string {
	return fmt.Sprintf("%d acts, %d denied, %d writes done, %d after a change on the host, %d boxes ended", c.acts, c.denied, c.wrote, c.disturbed, c.ended)
}

// actsPerBox is how long one box is tried before another policy is drawn.
const actsPerBox = 40

var actsFlag = flag.Int("acts", 0, "how many acts the property test tries; 0 is 2,000, and 20,000 with SEISIN_FULL=1")

func wanted() int {
	switch {
	case *actsFlag > 0:
		return *actsFlag
	case os.Getenv("SEISIN_FULL") != "":
		return 20000
	}
	return 2000
}

// TestVerdictAndKernelAgree is the promise of the whole tool: for random
// policies, trees and acts, with the host replacing names in between, what the
// evaluator says is what the kernel does, both ways (A-42, A-44, A-51; LX-1 to
// LX-7). A failure prints rapid's seed, which replays it.
func TestVerdictAndKernelAgree(t *testing.T) {
	home := sandboxtest.Home(t)
	setChecks(t, wanted()/actsPerBox*5/4) // some boxes end early
	var c tally
	rapid.Check(t, func(rt *rapid.T) {
		place := rapid.SampledFrom([]string{"home", "home", "tmp", "scratch"}).Draw(rt, "place")
		w := newWorld(rt, baseFor(t, rt, home, place), home)
		if wrong := w.try(native.New(), w.plan, actsPerBox, &c); wrong != "" {
			rt.Fatalf("%s\npolicy:\n%s", wrong, w.policy)
		}
	})
	t.Log(c)
	for _, share := range []struct {
		what   string
		got, n int
	}{
		{"acts were wanted", c.acts, wanted()},
		{"denials, a third of the acts, were wanted", c.denied, c.acts / 3},
		{"allowed writes, a third of the acts, were wanted", c.wrote, c.acts / 3},
		{"acts after a change on the host, a tenth, were wanted", c.disturbed, c.acts / 10},
	} {
		if share.got < share.n {
			t.Errorf("got %d, but %d %s", share.got, share.n, share.what)
		}
	}
}

func setChecks(t *testing.T, n int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	old := f.Value.String()
	if err := f.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set(old) })
}

// baseFor makes an empty directory in one of the places where people keep
// repositories.
func baseFor(t *testing.T, rt *rapid.T, home, place string) string {
	in := map[string]string{"home": home, "tmp": os.TempDir(), "scratch": filepath.Join(home, ".cache")}[place]
	if err := os.MkdirAll(in, 0o755); err != nil {
		rt.Fatalf("%v", err)
	}
	dir, err := os.MkdirTemp(in, "w")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		rt.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// try opens a box for w and tries n acts in it, with changes on the host in
// between. It returns what was wrong, if anything was.
func (w *world) try(provider sandbox.Provider, e evaluator, n int, c *tally) (wrong string) {
	box := openWithActor(w.t, provider, w.spec)
	defer func() { _ = os.RemoveAll(w.base) }()
	defer func() {
		err := box.close()
		if fallen, ok := errors.AsType[*native.FallenError](err); ok {
			w.t.Logf("%v", fallen)
			c.ended++
		} else if err != nil && wrong == "" {
			wrong = "the run failed: " + err.Error()
		}
	}()
	var story []string
	for range n {
		after := "nothing"
		if !w.calm && w.oneIn(7) {
			after = w.disturb()
			story = append(story, "host: "+after)
			switch settled, alive := w.settle(box); {
			case !alive:
				return "" // it said why: close looks at it
			case !settled:
				return "the box did not renew its mounts\n" + strings.Join(story, "\n")
			}
		}
		a := w.drawAct()
		f := predict(w.plan, e, a)
		var before []byte
		if !f.odd && !f.write {
			before, _ = os.ReadFile(f.at)
		}
		o, alive := box.do(a)
		if !alive {
			return ""
		}
		story = append(story, fmt.Sprintf("%s %s %s: %v (%v: %s)", a.Op, a.Path, a.To, o, f.verdict.Allowed, f.verdict.Rule))
		c.count(f, o, after != "nothing")
		if what := judge(a, f, o, string(before)); what != "" {
			return fmt.Sprintf("%s: %s %s %s gave %v\n%s", what, a.Op, a.Path, a.To, o, strings.Join(story, "\n"))
		}
	}
	return ""
}

// settle waits until the box has all its mounts again, each at its name, and
// none elsewhere.
func (w *world) settle(box *openBox) (settled, alive bool) {
	for start := time.Now(); time.Since(start) < patience; time.Sleep(2 * time.Millisecond) {
		o, alive := box.do(act{Op: "mounts"})
		if !alive {
			return false, false
		}
		if w.mountedRight(o.Names) {
			return true, true
		}
	}
	return false, true
}

func (w *world) mountedRight(points []string) bool {
	planned := map[string]bool{}
	for _, m := range w.plan.Mounts {
		planned[m.Path] = true
		if m.Own || sandbox.Builtin(m.Path) || !sandbox.Within(m.Path, w.base) {
			continue
		}
		real, err := filepath.EvalSymlinks(m.Path)
		missing := err != nil || real != m.Path
		if m.Opens != "" {
			if info, err := os.Lstat(m.Path); missing || err != nil || !info.Mode().IsRegular() {
				if slices.Contains(points, m.Path) {
					return false // a key that is gone on the host is gone inside
				}
				continue
			}
		}
		// Where the directory is missing too, nobody can make the name.
		dir, err := filepath.EvalSymlinks(filepath.Dir(m.Path))
		wanted := m.Gone != sandbox.Wait && err == nil && dir == filepath.Dir(m.Path)
		if missing && wanted || !missing && !slices.Contains(points, m.Path) {
			return false
		}
	}
	return !slices.ContainsFunc(points, func(p string) bool { return sandbox.Within(p, w.base) && !planned[p] })
}

func (c *tally) count(f forecast, o outcome, disturbed bool) {
	c.acts++
	if disturbed {
		c.disturbed++
	}
	switch {
	case f.odd:
	case !f.verdict.Allowed:
		c.denied++
	case f.write && o.Errno == 0:
		c.wrote++
	}
}
