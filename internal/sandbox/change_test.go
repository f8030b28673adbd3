package sandbox

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A rename is judged on both names, in whichever order, and is never allowed
// where one of them cannot be replaced.
func TestRenameIsSymmetric(t *testing.T) {
	eachSpec(t, func(t *rapid.T, p Plan) {
		all := names(p.Spec)
		from, to := rapid.SampledFrom(all).Draw(t, "from"), rapid.SampledFrom(all).Draw(t, "to")
		there, back := p.Rename(from, to), p.Rename(to, from)
		if there.Allowed != back.Allowed || there.Crosses != back.Crosses {
			t.Fatalf("Rename(%q, %q) = %+v, the other way %+v", from, to, there, back)
		}
		both := p.Verdict(OpReplace, from).Allowed && p.Verdict(OpReplace, to).Allowed
		if both != (there.Allowed || there.Crosses) || there.Allowed && there.Crosses {
			t.Fatalf("Rename(%q, %q) = %+v, and both can be replaced: %v", from, to, there, both)
		}
		if link := p.Link(from, to); there.Allowed && !link.Allowed {
			t.Fatalf("Rename(%q, %q) is allowed, Link is not: %+v", from, to, link)
		}
	})
}

// What takes away takes away: one more denial allows nothing that was denied.
func TestMoreClosedIsNeverWider(t *testing.T) {
	eachSpec(t, func(t *rapid.T, before Plan) {
		s := before.Spec
		extra := drawGrant(t, "more")
		if rapid.Bool().Draw(t, "hidden") {
			s.Hidden = append(slices.Clone(s.Hidden), extra)
		} else {
			s.Closed = append(slices.Clone(s.Closed), extra)
		}
		s.Normalize()
		after := s.Plan()
		all := names(s)
		for _, name := range all {
			for _, op := range fileOps {
				if after.Verdict(op, name).Allowed && !before.Verdict(op, name).Allowed {
					t.Fatalf("%q allows %s of %q:\n%s\nbefore:\n%s", extra.Rule, op, name, show(after), show(before))
				}
			}
		}
		from, to := rapid.SampledFrom(all).Draw(t, "from"), rapid.SampledFrom(all).Draw(t, "to")
		if after.Rename(from, to).Allowed && !before.Rename(from, to).Allowed {
			t.Fatalf("%q allows to rename %q to %q", extra.Rule, from, to)
		}
		if after.Link(from, to).Allowed && !before.Link(from, to).Allowed {
			t.Fatalf("%q allows to link %q to %q", extra.Rule, from, to)
		}
	})
}

// One more grant takes no write and no read away. It can keep names in place:
// its own, and in the run's own directories those that lead to it.
func TestMoreWriteIsNeverNarrower(t *testing.T) {
	eachSpec(t, func(t *rapid.T, before Plan) {
		s := before.Spec
		extra := drawGrant(t, "more")
		s.Write = append(slices.Clone(s.Write), extra)
		s.Normalize()
		after := s.Plan()
		all := names(s)
		for _, name := range all {
			for _, op := range fileOps {
				if after.Verdict(op, name).Allowed || !before.Verdict(op, name).Allowed {
					continue
				}
				if op != OpReplace || !Within(extra.Path, name) || !before.enclosing(name).Own {
					t.Fatalf("%q denies %s of %q:\n%s\nbefore:\n%s", extra.Rule, op, name, show(after), show(before))
				}
			}
		}
		from, to := rapid.SampledFrom(all).Draw(t, "from"), rapid.SampledFrom(all).Draw(t, "to")
		if v := after.Rename(from, to); before.Rename(from, to).Allowed && !v.Allowed {
			if !before.enclosing(from).Own {
				t.Fatalf("%q denies to rename %q to %q: %+v", extra.Rule, from, to, v)
			}
		}
	})
}

// The spec that grants nothing reads what everybody reads, and writes only
// what each box has for itself.
func TestEmptySpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Spec{Role: "reviewer"}.Plan()
		name := drawPath(t, "name")
		own := strings.HasPrefix(name, "/dev/shm")
		if got := p.Verdict(OpWrite, name).Allowed; got != own {
			t.Fatalf("Verdict(write, %q).Allowed = %v, want %v", name, got, own)
		}
		if !p.Verdict(OpRead, name).Allowed {
			t.Fatalf("%q cannot be read", name)
		}
	})
}
