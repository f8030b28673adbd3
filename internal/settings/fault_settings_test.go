package settings

import (
	"errors"
	"os"
	"strings"
	"testing"

	"seisin/internal/sandbox"
)

// XDG_STATE_HOME is set, and the message says that it is not: what is missing
// is a place for the configuration.
func TestWithoutAHomeTheMessageIsTrue(t *testing.T) {
	g := newGround(t)
	g.setenv(t, map[string]string{"XDG_STATE_HOME": "$OUT/s"})
	_, err := Here()
	if err != nil && strings.Contains(err.Error(), "XDG_STATE_HOME is not set") {
		t.Errorf("got «%v», and it is set", err)
	}
}

// a key directory that is a link leading nowhere is refused as
// any link is, with its name, its line and the way out.
func TestKeyDirectoryThatLeadsNowhere(t *testing.T) {
	for name, lines := range map[string][]string{
		"Dangling":      {".secrets -> $OUT/none"},
		"Loop":          {".secrets -> .secrets"},
		"DanglingAbove": {"l -> none", ".secrets/"},
		"BelowAFile":    {"f"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, lines...)
			dir := map[string]string{"DanglingAbove": "l/keys", "BelowAFile": "f/keys"}[name]
			if dir == "" {
				dir = ".secrets"
			}
			_, err := g.resolve(t, "[keys]\ndir = '"+dir+"'\n[roles.dev]\nwrites = ['src/**']\n")
			refused, ok := errors.AsType[*RefusedError](err)
			if !ok || refused.Line != 2 || !strings.Contains(refused.Msg, dir) || refused.Hint() == "" {
				t.Errorf("got «%v» (%T), want a refusal that names %q and its line", err, err, dir)
			}
		})
	}
}

// "A path that leaves the repository through a symlink: refused" (design,
// section 3), also where it is written as an absolute path below the root.
func TestAbsolutePathBelowTheRootThatLeaves(t *testing.T) {
	g := newGround(t)
	g.make(t, "out -> $OUT")
	a, err := g.resolve(t, asPolicy("writes = ['$ROOT/out/**']"))
	if err == nil {
		t.Errorf("got the territory %q, want a refusal", g.grants(a.Spec.Write, sandbox.Territory))
	}
}

// One absent name granted as a file and as a directory: whichever comes first
// decides, and the other grant is silently nothing (LX-5).
func TestAbsentNameGrantedTwice(t *testing.T) {
	for _, policy := range []string{
		"writes = ['new', 'new/**']",
		"writes = ['src/**']\nnever_writes = ['src/new', 'src/new/**']",
	} {
		g := newGround(t)
		a, err := g.resolve(t, asPolicy(policy))
		if err != nil {
			continue // refused is right as well
		}
		for _, grant := range append(a.Spec.Write, a.Spec.Closed...) {
			if strings.HasSuffix(grant.Path, "/new") && grant.Kind == sandbox.File {
				t.Errorf("%s grants %q as a file: below it nothing can be made", policy, g.fold(grant.Path))
			}
		}
	}
}

// The approvals, and what the host runs, lie in the person's configuration: "a
// role whose grants contain it is refused" (design, section 4). A repository
// of dotfiles is the home itself.
func TestRepositoryThatHoldsTheConfiguration(t *testing.T) {
	for _, policy := range []string{"writes = ['**']", "writes = ['.config/**']", "writes = ['.config/seisin/approved/**']"} {
		g := newGround(t)
		g.setenv(t, map[string]string{"HOME": g.root})
		if err := os.MkdirAll(g.root+"/.config/seisin/approved", 0o755); err != nil {
			t.Fatal(err)
		}
		a, err := g.resolve(t, asPolicy(policy))
		if err != nil {
			continue
		}
		if v := a.Spec.Verdict(sandbox.OpWrite, g.root+"/.config/seisin/approved/x"); v.Allowed {
			t.Errorf("%s: the approvals can be written: %s", policy, v.Rule)
		}
	}
}
