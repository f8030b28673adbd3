package sandbox

import "testing"

// A Read of the very path that is Closed or Hidden takes the mount away, and
// Verdict goes on to deny: the words are tighter than the kernel.
func TestReadOfAClosedPathKeepsItClosed(t *testing.T) {
	for _, list := range []string{"closed", "hidden"} {
		p := specOf(t, "write /r", list+" /r/k", "read /r/k").Plan()
		if v, m := p.Verdict(OpWrite, "/r/k/x"), p.enclosing("/r/k/x"); !v.Allowed && m.Mode == Writable {
			t.Errorf("%s and read of /r/k: denied by %q, and the mount %q is writable", list, v.Rule, m.Path)
		}
	}
}

// A denial of a place that each box has for itself, such as a key directory
// /dev/shm, is no mount, and Verdict denies what the box's own lets be written.
func TestDenialOfWhatEveryBoxHas(t *testing.T) {
	for _, grant := range []string{"hidden /dev/shm", "closed /dev/shm", "hidden /dev", "hidden /proc"} {
		p := specOf(t, grant).Plan()
		name := "/dev/shm/x"
		if grant == "hidden /proc" {
			name = "/proc/self/comm"
		}
		if v, m := p.Verdict(OpWrite, name), p.enclosing(name); !v.Allowed && m.Mode == Writable {
			t.Errorf("%s: %q is denied by %q, and the mount %q is writable", grant, name, v.Rule, m.Path)
		}
	}
}
