package sandbox

import (
	"path"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawPath draws a path of few names, so that grants meet: equal, one inside
// another, or alike as text only.
func drawPath(t *rapid.T, label string) string {
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "a-b"}), 1, 4).Draw(t, label)
	top := rapid.SampledFrom([]string{"/", "/", "/", "/", "/", "/run"}).Draw(t, label+" in")
	return path.Join(append([]string{top}, names...)...)
}

func drawGrant(t *rapid.T, list string) Grant {
	p := drawPath(t, list)
	kind := Dir
	if rapid.IntRange(0, 3).Draw(t, "file") == 0 {
		kind = File
	}
	return Grant{Path: p, Kind: kind, Part: Territory, Rule: list + " " + p}
}

// drawSpec draws any spec.
func drawSpec(t *rapid.T) Spec {
	s := Spec{Role: "dev", Key: "dev", Root: "/r", RootID: "abcdefgh", Cwd: "/r"}
	for _, name := range listNames {
		list := listOf(&s, name)
		for range rapid.IntRange(0, 4).Draw(t, name+" grants") {
			*list = append(*list, drawGrant(t, name))
		}
	}
	s.Normalize()
	return s
}

// names are what there is to ask about a spec: each path in it, what lies
// above, beside and below.
func names(s Spec) []string {
	seen := map[string]bool{"/": true, "/etc/x": true, "/tmp/x": true, "/dev/null": true, "/proc/1": true}
	for _, name := range listNames {
		for _, g := range *listOf(&s, name) {
			seen[g.Path+"/new"], seen[g.Path+"x"] = true, true
			for p := g.Path; p != "/"; p = path.Dir(p) {
				seen[p] = true
			}
		}
	}
	var all []string
	for name := range seen {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

var fileOps = []Op{OpRead, OpWrite, OpReplace}

// eachSpec checks a property of specs and their plans.
func eachSpec(t *testing.T, check func(t *rapid.T, p Plan)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) { check(t, drawSpec(t).Plan()) })
}

// Equal specs have equal plans: the order in which grants were found is
// nothing to the kernel.
func TestEqualSpecsHaveEqualPlans(t *testing.T) {
	eachSpec(t, func(t *rapid.T, p Plan) {
		again := p.Spec
		for _, name := range listNames {
			list := listOf(&again, name)
			*list = rapid.Permutation(slices.Clone(*list)).Draw(t, name)
		}
		again.Normalize()
		if !reflect.DeepEqual(again, p.Spec) {
			t.Fatalf("got  %+v\nwant %+v", again, p.Spec)
		}
		if got := again.Plan(); !reflect.DeepEqual(got, p) {
			t.Fatalf("got\n%s\nwant\n%s", show(got), show(p))
		}
	})
}

// The kernel knows mounts only. What they do by themselves is what Verdict
// says: a denial that no mount holds would be words.
func TestVerdictIsWhatTheMountsDo(t *testing.T) {
	eachSpec(t, func(t *rapid.T, p Plan) {
		at := map[string]Mount{}
		for _, m := range p.Mounts {
			at[m.Path] = m
		}
		over := func(name string) Mount {
			for {
				if m, ok := at[name]; ok {
					return m
				}
				name = path.Dir(name)
			}
		}
		for _, name := range names(p.Spec) {
			_, busy := at[name]
			// In these file systems nobody makes a name, however they are mounted.
			isTop := name == "/proc" || name == "/dev/pts"
			isFixed := Within(name, "/proc") || Within(name, "/dev/pts")
			kernel := map[Op]bool{
				OpRead:    over(name).Mode != Empty && (over(name).Mode != Skeleton || busy),
				OpWrite:   over(name).Mode == Writable && !isTop,
				OpReplace: !busy && over(path.Dir(name)).Mode == Writable && !isFixed,
			}
			for _, op := range fileOps {
				if v := p.Verdict(op, name); v.Allowed != kernel[op] {
					t.Fatalf("Verdict(%s, %q) = %+v, the mounts say %v:\n%s", op, name, v, kernel[op], show(p))
				}
			}
		}
	})
}

// a denial wins over every grant, at any depth, and no mount opens it.
func TestDenialWins(t *testing.T) {
	eachSpec(t, func(t *rapid.T, p Plan) {
		for _, denied := range slices.Concat(p.Spec.Closed, p.Spec.Hidden) {
			for _, m := range p.Mounts {
				if m.Mode == Writable && Within(m.Path, denied.Path) {
					t.Fatalf("%q is writable, and lies in %q:\n%s", m.Path, denied.Rule, show(p))
				}
			}
			for _, name := range names(p.Spec) {
				if Within(name, denied.Path) && (p.Verdict(OpWrite, name).Allowed || p.Verdict(OpReplace, name).Allowed) {
					t.Fatalf("%q can be written, and lies in %q", name, denied.Rule)
				}
			}
		}
	})
}

// LX-1, LX-2: whatever is mounted in a writable place stays where it is, since
// every directory between is a mount.
func TestPinsAreComplete(t *testing.T) {
	eachSpec(t, func(t *rapid.T, p Plan) {
		for _, m := range p.Mounts {
			if m.Path == "/" {
				continue
			}
			if v := p.Verdict(OpReplace, m.Path); v.Allowed {
				t.Fatalf("the mount at %q can be replaced: %+v\n%s", m.Path, v, show(p))
			}
			around := p.enclosing(path.Dir(m.Path))
			if around.Mode == Writable && around.Path != path.Dir(m.Path) {
				t.Fatalf("between %q and %q no mount pins the directories:\n%s", around.Path, m.Path, show(p))
			}
		}
	})
}

// Each mount does something: without it some answer would be another one, or
// something inside it could be moved.
func TestNoMountIsIdle(t *testing.T) {
	eachSpec(t, func(t *rapid.T, p Plan) {
		for _, m := range p.Mounts {
			if Builtin(m.Path) || m.Own {
				continue
			}
			around := p.enclosing(path.Dir(m.Path))
			leads := slices.ContainsFunc(p.Mounts, func(d Mount) bool { return d.Path != m.Path && Within(d.Path, m.Path) })
			if m.Mode == around.Mode && m.Mode != Skeleton && !around.Own && (!m.Pin || !leads) {
				t.Fatalf("%q says what is said around it at %q:\n%s", m.Path, around.Path, show(p))
			}
		}
	})
}

func TestReplaceNeedsWrite(t *testing.T) {
	eachSpec(t, func(t *rapid.T, p Plan) {
		for _, name := range names(p.Spec) {
			if p.Verdict(OpReplace, name).Allowed && !p.Verdict(OpWrite, name).Allowed {
				t.Fatalf("%q can be replaced and not written:\n%s", name, show(p))
			}
		}
	})
}

// Every answer names its rule.
func TestEveryVerdictHasARule(t *testing.T) {
	eachSpec(t, func(t *rapid.T, p Plan) {
		for _, name := range names(p.Spec) {
			for _, op := range fileOps {
				if v := p.Verdict(op, name); v.Rule == "" || v.Crosses {
					t.Fatalf("Verdict(%s, %q) = %+v, want a rule", op, name, v)
				}
			}
		}
	})
}
