package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/gitdir"
	"seisin/internal/roles"
	"seisin/internal/sandbox"
	"seisin/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { sandboxtest.Main(m, nil) }

// A ground is a repository, a home and a place outside both, to resolve
// policies on.
type ground struct {
	root, home, out string
}

// newGround makes a repository with src/a, docs/d and NOTES.md, an empty home,
// and an empty directory outside both. TMPDIR is not set.
func newGround(t *testing.T) *ground {
	t.Helper()
	g := &ground{home: sandboxtest.Home(t)}
	g.root = sandboxtest.Repo(t, map[string]string{"src/a": "a", "docs/d": "d", "NOTES.md": "n", "seisin.toml": "[roles.dev]\n"})
	g.out = filepath.Join(filepath.Dir(g.root), filepath.Base(g.root)+"-out")
	if err := os.Mkdir(g.out, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(g.out) })
	unset(t, "TMPDIR")
	return g
}

// unset removes a variable until the test ends. Setenv is for what it does at
// the end: it puts the old value back.
func unset(t *testing.T, name string) {
	t.Helper()
	t.Setenv(name, "")
	if err := os.Unsetenv(name); err != nil {
		t.Fatal(err)
	}
}

// expand puts the ground's directories for $ROOT, $HOME and $OUT.
func (g *ground) expand(s string) string {
	return strings.NewReplacer("$ROOT", g.root, "$HOME", g.home, "$OUT", g.out).Replace(s)
}

// fold is expand the other way round.
func (g *ground) fold(s string) string {
	return strings.NewReplacer(g.out, "$OUT", g.root, "$ROOT", g.home, "$HOME").Replace(s)
}

// make makes files and more, a line each: "f" is a file, "d/" a directory,
// "l -> t" a symlink, "f = g" a hard link, "f |" a FIFO. Paths are relative to
// the root or begin with $ROOT, $HOME or $OUT.
func (g *ground) make(t testing.TB, lines ...string) {
	t.Helper()
	for _, line := range lines {
		name, rest, _ := strings.Cut(g.expand(line), " ")
		if !filepath.IsAbs(name) {
			name = g.root + "/" + name
		}
		err := os.MkdirAll(filepath.Dir(name), 0o755)
		switch how, to, _ := strings.Cut(rest, " "); {
		case how == "->":
			err = errors.Join(err, os.Symlink(to, name))
		case how == "=":
			err = errors.Join(err, os.Link(filepath.Join(g.root, to), name))
		case how == "|":
			err = errors.Join(err, unix.Mkfifo(name, 0o644))
		case strings.HasSuffix(name, "/"):
		default:
			err = errors.Join(err, os.WriteFile(name, []byte("x"), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// resolve resolves role dev of a policy, whose $ROOT, $HOME and $OUT are
// expanded.
func (g *ground) resolve(t testing.TB, policy string, change ...func(*Options)) (*Answer, error) {
	t.Helper()
	p, role, place, m := g.parts(t, policy)
	o := Options{Cwd: g.root}
	for _, f := range change {
		f(&o)
	}
	return For(p, role, place, m, o)
}

// parts are what For takes.
func (g *ground) parts(t testing.TB, policy string) (*roles.Policy, *roles.Role, *gitdir.Place, Machine) {
	t.Helper()
	p, err := roles.Parse(filepath.Join(g.root, "seisin.toml"), []byte(g.expand(policy)))
	if err != nil {
		t.Fatal(err)
	}
	role, err := p.Find("dev")
	if err != nil {
		t.Fatal(err)
	}
	place, err := gitdir.Find(g.root, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Here()
	if err != nil {
		t.Fatal(err)
	}
	return p, role, place, m
}

// answer resolves a policy that is granted.
func (g *ground) answer(t testing.TB, policy string, change ...func(*Options)) *Answer {
	t.Helper()
	a, err := g.resolve(t, policy, change...)
	if err != nil {
		t.Fatalf("%s\nis refused: %v", policy, err)
	}
	return a
}

// observing is run --observe.
func observing(o *Options) { o.Observe = true }

// A refusal is a policy that is not granted here, and what the person is told.
type refusal struct {
	name      string
	make      []string // see ground.make
	policy    string   // line 1 of it is "[roles.dev]" where it begins with a key
	line      int
	msg, hint string // with $ROOT, $HOME, $OUT
}

func (tt refusal) check(t *testing.T, g *ground) {
	t.Helper()
	g.make(t, tt.make...)
	a, err := g.resolve(t, asPolicy(tt.policy))
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok {
		t.Fatalf("got «%v», %v, want a refusal", err, a)
	}
	if got := g.fold(refused.Msg); got != tt.msg {
		t.Errorf("got  «%s»\nwant «%s»", got, tt.msg)
	}
	if got := g.fold(refused.Hint()); got != tt.hint {
		t.Errorf("got hint  «%s»\nwant hint «%s»", got, tt.hint)
	}
	if refused.Line != tt.line || refused.Role != "dev" || refused.Path != g.root+"/seisin.toml" {
		t.Errorf("got %s:%d, role %q, want line %d of role \"dev\"", refused.Path, refused.Line, refused.Role, tt.line)
	}
}

func refuseAll(t *testing.T, table []refusal) {
	t.Helper()
	for _, tt := range table {
		t.Run(tt.name, func(t *testing.T) { tt.check(t, newGround(t)) })
	}
}

// asPolicy puts keys of a role into role dev.
func asPolicy(s string) string {
	if strings.HasPrefix(s, "[") {
		return s
	}
	return "[roles.dev]\n" + s
}

// grants writes a list of grants down, a line a grant: the path, what it is,
// and whether it is absent.
func (g *ground) grants(list []sandbox.Grant, parts ...sandbox.Part) (lines []string) {
	for _, grant := range list {
		if len(parts) > 0 && !slices.Contains(parts, grant.Part) {
			continue
		}
		line := fmt.Sprintf("%s %s", g.fold(grant.Path), grant.Kind)
		if grant.Absent() {
			line += " absent"
		}
		lines = append(lines, line)
	}
	return lines
}

func wantLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}

// notes returns the notes, a line each.
func (g *ground) notes(a *Answer) (lines []string) {
	for _, n := range a.Notes {
		lines = append(lines, fmt.Sprintf("%d: %s", n.Line, g.fold(n.What)))
	}
	return lines
}
