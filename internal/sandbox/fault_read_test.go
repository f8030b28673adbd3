package sandbox

import "testing"

// A Read inside something hidden opens it, whatever else names the very path:
// a grant that the denial makes void must not take the Read with it.
func TestReadOfAPathThatIsNamedTwice(t *testing.T) {
	for _, list := range []string{"write", "closed", "shown", "private"} {
		p := specOf(t, "hidden /h", "read /h/own", list+" /h/own").Plan()
		if v := p.Verdict(OpRead, "/h/own/x"); !v.Allowed {
			t.Errorf("read and %s of /h/own, inside hidden /h: a read is denied: %s", list, v.Rule)
		}
	}
}
