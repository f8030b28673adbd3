package settings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"seisin/internal/sandbox"
)

func ownersSpec(role string, write ...sandbox.Grant) *Answer {
	spec := sandbox.Spec{
		Role: role, Root: "/w", Cwd: "/w", Write: write,
		Closed: []sandbox.Grant{
			{Path: "/w/.git", Kind: sandbox.Dir, Part: sandbox.Git, Rule: "git"},
			{Path: "/w/seisin.toml", Kind: sandbox.File, Part: sandbox.Policy, Rule: "policy"},
		},
		Hidden: []sandbox.Grant{
			{Path: "/w/.git/seisin", Kind: sandbox.Dir, Part: sandbox.State, Rule: "state"},
			{Path: "/w/.secrets", Kind: sandbox.Dir, Part: sandbox.Keys, Rule: "keys"},
		},
		Private: []sandbox.Grant{{Path: "/tmp", Kind: sandbox.Dir, Part: sandbox.Temporary, Rule: "tmp"}},
	}
	spec.Normalize()
	return &Answer{Spec: spec}
}

func ownersGrant(p string, part sandbox.Part) sandbox.Grant {
	return sandbox.Grant{Path: p, Kind: sandbox.Dir, Part: part, Rule: p}
}

func TestOwnersOf(t *testing.T) {
	scratch := ownersGrant("/h/.cache", sandbox.Scratch)
	dev := ownersSpec("dev", ownersGrant("/w/src", sandbox.Territory), scratch)
	dev.Spec.Closed = append(dev.Spec.Closed, sandbox.Grant{Path: "/w/src/gen", Kind: sandbox.Dir, Part: sandbox.Never, Rule: "never"})
	dev.Spec.Normalize()
	web := ownersSpec("web", ownersGrant("/w/src/web", sandbox.Territory), scratch)
	bad := ownersSpec("bad", ownersGrant("/w/src/web", sandbox.Territory), ownersGrant("/w/docs", sandbox.Territory), scratch)
	owners := OwnersOf([]*Answer{dev, web}, []*Answer{bad})
	for _, tt := range []struct {
		path  string
		roles []string
		why   string
		every bool
	}{
		{path: "/w/src/a", roles: []string{"dev"}},
		{path: "/w/src/web/a", roles: []string{"dev", "web"}}, // all of them, in the order of the policy
		{path: "/w/src", roles: []string{"dev"}},
		{path: "/w/srcfoo"}, // a prefix of the name is none of the path
		{path: "/w/src/gen/a"},
		{path: "/w"},
		{path: "/etc/passwd"},
		{path: "/w/seisin.toml", why: "it is the policy"},
		{path: "/w/.git/config", why: "it is git's own"},
		{path: "/w/.git/seisin/log", why: "it is this tool's own state"}, // the deeper of two
		{path: "/w/.secrets/k", why: "it is in a key directory"},
		{path: "/h/.cache/x", why: "it is scratch", every: true},
		{path: "/tmp/x", why: "it is scratch", every: true},
	} {
		got := owners.Of(tt.path)
		if !slices.Equal(got.Roles, tt.roles) || got.Why != tt.why || got.Every != tt.every {
			t.Errorf("Of(%q): got %+v, want roles %q, why %q, every %v", tt.path, got, tt.roles, tt.why, tt.every)
		}
		if got.Roles == nil || got.Refused == nil {
			t.Errorf("Of(%q): got no list of roles or of refused ones, want empty ones", tt.path)
		}
	}
	for p, want := range map[string][]string{"/w/src/web/x": {"bad"}, "/w/docs/x": {"bad"}, "/w/src/x": {}, "/h/.cache/x": {}, "/w/seisin.toml": {}} {
		if got := owners.Of(p); !slices.Equal(got.Refused, want) {
			t.Errorf("Of(%q): got refused owners %q, want %q", p, got.Refused, want)
		}
	}
	if got := OwnersOf(nil, nil).Of("/w/a"); len(got.Roles) != 0 || got.Every || got.Why != "" {
		t.Errorf("without roles: got %+v, want nobody", got)
	}
}

// What territory calls its sidecars, Sidecar knows (UA-16).
func TestSidecar(t *testing.T) {
	dir := t.TempDir()
	r := &resolver{answer: &Answer{}}
	r.grant(sandbox.Grant{Path: filepath.Join(dir, "app.sqlite"), Kind: sandbox.File, Rule: "the rule"})
	sidecarsSeen := 0
	for _, g := range r.answer.Spec.Write {
		if Sidecar(g) {
			sidecarsSeen++
		}
		if Sidecar(g) == (g.Path == filepath.Join(dir, "app.sqlite")) {
			t.Errorf("Sidecar(%q): got %v", g.Path, Sidecar(g))
		}
	}
	if sidecarsSeen != len(sidecars) {
		t.Errorf("got %d sidecars, want %d", sidecarsSeen, len(sidecars))
	}
	for _, named := range []sandbox.Grant{
		{Path: "/w/app.sqlite-wal", Rule: `roles.dev.writes "app.sqlite-wal" (seisin.toml:1)`}, // by a pattern of its own
		{Path: "/w/app.db-wal", Rule: "x: SQLite's -wal"},
	} {
		if Sidecar(named) {
			t.Errorf("Sidecar(%q): got true, want false", named.Path)
		}
	}
}

// A path is followed as the kernel follows it, and what does not exist is
// taken as it is written (UA-34).
func TestRealPath(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"a/b", "c"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"to-b": "a/b", "abs": filepath.Join(dir, "c"), "loose": "c/not-yet", "chain": "to-b", "loop": "loop", "up": "..",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ in, want string }{
		{"a/b/f", "a/b/f"},
		{"to-b/f", "a/b/f"},
		{"chain/f", "a/b/f"},
		{"abs/f", "c/f"},
		{"loose", "c/not-yet"},
		{"loose/x", "c/not-yet/x"},
		{"to-b/../f", "a/f"}, // what the link led to is left, not where it stood
		{"a/../c/./f", "c/f"},
		{"no/such/../f", "no/f"},
		{"a//b/", "a/b"},
		{"", ""},
	} {
		got, err := RealPath(dir + "/" + tt.in)
		if want := filepath.Join(dir, tt.want); err != nil || got != want {
			t.Errorf("RealPath(%q): got %q, %v, want %q", tt.in, got, err, want)
		}
	}
	if _, err := RealPath(filepath.Join(dir, "loop/x")); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("RealPath of a loop: got %v, want %v", err, syscall.ELOOP)
	}
	if _, err := RealPath("a"); err == nil {
		t.Error("RealPath of a relative path: got no error")
	}
	if got, err := RealPath("/../.."); err != nil || got != "/" {
		t.Errorf("RealPath above the root: got %q, %v, want %q", got, err, "/")
	}
}
