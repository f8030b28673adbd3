package settings

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/sandboxtest"
)

// whatever the roles of a policy make of the names that they may
// replace, in however many runs, no role is granted anything but what it was
// granted before, and what was closed to it or hidden stays so.
func TestNoRoleMovesAGrant(t *testing.T) {
	base := sandboxtest.Home(t) // not below /tmp, of which each run has its own
	planted, compared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		s := newTree(t, base, 2)
		defer func() { _ = os.RemoveAll(s.dir) }()
		for _, dir := range []string{"$root/a/c", "$root/src/l", "$out/p", "$out/q", "$home/.cache/y"} {
			_ = os.MkdirAll(s.expand(dir), 0o755) // or what was drawn is in the way
		}
		s.parse(t, s.twoRoles(t))
		before := s.answers()
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			planted += s.misuse(t)
		}
		after := s.answers()
		for role, now := range after {
			was, ok := before[role]
			if !ok {
				continue // it was refused: what it is granted now is not moved
			}
			compared++
			sameGrants(t, was.Spec, now.Spec)
		}
	})
	if planted == 0 || compared == 0 {
		t.Errorf("got %d links planted and %d answers compared: nothing was tested", planted, compared)
	}
}

// twoRoles draws a policy of two roles, the territories of which meet.
func (s *scene) twoRoles(t *rapid.T) string {
	list := func(label string, least, most int, from ...string) string {
		picked := rapid.SliceOfNDistinct(rapid.SampledFrom(from), least, most, rapid.ID).Draw(t, label)
		for i := range picked {
			picked[i] = "'" + s.expand(picked[i]) + "'"
		}
		return "[" + strings.Join(picked, ", ") + "]"
	}
	text := ""
	for _, role := range []string{"dev", "gen"} {
		text += "[roles." + role + "]\nwrites = " + list(role, 1, 4, "**", "a/**", "a/c/**", "a/c", "src/**", "src/l/**", "src/l/m",
			"src/x.sqlite", "$out/**", "$out/p/**", "$home/.cache/y/**") +
			"\nnever_writes = " + list(role+" never", 0, 2, "src/l/m", "a/c/**", "src/x.sqlite") + "\n"
	}
	text += "[keys]\ndir = " + list("keys", 0, 1, "src/l/keys", "a/c/keys", "$out/p/keys", "$home/.cache/y/keys") + "\n"
	if rapid.Bool().Draw(t, "own scratch") {
		text += "[runtime]\nwrites = " + list("scratch", 0, 3, "~/.cache", "~/.cache/y", "$out/q", "$out") + "\n"
	}
	return text
}

// here is the machine as the next run finds it.
func (s *scene) here() (Machine, error) {
	m := s.machine
	m.named = []namedDir{{"HOME", m.Home}}
	var err error
	if m.state, err = m.base("XDG_STATE_HOME", ".local/state"); err != nil {
		return m, err
	}
	m.Config, err = m.base("XDG_CONFIG_HOME", ".config")
	return m, err
}

// answers are those of the roles that are not refused.
func (s *scene) answers() map[string]*Answer {
	list := map[string]*Answer{}
	m, err := s.here()
	if err != nil {
		return list
	}
	site := At(s.policy, s.place, m)
	for i := range s.policy.Roles {
		if a, err := site.For(&s.policy.Roles[i], s.options); err == nil {
			list[s.policy.Roles[i].Name] = a
		}
	}
	return list
}

// misuse is a run of one role that puts links, and more, where it may. It
// returns how many links.
func (s *scene) misuse(t *rapid.T) (links int) {
	answers := s.answers()
	if len(answers) == 0 {
		return 0
	}
	role := rapid.SampledFrom(slices.Sorted(maps.Keys(answers))).Draw(t, "role")
	plan := answers[role].Spec.Plan()
	for range rapid.IntRange(1, 4).Draw(t, "names") {
		name := s.draw(t, "planted", "$root/a", "$root/a/c", "$root/a/c/keys", "$root/src", "$root/src/l", "$root/src/l/m", "$root/src/l/keys",
			"$root/src/x.sqlite", "$root/src/x.sqlite-wal", "$root/.cache", "$root/.config", "$out/p", "$out/q", "$home/.cache", "$home/.cache/y")
		// Name is judged as the kernel would come to it, and RemoveAll spares
		// what is mounted below it.
		dir, err := RealPath(filepath.Dir(name))
		if err != nil || !sandbox.Within(dir, s.dir) || mountedBelow(plan, filepath.Join(dir, filepath.Base(name))) {
			continue
		}
		name = filepath.Join(dir, filepath.Base(name))
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !plan.Verdict(sandbox.OpReplace, name).Allowed || !inHost(plan, name) {
			continue
		}
		_ = os.RemoveAll(name)
		target := s.draw(t, "to", "$root", "$home", "$out", "/", ".", "..", "nowhere", "$root/docs", "$root/.git", "$out/p", "$home/.config",
			"$root/src", "-dir", "-file", "-none")
		switch target {
		case "-none":
		case "-dir":
			_ = os.Mkdir(name, 0o755)
		case "-file":
			_ = os.WriteFile(name, nil, 0o644)
		default:
			if os.Symlink(target, name) == nil {
				links++
			}
		}
	}
	return links
}

// mountedBelow reports whether a box of this plan has a mount below name.
func mountedBelow(plan sandbox.Plan, name string) bool {
	return slices.ContainsFunc(plan.Mounts, func(m sandbox.Mount) bool { return m.Path != name && sandbox.Within(m.Path, name) })
}

// sameGrants holds that now grants nothing that was did not, rule by rule, and
// denies what was denied.
func sameGrants(t *rapid.T, was, now sandbox.Spec) {
	for _, g := range now.Write {
		if !slices.ContainsFunc(was.Write, func(old sandbox.Grant) bool { return sandbox.Within(g.Path, old.Path) }) {
			t.Fatalf("role %s, %s: grants %q now, before %s", now.Role, g.Rule, g.Path, where(was.Write))
		}
	}
	p := now.Plan()
	for _, d := range slices.Concat(was.Closed, was.Hidden) {
		if Sidecar(d) && !slices.ContainsFunc(now.Closed, func(c sandbox.Grant) bool { return c.Path == d.Path }) {
			continue // the database was made a directory, and has none
		}
		if v := p.Verdict(sandbox.OpWrite, d.Path); v.Allowed {
			t.Fatalf("role %s: %q was closed, %s, and can be written now: %s", now.Role, d.Path, d.Rule, v.Rule)
		}
	}
	for _, d := range was.Hidden {
		if v := p.Verdict(sandbox.OpRead, d.Path+"/x"); v.Allowed {
			t.Fatalf("role %s: %q was hidden, %s, and can be read now: %s", now.Role, d.Path, d.Rule, v.Rule)
		}
	}
}

func where(grants []sandbox.Grant) string {
	var list []string
	for _, g := range grants {
		list = append(list, fmt.Sprintf("%q by %s", g.Path, g.Rule))
	}
	return strings.Join(list, ", ")
}
