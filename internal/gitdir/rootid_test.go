package gitdir

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

func TestRootID(t *testing.T) {
	for _, tt := range []struct{ root, want string }{
		{"/tmp/x", "LlaqNvU4"},
		{"/Users/ana/dev/proyecto", "bUTLlZZa"},
		{"/Users/bob/dev/proyecto", "rn93iFEy"},
		{"/home/a/work/api", "tceR_Dgs"},
		{"/home/b/work/api", "SqkRSlxL"},
	} {
		if got := RootID(tt.root); got != tt.want {
			t.Errorf("RootID(%q) = %q, want %q", tt.root, got, tt.want)
		}
	}
}

// Roots that end alike have ids that differ, and every id is a file name that
// fits.
func TestRootIDIsOfTheWholePath(t *testing.T) {
	valid := regexp.MustCompile(`^[A-Za-z0-9_-]{8}$`)
	rapid.Check(t, func(t *rapid.T) {
		head := rapid.StringMatching(`(/[a-z]{1,8}){1,4}`)
		tail := rapid.StringMatching(`(/[a-z]{1,20}){1,6}`).Draw(t, "tail")
		a, b := head.Draw(t, "a")+tail, head.Draw(t, "b")+tail
		if !valid.MatchString(RootID(a)) {
			t.Fatalf("RootID(%q) = %q, want eight characters of base64url", a, RootID(a))
		}
		if a != b && RootID(a) == RootID(b) {
			t.Fatalf("RootID(%q) = RootID(%q) = %q, want two ids", a, b, RootID(a))
		}
	})
}
