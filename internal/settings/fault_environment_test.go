package settings

import (
	"errors"
	"slices"
	"testing"
)

// What the tool builds it builds: a name in env does not put the person's
// value back, which may lead nowhere inside, and no GIT_* of the caller
// reaches a box (design, section 4). It may be refused as well.
func TestNamesInEnvDoNotUndoWhatIsBuilt(t *testing.T) {
	g := newGround(t)
	for name, outer := range map[string]string{
		"PATH": "/git-core:.:/usr/bin", "PWD": "/elsewhere", "TMPDIR": g.root,
		"GIT_OPTIONAL_LOCKS": "1", "SEISIN_ROLE": "other", "GIT_DIR": "/x",
	} {
		p, role, place, m := g.parts(t, asPolicy(`env = ["`+name+`"]`))
		m.Lookup = func(asked string) (string, bool) { return outer, asked == name }
		m.Getenv = func(asked string) string { value, _ := m.Lookup(asked); return value }
		a, err := For(p, role, place, m, Options{Cwd: g.root})
		if _, ok := errors.AsType[*RefusedError](err); ok {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(a.Spec.Env, name+"="+outer) {
			t.Errorf("env = [%q] gives %s=%s", name, name, outer)
		}
	}
}
