package arch

import (
	"debug/elf"
	"testing"

	"seisin/internal/sandbox/sandboxtest"
)

// One static binary: nothing of a box, whose /lib may be anyone's, is loaded
// into it. A build with cgo makes a dynamic one, through net and go-landlock's
// psx, and starts 0.9 ms later.
func TestBinaryIsStatic(t *testing.T) {
	f, err := elf.Open(sandboxtest.Binary(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, prog := range f.Progs {
		if prog.Type == elf.PT_INTERP || prog.Type == elf.PT_DYNAMIC {
			t.Errorf("the binary has a %v segment, want a static one", prog.Type)
		}
	}
}
