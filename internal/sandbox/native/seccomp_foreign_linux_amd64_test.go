package native

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// program is a whole amd64 program: an ELF header, one segment, and code.
func program(code []byte) []byte {
	const base, headers = 0x400000, 64 + 56
	size := uint64(headers + len(code))
	var b bytes.Buffer
	b.WriteString("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	for _, field := range []any{
		uint16(2), uint16(62), uint32(1), uint64(base + headers), // executable, amd64, entry
		uint64(64), uint64(0), uint32(0), uint16(64), uint16(56), uint16(1), uint16(0), uint16(0), uint16(0),
		uint32(1), uint32(5), uint64(0), uint64(base), uint64(base), size, size, uint64(4096), // PT_LOAD, readable, executable
	} {
		_ = binary.Write(&b, binary.LittleEndian, field)
	}
	return append(b.Bytes(), code...)
}

// exit42 ends the program by amd64's own exit, if it gets that far.
var exit42 = []byte{
	0xb8, 60, 0, 0, 0, // mov eax, 60
	0xbf, 42, 0, 0, 0, // mov edi, 42
	0x0f, 0x05, // syscall
}

// A program of amd64 makes a call of i386, or of x32, by the number that it
// has there. THIS TEST VERIFIES that it is killed: an answer by our own table
// would be about another call.
func TestFilterKillsForeignCalls(t *testing.T) {
	for _, tt := range []struct {
		name string
		code []byte
		dies bool
	}{
		{"Own", nil, false},
		{"I386", []byte{
			0xb8, 20, 0, 0, 0, // mov eax, 20: getpid
			0xcd, 0x80, // int 0x80
		}, true},
		{"X32", []byte{
			0xb8, 39, 0, 0, 0x40, // mov eax, x32 getpid
			0x0f, 0x05, // syscall
		}, true},
		{"NoCall", []byte{
			0x48, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff, // mov rax, -1
			0x0f, 0x05, // syscall
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "program")
			if err := os.WriteFile(file, program(slices.Concat(tt.code, exit42)), 0o755); err != nil {
				t.Fatal(err)
			}
			control, got := ended(t, file, false), ended(t, file, true)
			if tt.name == "I386" && control.Signaled() && control.Signal() == unix.SIGSEGV {
				// int 0x80 faults by itself: this kernel has no i386 calls to
				// kill. The verdict is TestFilterAgreesWithTable's.
				t.Logf("no i386 calls here: %#x without the filter, %#x with it", control, got)
				return
			}
			if !control.Exited() || control.ExitStatus() != 42 {
				t.Fatalf("the control: status %#x without the filter, want exit 42", control)
			}
			switch {
			case tt.dies && !(got.Signaled() && got.Signal() == unix.SIGSYS):
				t.Errorf("status %#x, want to be killed by SIGSYS", got)
			case !tt.dies && !(got.Exited() && got.ExitStatus() == 42):
				t.Errorf("status %#x, want exit 42", got)
			}
		})
	}
}

// ended is how the program ended, under the filter or not.
func ended(t *testing.T, file string, under bool) unix.WaitStatus {
	t.Helper()
	cmd := filtered(t, "exec", under, file)
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return unix.WaitStatus(cmd.ProcessState.Sys().(syscall.WaitStatus))
}
