package rundir

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"seisin/internal/sandbox/sandboxtest"
)

// Runs come, go and die in any order beside a person who works on the same
// names. None fails, none takes away what another uses or the person has, and
// at the end nothing of theirs is left.
func TestInterleavings(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, base)
		defer w.destroy()
		t.Repeat(map[string]func(*rapid.T){
			"start": w.start, "ensure": w.ensure, "ensure more": w.ensure,
			"close": w.close, "kill": w.kill, "orphan": w.orphan,
			"fill": w.fill, "replace": w.replace, "remove": w.remove,
			"": w.check,
		})
		w.finish(t)
	})
}

// pool are the paths that the runs use; a directory ends in a slash. Some lead
// to others.
var pool = []string{"f", "d/", "d/e/f", "d/e/g/", "h/i/"}

// A world is some runs, and a person who works beside them.
type world struct {
	state, work string
	living      []*living
	persons     map[string]bool // files with something in them
	held        map[string]bool // directories that such a file once stood in
}

// A living is a run that has not ended.
type living struct {
	*Dir
	uses   []string        // of pool
	stands map[string]bool // what it ensured, and nobody removed
}

func newWorld(t *rapid.T, base string) *world {
	dir, err := os.MkdirTemp(base, "")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{state: dir + "/state", work: dir + "/work", persons: map[string]bool{}, held: map[string]bool{}}
	if err := os.Mkdir(w.work, 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) destroy() {
	for _, l := range w.living {
		_ = l.Close()
	}
	_ = os.RemoveAll(filepath.Dir(w.work))
}

func (w *world) at(p string) string { return filepath.Join(w.work, p) }

func (w *world) start(t *rapid.T) {
	if len(w.living) == 5 {
		return
	}
	l := &living{stands: map[string]bool{}}
	var paths []string
	for _, p := range pool {
		if rapid.Bool().Draw(t, p) {
			l.uses, paths = append(l.uses, p), append(paths, w.at(p))
		}
	}
	var err error
	if l.Dir, err = New(w.state, paths); err != nil {
		t.Fatalf("New: %v", err)
	}
	w.living = append(w.living, l)
}

// some draws a run, or says that there is none.
func (w *world) some(t *rapid.T) (l *living, ok bool) {
	if len(w.living) == 0 {
		return nil, false
	}
	return w.living[rapid.IntRange(0, len(w.living)-1).Draw(t, "run")], true
}

func (w *world) ensure(t *rapid.T) {
	l, ok := w.some(t)
	if !ok || len(l.uses) == 0 {
		return
	}
	p := rapid.SampledFrom(l.uses).Draw(t, "path")
	if _, err := l.Ensure(w.at(p), strings.HasSuffix(p, "/")); err != nil {
		t.Fatalf("Ensure(%q): %v", p, err)
	}
	l.stands[p] = true
}

func (w *world) close(t *rapid.T) {
	if l, ok := w.some(t); ok {
		w.gone(l)
		if err := l.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
}

// kill ends a run without a word.
func (w *world) kill(t *rapid.T) {
	if l, ok := w.some(t); ok {
		w.gone(l)
		die(l.Dir)
	}
}

// orphan kills a run whose box outlives it.
func (w *world) orphan(t *rapid.T) {
	l, ok := w.some(t)
	if !ok {
		return
	}
	w.gone(l)
	files := duplicate(t, l.Files())
	die(l.Dir)
	h, err := Inherit(files)
	if err != nil {
		t.Fatalf("Inherit: %v", err)
	}
	if err := h.Close(); err != nil || h.ID != l.ID {
		t.Fatalf("the heir's Close: %v, of run %q, want %q", err, h.ID, l.ID)
	}
}

func (w *world) gone(l *living) {
	w.living = slices.DeleteFunc(w.living, func(other *living) bool { return other == l })
}

// there draws a path, or says that it is not there.
func (w *world) there(t *rapid.T) (p string, ok bool) {
	p = rapid.SampledFrom(pool).Draw(t, "path")
	return p, exists(w.at(p))
}

// fill puts something into a file or a directory that is there.
func (w *world) fill(t *rapid.T) {
	p, ok := w.there(t)
	if !ok {
		return
	}
	if strings.HasSuffix(p, "/") {
		p += "person"
	}
	w.put(t, p, w.at(p))
}

// replace does it as editors do: a new file, and its name changed.
func (w *world) replace(t *rapid.T) {
	p, ok := w.there(t)
	if !ok || strings.HasSuffix(p, "/") {
		return
	}
	temp := w.at(path.Dir(p) + "/new")
	w.put(t, p, temp)
	if err := os.Rename(temp, w.at(p)); err != nil {
		t.Fatal(err)
	}
}

func (w *world) put(t *rapid.T, p, name string) {
	if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.persons[p] = true
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		w.held[dir+"/"] = true
	}
}

// remove takes away a path with all in it, whoever uses it.
func (w *world) remove(t *rapid.T) {
	p, ok := w.there(t)
	if !ok {
		return
	}
	if err := os.RemoveAll(w.at(p)); err != nil {
		t.Fatal(err)
	}
	below := func(q string, _ bool) bool { return q == p || strings.HasSuffix(p, "/") && strings.HasPrefix(q, p) }
	maps.DeleteFunc(w.persons, below)
	maps.DeleteFunc(w.held, below)
	for _, l := range w.living {
		maps.DeleteFunc(l.stands, below)
	}
}

// check holds what is true at any moment.
func (w *world) check(t *rapid.T) {
	for _, l := range w.living {
		if !exists(l.Path) {
			t.Fatalf("run %s lost its directory", l.ID)
		}
		for p := range l.stands {
			if !exists(w.at(p)) {
				t.Fatalf("%q was taken away under run %s", p, l.ID)
			}
		}
	}
	for p := range w.persons {
		if b, err := os.ReadFile(w.at(p)); err != nil || string(b) != "x" {
			t.Fatalf("the person's %q: %q, %v", p, b, err)
		}
	}
}

// finish ends all, and looks at what is left: the person's files, and
// directories that they made theirs by putting something in.
func (w *world) finish(t *rapid.T) {
	for len(w.living) > 0 {
		w.close(t)
	}
	last, err := New(w.state, nil)
	if err == nil {
		err = last.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.check(t)
	if left := runsIn(t, w.state); len(left) > 0 {
		t.Fatalf("left: the runs %q", left)
	}
	for _, p := range sandboxtest.Tree(t, w.work) {
		if !w.persons[p] && !w.held[p] {
			t.Fatalf("left: %q, of %q", p, sandboxtest.Tree(t, w.work))
		}
	}
}
