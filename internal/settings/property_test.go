package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"seisin/internal/gitdir"
	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// A scene is a random repository, home and policy.
type scene struct {
	dir, root, home, out string
	tmpdir               string
	policy               *roles.Policy
	place                *gitdir.Place
	machine              Machine
	options              Options
}

func newScene(t *rapid.T, base string) *scene {
	s := newTree(t, base, 8)
	s.options.Observe = rapid.IntRange(0, 5).Draw(t, "observe") == 0
	s.parse(t, s.text(t))
	return s
}

// newTree makes the scene without a policy, with so many entries at most.
func newTree(t *rapid.T, base string, most int) *scene {
	dir, err := os.MkdirTemp(base, "")
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{dir: dir, home: dir + "/home", out: dir + "/out"}
	s.root = dir + rapid.SampledFrom([]string{"/repo", "/home/w/repo", "/home/.cache/repo", "/t/repo", "/home"}).Draw(t, "root")
	for _, d := range []string{s.root + "/.git", s.root + "/src", s.home, s.out, dir + "/t"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(s.root+"/seisin.toml", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	inside, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = inside.Close() }()
	for range rapid.IntRange(0, most).Draw(t, "entries") {
		s.plant(t, inside)
	}
	s.tmpdir = s.draw(t, "TMPDIR", "", "$out", "$out/p", "$root", "$home", "$dir/t", "/tmp", "$home/.cache", "$root/src", "t")
	s.place = &gitdir.Place{Root: s.root, Gitdir: s.root + "/.git", Common: s.root + "/.git", DotGit: s.root + "/.git", DotGitKind: "dir"}
	s.machine = Machine{
		Home: s.home, Config: s.home + "/.config/seisin", state: s.home + "/.local/state/seisin",
		Lookup: func(name string) (string, bool) { return s.tmpdir, name == "TMPDIR" && s.tmpdir != "" },
	}
	s.machine.Getenv = func(name string) string { value, _ := s.machine.Lookup(name); return value }
	s.options = Options{Cwd: s.root}
	return s
}

func (s *scene) parse(t *rapid.T, text string) {
	var err error
	if s.policy, err = roles.Parse(s.root+"/seisin.toml", []byte(text)); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// draw draws a string, in which $dir, $root, $home and $out are expanded.
func (s *scene) draw(t *rapid.T, label string, from ...string) string {
	return s.expand(rapid.SampledFrom(from).Draw(t, label))
}

func (s *scene) expand(p string) string {
	return strings.NewReplacer("$dir", s.dir, "$root", s.root, "$home", s.home, "$out", s.out).Replace(p)
}

// plant makes a file, a directory or a link somewhere, if nothing is there.
// One that was planted before may lead to "/": nothing is made through it.
func (s *scene) plant(t *rapid.T, inside *os.Root) {
	name := s.draw(t, "name", "$root/a", "$root/a/c", "$root/b", "$root/src/l", "$out/p", "$out/q",
		"$home/x", "$home/.cache", "$home/.cache/y", "$home/.claude", "$home/.codex", "$home/.local/share")
	rel, err := filepath.Rel(s.dir, name)
	if err != nil {
		t.Fatal(err)
	}
	_ = inside.MkdirAll(filepath.Dir(rel), 0o755) // a link may be in the way: then the next call fails too
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		if f, err := inside.OpenFile(rel, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); err == nil {
			_ = f.Close()
		}
	case 1:
		_ = inside.Mkdir(rel, 0o755)
	default:
		_ = inside.Symlink(s.draw(t, "target", "$dir", "$root", "$home", "$out", "/", ".", "..", "nowhere", name, "$root/src", "$root/.git",
			"$root/seisin.toml", "$home/.cache", "$home/.local/state", "$home/.local/state/seisin", "$home/.config", "$out/p", "$out/q"), rel)
	}
}

// text draws a policy.
func (s *scene) text(t *rapid.T) string {
	list := func(label string, most int, from ...string) string {
		picked := rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, most, rapid.ID).Draw(t, label)
		for i := range picked {
			picked[i] = "'" + s.expand(picked[i]) + "'"
		}
		return "[" + strings.Join(picked, ", ") + "]"
	}
	text := "[roles.dev]\nwrites = " + list("writes", 3, "**", "a/**", "a/c", "b", "src/**", "src/l/**", "new/x/**", "f", "x.sqlite",
		"$out/**", "$out/p", "$home/x/**", "$root/a/**", "$home/**", "$dir/**", "seisin.toml", ".git/hooks/**", ".secrets/**") +
		"\nnever_writes = " + list("never", 2, "a/c/**", "src/**", "b") +
		"\n[keys]\ndir = " + list("keys", 2, ".secrets", "src/keys", "$out/keys") + "\n"
	if rapid.IntRange(0, 2).Draw(t, "own scratch") == 0 {
		text += "[runtime]\nwrites = " + list("scratch", 3, "~/x", "~/.cache", "$out/q", "$TMPDIR", "$root/b", "~/.config", "$out") + "\n"
	}
	return text
}

func (s *scene) resolve() (*Answer, error) {
	return For(s.policy, &s.policy.Roles[0], s.place, s.machine, s.options)
}

// C24: on any tree, a policy is refused in words, or grants
// what it names and nothing that nobody is granted.
func TestGrantsAreWhatIsNamed(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	granted := 0
	rapid.Check(t, func(t *rapid.T) {
		s := newScene(t, base)
		defer func() { _ = os.RemoveAll(s.dir) }()
		a, err := s.resolve()
		if err != nil {
			refused, ok := errors.AsType[*RefusedError](err)
			if !ok || refused.Msg == "" || refused.Hint() == "" && refused.Line > 0 {
				t.Fatalf("got «%v» (%T), want a refusal with a hint", err, err)
			}
			return
		}
		granted++
		s.checkPaths(t, a.Spec)
		s.checkWrites(t, a.Spec)
		s.checkDenials(t, a.Spec)
		s.checkOutside(t, a.Spec)
		again, err := s.resolve()
		if err != nil || encoded(again.Spec) != encoded(a.Spec) {
			t.Fatalf("the second answer is another one: %v", err)
		}
	})
	if granted == 0 {
		t.Error("no policy was granted: nothing was tested")
	}
}

func encoded(s sandbox.Spec) string {
	digest, err := s.Digest()
	return fmt.Sprint(digest, err)
}

// checkPaths holds that no grant's path has a link in it.
func (s *scene) checkPaths(t *rapid.T, spec sandbox.Spec) {
	for _, g := range slices.Concat(spec.Write, spec.Read, spec.Closed, spec.Hidden, spec.Private, spec.Shown, spec.Sockets) {
		dir, err := realPath(filepath.Dir(g.Path))
		real := filepath.Join(dir, filepath.Base(g.Path))
		if g.Kind != sandbox.Link && err == nil {
			real, err = realPath(g.Path)
		}
		if err != nil || real != g.Path {
			t.Fatalf("%s: %q is %q in truth, %v", g.Rule, g.Path, real, err)
		}
		f, err := lookAt(g.Path)
		if err != nil || f.id != g.ID {
			t.Fatalf("%s: %q has the identity %+v, want %+v", g.Rule, g.Path, g.ID, f.id)
		}
	}
}

// checkWrites holds that every grant was named, and none is more than that.
func (s *scene) checkWrites(t *rapid.T, spec sandbox.Spec) {
	for _, g := range spec.Write {
		switch g.Part {
		case sandbox.Territory:
			if !sandbox.Within(g.Path, s.root) && !s.named(g.Path) {
				t.Fatalf("%s grants %q, which is outside and not named", g.Rule, g.Path)
			}
		case sandbox.Scratch:
			switch {
			case sandbox.Within(g.Path, s.root):
				t.Fatalf("%s: scratch %q lies in the repository", g.Rule, g.Path)
			case sandbox.Within(s.home, g.Path):
				t.Fatalf("%s: scratch %q holds the home", g.Rule, g.Path)
			case overlaps(g.Path, s.machine.Config) || sandbox.Within(g.Path, s.machine.State()):
				t.Fatalf("%s: scratch %q reaches this tool's own files", g.Rule, g.Path)
			}
		default:
			t.Fatalf("%s: a grant of part %q", g.Rule, g.Part)
		}
	}
}

// named reports whether an absolute pattern of the policy means p.
func (s *scene) named(p string) bool {
	return slices.ContainsFunc(s.policy.Roles[0].Writes, func(w roles.Pattern) bool {
		real, err := realPath(w.Path)
		return w.Abs && err == nil && p == real
	})
}

// checkDenials holds that what nobody writes is not written, observing or not.
func (s *scene) checkDenials(t *rapid.T, spec sandbox.Spec) {
	p := spec.Plan()
	closed := []string{s.root + "/seisin.toml", s.root + "/.git", s.root + "/.git/hooks/x", s.root + "/.git/seisin/log", s.machine.State(), s.machine.State() + "/run/x", s.machine.Config + "/approved/x"}
	for _, d := range s.policy.Keys.Dirs {
		dir := d.Value
		if !filepath.IsAbs(dir) {
			dir = s.root + "/" + dir
		}
		closed = append(closed, dir, dir+"/k")
		if v := p.Verdict(sandbox.OpRead, dir+"/k"); v.Allowed {
			t.Fatalf("keys in %q can be read: %s", dir, v.Rule)
		}
	}
	for _, name := range closed {
		for _, op := range []sandbox.Op{sandbox.OpWrite, sandbox.OpReplace} {
			if v := p.Verdict(op, name); v.Allowed {
				t.Fatalf("%s of %q is allowed: %s", op, name, v.Rule)
			}
		}
	}
}

// checkOutside holds that nothing but what was named is written outside, nor
// inside beyond the territory.
func (s *scene) checkOutside(t *rapid.T, spec sandbox.Spec) {
	p := spec.Plan()
	for _, name := range []string{s.home + "/.bashrc", s.home + "/.config/x", s.home + "/.ssh/id", s.dir + "/x", s.out + "/x", s.root + "/x", s.root + "/src/x", "/etc/x"} {
		v := p.Verdict(sandbox.OpWrite, name)
		covered := slices.ContainsFunc(slices.Concat(spec.Write, spec.Private), func(g sandbox.Grant) bool { return sandbox.Within(name, g.Path) })
		if v.Allowed && !covered {
			t.Fatalf("%q can be written, and nothing grants it: %s", name, v.Rule)
		}
		inRoot := sandbox.Within(name, s.root)
		territory := slices.ContainsFunc(spec.Write, func(g sandbox.Grant) bool { return g.Part == sandbox.Territory && sandbox.Within(name, g.Path) })
		if v.Allowed && inRoot && !territory {
			t.Fatalf("%q can be written without a territory: %s", name, v.Rule) // C24
		}
	}
}
