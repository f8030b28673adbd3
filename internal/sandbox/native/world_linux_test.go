package native_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"seisin/internal/sandbox"
)

// A world is a repository with a policy, and what lies around it.
type world struct {
	t       *rapid.T
	base    string // holds all of it, and nothing else
	root    string
	outside string
	home    string
	ownHome string // the role's, or ""
	policy  string
	spec    sandbox.Spec
	plan    sandbox.Plan
	places  []string // paths where something begins: mounts, and odd places
	granted []string // those that may be written
	extra   []string // names that host replacements left behind
	count   int
	calm    bool // the host leaves everything as it is
}

// pieces are what paths in the tree are made of.
var pieces = []string{"a", "b", "c", "f", "g", "l"}

// newWorld draws a tree and a policy for it that is not refused there.
func newWorld(t *rapid.T, base, home string) *world {
	w := &world{t: t, base: base, home: home, root: filepath.Join(base, "repo"), outside: filepath.Join(base, "out")}
	w.must(os.MkdirAll(w.outside, 0o755))
	w.must(os.WriteFile(filepath.Join(w.outside, "f"), []byte("outside\n"), 0o644))
	makeGitDirectory(w, filepath.Join(w.root, ".git"))
	w.grow(w.root, 0)
	const tries = 100
	for i := 0; ; i++ {
		w.policy = w.drawPolicy()
		spec, err := specFor(t, w.root, w.policy)
		if err == nil {
			w.spec, w.plan = spec, spec.Plan()
			break
		}
		if i == tries {
			t.Fatalf("refused, as the %d policies before it: %v\n%s", tries, err, w.policy)
		}
	}
	for _, m := range w.plan.Mounts {
		if !m.Own && !m.Pin && !sandbox.Builtin(m.Path) && sandbox.Within(m.Path, base) || m.Pin && sandbox.Within(m.Path, w.root) {
			w.places = append(w.places, m.Path)
			if m.Pin || m.Mode == sandbox.Empty { // few acts tell one from none
				w.places = append(w.places, m.Path, m.Path)
			}
			if m.Mode == sandbox.Writable {
				w.granted = append(w.granted, m.Path)
			}
		}
	}
	w.places = append(w.places, filepath.Join(w.root, "seisin.toml"), filepath.Join(w.root, ".git"))
	for _, g := range w.spec.Write {
		if g.Part == sandbox.Home {
			w.granted, w.ownHome = append(w.granted, g.Path), g.Path
		}
	}
	return w
}

func (w *world) must(err error) {
	if err != nil {
		w.t.Fatalf("making the world: %v", err)
	}
}

// makeGitDirectory makes the least that git takes for a repository, since a
// world is made some thousand times.
func makeGitDirectory(w *world, dir string) {
	for _, d := range []string{"objects", "refs/heads", "hooks"} {
		w.must(os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	w.must(os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
	w.must(os.WriteFile(filepath.Join(dir, "config"), []byte("[core]\n\trepositoryformatversion = 0\n"), 0o644))
}

// grow fills dir with files, directories, links and hard links.
func (w *world) grow(dir string, depth int) {
	for _, name := range pieces {
		p := filepath.Join(dir, name)
		isDir := strings.Contains("abc", name)
		switch {
		case isDir && depth < 2 && (depth == 0 || rapid.Bool().Draw(w.t, "dir")):
			w.must(os.MkdirAll(p, 0o755))
			w.grow(p, depth+1)
		case name == "l" && w.oneIn(4):
			target := rapid.SampledFrom([]string{"f", "a", "../b", "../../b/f", w.outside, w.root + "/a", "../.git/config", "nowhere"}).Draw(w.t, "target")
			w.must(os.Symlink(target, p))
		case name == "g" && w.oneIn(6):
			_ = os.Link(filepath.Join(dir, "f"), p)
		case !isDir && name != "l" && !w.oneIn(4):
			w.must(os.WriteFile(p, []byte("old\n"), 0o644))
		}
	}
}

func (w *world) oneIn(n int) bool { return rapid.IntRange(1, n).Draw(w.t, "chance") == 1 }

func (w *world) drawPolicy() string {
	list := func(key string, from []string, least, most int) string {
		picked := rapid.SliceOfNDistinct(rapid.SampledFrom(from), least, most, rapid.ID[string]).Draw(w.t, key)
		for i, p := range picked {
			picked[i] = fmt.Sprintf("%q", p)
		}
		return fmt.Sprintf("%s = [%s]\n", key, strings.Join(picked, ", "))
	}
	var b strings.Builder
	keys := rapid.SampledFrom([]string{"", ".secrets", "a/keys", "c", "b/c"}).Draw(w.t, "keys")
	if keys != "" {
		fmt.Fprintf(&b, "[keys]\ndir = %q\n", keys)
		if rapid.Bool().Draw(w.t, "has keys") {
			w.must(os.MkdirAll(filepath.Join(w.root, keys), 0o755))
			w.must(os.WriteFile(filepath.Join(w.root, keys, "k.key"), []byte("secret\n"), 0o600))
		}
	}
	b.WriteString(rapid.SampledFrom([]string{"", "[runtime]\nisolate = \"credentials\"\n", "[runtime]\nisolate = \"home\"\n"}).Draw(w.t, "isolation"))
	b.WriteString("[roles.dev]\n")
	if keys != "" && rapid.Bool().Draw(w.t, "reads keys") {
		b.WriteString(list("keys", []string{"k.key", "f", keys + "/a/f", keys + "/g"}, 1, 3))
	}
	if rapid.Bool().Draw(w.t, "all") {
		b.WriteString("writes = [\"**\"]\n")
	} else {
		b.WriteString(list("writes", []string{
			"a/**", "b/**", "a/b/**", "b/c/**", "c/**", "f", "a/f", "b/a/f", "new/**", "newfile", "a/new/deep/**",
			"b/d.sqlite", w.outside + "/**", "l/**",
		}, 1, 5))
	}
	never := []string{"a/b/**", "b/c/**", "a/absent/**", "c/a/**"}
	for _, f := range []string{"a/f", "b/f", "f", "a/b/f"} {
		if info, err := os.Lstat(filepath.Join(w.root, f)); err == nil && info.Mode().IsRegular() {
			never = append(never, f)
		}
	}
	b.WriteString(list("never_writes", never, 0, 2))
	return b.String()
}

// drawPath draws a path, half of the time near a place where a rule begins.
func (w *world) drawPath() string {
	switch n := rapid.IntRange(0, 19).Draw(w.t, "where"); {
	case n < 11 && len(w.granted) > 0:
		p := rapid.SampledFrom(w.granted).Draw(w.t, "granted")
		for range rapid.IntRange(0, 2).Draw(w.t, "below") {
			p = filepath.Join(p, w.name())
		}
		return p
	case n < 14:
		p := rapid.SampledFrom(w.places).Draw(w.t, "place")
		switch rapid.IntRange(0, 9).Draw(w.t, "near") {
		case 0, 1, 2, 3, 4:
			return p
		case 5:
			return filepath.Dir(p)
		case 6:
			return filepath.Join(p, w.name(), w.name())
		}
		return filepath.Join(p, w.name())
	case n < 15 && len(w.extra) > 0:
		return filepath.Join(rapid.SampledFrom(w.extra).Draw(w.t, "left"), w.name())
	case n < 16 && w.ownHome != "" && w.oneIn(3):
		homes := filepath.Dir(w.ownHome)
		return rapid.SampledFrom([]string{homes, homes + "/other", homes + "/other/" + w.name(), filepath.Dir(homes) + "/" + w.name(), w.ownHome + "/" + w.name()}).Draw(w.t, "near the home")
	case n < 16:
		return rapid.SampledFrom([]string{
			filepath.Join(w.root, ".git/config"), filepath.Join(w.root, ".git/hooks/pre-commit"),
			filepath.Join(w.home, ".cache", w.name()), filepath.Join(w.home, ".config", w.name()), filepath.Join(w.home, ".ssh", w.name()), filepath.Join(w.home, ".npmrc"),
			filepath.Join(w.home, ".claude", w.name()), filepath.Join(w.home, ".gitconfig"),
			filepath.Join(w.home, w.name()), filepath.Join(w.outside, w.name()), filepath.Join(w.base, w.name()),
		}).Draw(w.t, "odd place")
	}
	p := w.root
	for range rapid.IntRange(1, 3).Draw(w.t, "depth") {
		p = filepath.Join(p, w.name())
	}
	return p
}

func (w *world) name() string {
	return rapid.SampledFrom(append([]string{"k.key", "n1", "n2"}, pieces...)).Draw(w.t, "name")
}

// drawAct draws something worth trying at a path that makes sense for it.
func (w *world) drawAct() act {
	var p string
	for range 8 {
		p = w.drawPath()
		if info, err := os.Stat(filepath.Dir(p)); err == nil && info.IsDir() {
			break // else most acts say ENOENT, which shows little
		}
	}
	w.count++
	a := act{Path: p, Text: fmt.Sprintf("t%d\n", w.count)}
	info, err := os.Lstat(p)
	var ops []string
	switch {
	case err != nil:
		ops = []string{"create", "create", "create", "mkdir", "mkdir", "save", "save", "symlink", "mkfifo", "write"}
	case info.IsDir():
		ops = []string{"list", "rmdir", "rename", "rename", "rename", "chmod", "chmod", "utimes", "utimes", "mkdir"}
	case info.Mode().IsRegular():
		ops = []string{"write", "write", "save", "truncate", "chmod", "utimes", "unlink", "rename", "link", "read"}
	default:
		ops = []string{"write", "save", "unlink", "rename", "read", "list", "chmod"}
	}
	a.Op = rapid.SampledFrom(ops).Draw(w.t, "op")
	switch a.Op {
	case "rename", "link":
		a.To = w.drawPath()
		if !w.oneIn(4) { // beside it
			a.To = filepath.Join(filepath.Dir(p), w.name())
		}
	case "symlink":
		a.To = "f"
	}
	return a
}

// disturb does to a granted or protected name, or to what leads to it, what
// people and their programs do, and says what it did.
func (w *world) disturb() (what string) {
	p := rapid.SampledFrom(w.places).Draw(w.t, "disturbed")
	for p != w.root && filepath.Dir(p) != w.root && w.oneIn(3) && sandbox.Within(p, w.root) {
		p = filepath.Dir(p)
	}
	if sandbox.Within(w.root, p) || p == w.outside {
		return "nothing" // a repository that is gone ends the box
	}
	info, err := os.Lstat(p)
	if err != nil {
		w.remake(p, w.isDir(p))
		return "made " + p
	}
	how := rapid.SampledFrom([]string{"over", "over", "anew", "away", "away", "remove"}).Draw(w.t, "how")
	fresh := p + ".fresh"
	w.remake(fresh, info.IsDir())
	w.copyWalls(p, fresh)
	w.count++
	old := fmt.Sprintf("%s.old%d", p, w.count)
	switch {
	case how == "remove" && !w.holdsFileWall(p):
		w.must(os.RemoveAll(fresh))
		w.remove(p)
		return "removed " + p
	case how == "over" && !info.IsDir():
		w.must(os.Rename(fresh, p))
		return "renamed over " + p
	case how == "away":
		w.must(os.Rename(p, old))
		w.must(os.Rename(fresh, p))
		w.extra = append(w.extra, old)
		return "moved " + p + " away and made it anew"
	}
	w.must(os.Rename(p, old))
	w.must(os.Rename(fresh, p))
	w.remove(old)
	return "made anew " + p
}

// remove removes all of p, though a stand-in may come up in it meanwhile.
func (w *world) remove(p string) {
	err := os.RemoveAll(p)
	for range 10 {
		if err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
		err = os.RemoveAll(p)
	}
	w.must(err)
}

// remake makes a file or a directory with a few files in it.
func (w *world) remake(p string, dir bool) {
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		return // a file is in the way by now
	}
	if !dir {
		w.must(os.WriteFile(p, []byte("anew\n"), 0o644))
		return
	}
	w.must(os.MkdirAll(filepath.Join(p, "a"), 0o755))
	w.must(os.WriteFile(filepath.Join(p, "f"), []byte("anew\n"), 0o644))
}

// copyWalls makes below fresh the protected files that stand below p: while
// one is absent, the box has to end.
func (w *world) copyWalls(p, fresh string) {
	for _, m := range w.plan.Mounts {
		if m.Gone != sandbox.End || m.Path == p || !sandbox.Within(m.Path, p) {
			continue
		}
		to := fresh + strings.TrimPrefix(m.Path, p)
		w.must(os.RemoveAll(filepath.Dir(to) + "/" + filepath.Base(to)))
		w.must(os.MkdirAll(filepath.Dir(to), 0o755))
		w.must(os.WriteFile(to, []byte("anew\n"), 0o644))
	}
}

func (w *world) holdsFileWall(p string) bool {
	return slices.ContainsFunc(w.plan.Mounts, func(m sandbox.Mount) bool {
		return m.Gone == sandbox.End && sandbox.Within(m.Path, p)
	})
}

func (w *world) isDir(p string) bool {
	for _, m := range w.plan.Mounts {
		if m.Path == p {
			return m.Kind == sandbox.Dir
		}
	}
	return true
}
