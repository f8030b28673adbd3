//go:build amd64 || arm64

package native

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// numbered are the calls of this architecture by package unix, which follows
// the kernel's own headers.
func numbered(t *testing.T) map[uint32]string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/sys/unix").Output()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(strings.TrimSpace(string(dir)), "zsysnum_linux_"+runtime.GOARCH+".go")
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[uint32]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name == "SYS_ARCH_SPECIFIC_SYSCALL" { // where an architecture's own would begin
			return true
		}
		nr, err := strconv.ParseUint(spec.Values[0].(*ast.BasicLit).Value, 0, 32)
		if err != nil {
			t.Fatal(err)
		}
		calls[uint32(nr)] = spec.Names[0].Name
		return true
	})
	return calls
}

// What is known is what has a name, to the number: a call that a new version of
// package unix names is one to read about, and until then absent, like each
// number that no call has yet.
func TestFilterKnowsWhatHasAName(t *testing.T) {
	calls := numbered(t)
	if len(calls) < 300 {
		t.Fatalf("package unix names %d calls, want some 350", len(calls))
	}
	for _, f := range filters {
		rows := filterRows(f.opts)
		m := newMachine(t, rows)
		for nr := range uint32(4096) {
			name, named := calls[nr]
			if got := m.verdict(t, request{arch: auditArch, nr: nr}); !named && got != absent {
				t.Errorf("%s: call %d, which has no name: got %#x, want %#x", f.name, nr, got, absent)
			}
			if named != isKnown(nr) {
				t.Errorf("%s (%d) is known: %t, want %t", name, nr, !named, named)
			}
		}
	}
	for _, c := range tableCalls() {
		if !isKnown(c.nr) {
			t.Errorf("%s (%d) has a row and is not known", c.name, c.nr)
		}
	}
}

func tableCalls() (calls []call) {
	for _, r := range append(table(), archTable()...) {
		calls = append(calls, r.calls...)
	}
	return calls
}

// On the real kernel a call that it has is absent where the filter does not
// know it, and the process goes on; the control is the filter that does. So is
// each number beyond those that are known.
func TestFilterAnswersUnknownCalls(t *testing.T) {
	for _, last := range []int{unix.SYS_RSEQ_SLICE_YIELD, unix.SYS_CLOSE_RANGE - 1} {
		out, err := filtered(t, "unknown", false, fmt.Sprint(last)).CombinedOutput()
		if err != nil {
			t.Errorf("a filter that knows calls up to %d: %v\n%s", last, err, out)
		}
	}
}

// askUnknown makes calls under a filter that knows those up to a number.
func askUnknown(args []string) error {
	last, err := strconv.ParseUint(args[0], 10, 32)
	if err != nil {
		return err
	}
	program, err := assemble(filterRows(filterOptions{NoNotify: true}), []span{{0, uint32(last)}})
	if err != nil {
		return err
	}
	filter, err := sockFilter(program)
	if err != nil {
		return err
	}
	if err := installOnThread(filter); err != nil {
		return err
	}
	var want error // close_range of none
	if last < unix.SYS_CLOSE_RANGE {
		want = unix.ENOSYS
	}
	if err := raw(unix.SYS_CLOSE_RANGE, none, none, 0)(); !errors.Is(err, want) {
		return fmt.Errorf("close_range: got %v, want %v", err, want)
	}
	for nr := unix.SYS_RSEQ_SLICE_YIELD + 1; nr < 2048; nr++ {
		if err := raw(uintptr(nr), none, none, none, none, none, none)(); !errors.Is(err, unix.ENOSYS) {
			return fmt.Errorf("call %d: got %v, want %v", nr, err, unix.ENOSYS)
		}
	}
	return nil
}
