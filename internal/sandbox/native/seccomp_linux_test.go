//go:build amd64 || arm64

package native

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// A request is a system call as a filter sees it.
type request struct {
	arch uint32
	nr   uint32
	args [6]uint64
}

// A machine runs a filter in this process and not in the kernel.
type machine struct{ vm *bpf.VM }

func newMachine(t testing.TB, rows []row) machine {
	t.Helper()
	program, err := assemble(rows, knownCalls)
	if err != nil {
		t.Fatal(err)
	}
	if len(program) >= 4096 { // BPF_MAXINSNS
		t.Fatalf("%d instructions, want less than 4096", len(program))
	}
	vm, err := bpf.NewVM(program) // it looks at every jump
	if err != nil {
		t.Fatal(err)
	}
	return machine{vm}
}

// verdict is what the filter says of r. The kernel loads a word of struct
// seccomp_data in host order; package bpf loads it as a packet's, big-endian.
func (m machine) verdict(t interface{ Fatal(...any) }, r request) uint32 {
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[offNumber:], r.nr)
	binary.BigEndian.PutUint32(data[offArch:], r.arch)
	for i, arg := range r.args {
		binary.BigEndian.PutUint32(data[offArguments+8*i:], uint32(arg))
		binary.BigEndian.PutUint32(data[offArguments+8*i+4:], uint32(arg>>32))
	}
	got, err := m.vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(got)
}

// said is what the rows say of r, read one by one.
func said(rows []row, r request) uint32 {
	if r.arch != auditArch || x32Bit != 0 && r.nr >= x32Bit && r.nr != allBits {
		return kill
	}
	if r.nr != allBits && !isKnown(r.nr) {
		return absent
	}
	for _, row := range rows {
		named := slices.ContainsFunc(row.calls, func(c call) bool { return c.nr == r.nr })
		if named && !slices.ContainsFunc(row.when, func(t test) bool { return !holds(t, r.args[t.arg]) }) {
			return row.answer
		}
	}
	return allow
}

func isKnown(nr uint32) bool {
	return slices.ContainsFunc(knownCalls, func(s span) bool { return s.first <= nr && nr <= s.last })
}

func holds(t test, arg uint64) bool {
	if t.wide && arg>>32 != 0 {
		return true
	}
	return slices.Contains(t.values, uint32(arg)&t.mask) != t.not
}

// requests are calls of a number that the rows may tell apart: each argument
// at, beside and around what a test looks for, with and without upper bits.
func requests(rows []row, nr uint32) (list []request) {
	list = []request{{arch: auditArch, nr: nr}}
	for _, row := range rows {
		if !slices.ContainsFunc(row.calls, func(c call) bool { return c.nr == nr }) {
			continue
		}
		of := list[:1:1]
		for _, t := range row.when {
			for _, r := range slices.Clone(of) {
				for _, v := range around(t) {
					r.args[t.arg] = v
					of = append(of, r)
				}
			}
		}
		list = append(list, of[1:]...)
	}
	return list
}

func around(t test) (values []uint64) {
	for _, v := range append([]uint32{0, 1, allBits, t.mask, ^t.mask}, t.values...) {
		values = append(values, uint64(v), uint64(v)|1<<32, uint64(v)|1<<63)
	}
	for bit := uint32(1); bit != 0 && t.mask != allBits; bit <<= 1 {
		values = append(values, uint64(bit))
	}
	return values
}

var filters = []struct {
	name string
	opts filterOptions
}{
	{"Boxed", filterOptions{}},
	{"UserNS", filterOptions{UserNS: true}},
	{"Scoped", filterOptions{Scoped: true}},
	{"NoNotify", filterOptions{NoNotify: true}},
}

// The program says what the table says, of every number that the kernel has
// and some that it has not; what the table does not name is allowed if it was known; and the
// same call from another architecture, or of x32, kills.
func TestFilterAgreesWithTable(t *testing.T) {
	for _, f := range filters {
		t.Run(f.name, func(t *testing.T) {
			rows := filterRows(f.opts)
			m := newMachine(t, rows)
			for nr := range uint32(1024) {
				for _, r := range requests(rows, nr) {
					if got, want := m.verdict(t, r), said(rows, r); got != want {
						t.Fatalf("call %d %#x: got %#x, want %#x", nr, r.args, got, want)
					}
				}
				for _, arch := range []uint32{0, unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, auditArch ^ 1<<31, allBits} {
					if got := m.verdict(t, request{arch: arch, nr: nr}); got != kill {
						t.Fatalf("call %d of architecture %#x: got %#x, want %#x", nr, arch, got, kill)
					}
				}
				if x32Bit == 0 {
					continue
				}
				if got := m.verdict(t, request{arch: auditArch, nr: nr | x32Bit}); got != kill {
					t.Fatalf("x32 call %d: got %#x, want %#x", nr, got, kill)
				}
			}
		})
	}
}

// Nor do calls with any arguments whatever tell the two apart.
func TestFilterAgreesWithTableAnywhere(t *testing.T) {
	for _, f := range filters {
		rows := filterRows(f.opts)
		m := newMachine(t, rows)
		rapid.Check(t, func(t *rapid.T) {
			r := request{
				arch: rapid.OneOf(rapid.Just[uint32](auditArch), rapid.Uint32()).Draw(t, "arch"),
				nr:   rapid.OneOf(rapid.Uint32Range(0, 500), rapid.Uint32()).Draw(t, "nr"),
			}
			for i := range r.args {
				r.args[i] = rapid.Uint64().Draw(t, fmt.Sprintf("arg%d", i))
			}
			if got, want := m.verdict(t, r), said(rows, r); got != want {
				t.Fatalf("%s: call %d %#x: got %#x, want %#x", f.name, r.nr, r.args, got, want)
			}
		})
	}
}

// A 32-bit argument is compared by its low word, and so gives one verdict
// whatever stands above (F18). unshare alone takes 64 bits.
func TestFilterIgnoresUpperBits(t *testing.T) {
	rows := filterRows(filterOptions{})
	m := newMachine(t, rows)
	for nr := range uint32(1024) {
		if nr == unix.SYS_UNSHARE {
			continue
		}
		for _, r := range requests(rows, nr) {
			want := m.verdict(t, r)
			for i := range r.args {
				upper := r
				upper.args[i] ^= 1 << 32
				if got := m.verdict(t, upper); got != want {
					t.Fatalf("call %d: %#x gives %#x, %#x gives %#x", nr, r.args, want, upper.args, got)
				}
			}
		}
	}
}

// No row, and no call in a row, is there in vain: without it some verdict is
// another.
func TestFilterNeedsEveryRow(t *testing.T) {
	for _, f := range filters {
		rows := filterRows(f.opts)
		whole := newMachine(t, rows)
		for i, r := range rows {
			for j, c := range r.calls {
				less := slices.Clone(rows)
				less[i].calls = slices.Delete(slices.Clone(r.calls), j, j+1)
				m := newMachine(t, less)
				if !slices.ContainsFunc(requests(rows, c.nr), func(q request) bool {
					return whole.verdict(t, q) != m.verdict(t, q)
				}) {
					t.Errorf("%s: nothing is another without %s in row %d (%s)", f.name, c.name, i, r.why)
				}
			}
		}
	}
}

// Each value of a test counts too.
func TestFilterNeedsEveryValue(t *testing.T) {
	rows := filterRows(filterOptions{})
	whole := newMachine(t, rows)
	for i, r := range rows {
		for j, look := range r.when {
			for k, v := range look.values {
				less := slices.Clone(rows)
				less[i].when = slices.Clone(r.when)
				less[i].when[j].values = append(slices.Delete(slices.Clone(look.values), k, k+1), v^allBits)
				m := newMachine(t, less)
				if !slices.ContainsFunc(requests(rows, r.calls[0].nr), func(q request) bool {
					return whole.verdict(t, q) != m.verdict(t, q)
				}) {
					t.Errorf("nothing is another without %#x for argument %d of %s", v, look.arg, r.calls[0].name)
				}
			}
		}
	}
}

func TestTableIsReadable(t *testing.T) {
	names := map[uint32]string{}
	for i, r := range append(table(), archTable()...) {
		if len(r.calls) == 0 || r.why == "" || r.answer == 0 || r.answer == allow {
			t.Errorf("row %d (%q) has no call, no answer or no reason", i, r.why)
		}
		for _, c := range r.calls {
			if other := names[c.nr]; other != "" && other != c.name {
				t.Errorf("call %d is %q and %q", c.nr, other, c.name)
			}
			names[c.nr] = c.name
		}
	}
}

// A jump that BPF cannot say is an error and never another jump.
func TestAssembleRefusesLongJumps(t *testing.T) {
	many := make([]uint32, 256)
	for i := range many {
		many[i] = uint32(i)
	}
	one := func(tests ...test) []row {
		return []row{{calls: []call{{1, "write"}}, when: tests, answer: kill, why: "-"}}
	}
	for name, rows := range map[string][]row{
		"Is":    one(is(0, many...)),
		"IsNot": one(isNot(0, many...)),
		"Wide":  one(wide(is(0, many[:254]...))),
		"Rest":  one(is(0, 1), isNot(1, many[:200]...), isNot(2, many[:60]...)),
	} {
		if _, err := assemble(rows, knownCalls); err == nil {
			t.Errorf("%s: got a program, want an error", name)
		}
	}
}
