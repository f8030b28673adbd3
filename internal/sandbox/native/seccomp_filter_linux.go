package native

import (
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// Where <linux/seccomp.h> has the fields of struct seccomp_data. An argument
// is 64 bits wide, its low word first: both architectures are little-endian.
const (
	offNumber    = 0
	offArch      = 4
	offArguments = 16
)

// filterOptions are what differs between filters. The zero value is the
// filter of a role that asks for nothing.
type filterOptions struct {
	UserNS   bool // the role may make user namespaces
	Scoped   bool // Landlock keeps the box's signals inside, see scopeABI
	NoNotify bool // leave out what is notified: for tests that serve no listener
}

// filterProgram returns the filter of a box, as the kernel takes it.
func filterProgram(o filterOptions) ([]unix.SockFilter, error) {
	program, err := assemble(filterRows(o), knownCalls)
	if err != nil {
		return nil, err
	}
	return sockFilter(program)
}

// sockFilter returns a program as the kernel takes it.
func sockFilter(program []bpf.Instruction) ([]unix.SockFilter, error) {
	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, err
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return filter, nil
}

// filterRows returns the rows of the table that stand in such a filter.
func filterRows(o filterOptions) []row {
	return slices.DeleteFunc(append(table(), archTable()...), func(r row) bool {
		return r.boxes == withoutUserNS && o.UserNS || r.boxes == withUserNS && !o.UserNS ||
			r.boxes == withoutScope && o.Scoped || r.answer == notified && o.NoNotify
	})
}

// assemble makes a program of rows. Calls that are not among known are absent,
// whatever the rows say.
//
// A call with arguments to look at comes before one without: the kernel does
// not run the program for calls that it allows whatever their arguments (5.11
// and later remember those), so that of the calls that programs make often,
// only the first kind pays for its place.
func assemble(rows []row, known []span) ([]bpf.Instruction, error) {
	if auditArch == 0 {
		return nil, &sandbox.UnsupportedError{
			Feature: "table of system calls for " + runtime.GOARCH,
			Fix:     "run git seisin on amd64 or arm64",
		}
	}
	byNumber := map[uint32][]row{}
	var first, then []uint32
	for _, r := range rows {
		for _, c := range r.calls {
			if byNumber[c.nr] != nil {
				byNumber[c.nr] = append(byNumber[c.nr], r)
				continue
			}
			byNumber[c.nr] = []row{r}
			if len(r.when) > 0 {
				first = append(first, c.nr)
			} else {
				then = append(then, c.nr)
			}
		}
	}
	program := append(prologue(), unknown(known)...)
	for _, nr := range append(first, then...) {
		answer, err := answers(byNumber[nr])
		if err != nil {
			return nil, fmt.Errorf("system call %d: %w", nr, err)
		}
		over, err := skip(len(answer))
		if err != nil {
			return nil, fmt.Errorf("system call %d: %w", nr, err)
		}
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: nr, SkipFalse: over})
		program = append(program, answer...)
	}
	return append(program, bpf.RetConstant{Val: allow}), nil
}

// prologue kills a process that makes a call of another architecture, and
// leaves the call's number loaded. A number means nothing without its table:
// on amd64, int 0x80 is a call of i386 from any program, and 39 is mkdir there
// and getpid here. x32 is a third table, by a bit in the number and under the
// same architecture; -1 has the bit and is in no table, it is what a debugger
// outside leaves of a call that it took away.
func prologue() []bpf.Instruction {
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
	if x32Bit == 0 {
		return program
	}
	return append(program,
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32Bit, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: allBits, SkipTrue: 1},
		bpf.RetConstant{Val: kill})
}

// unknown is the part of a program that answers the calls which nobody had
// looked at when the table was made, as a kernel that is older than the call
// would: a program falls back on what it did before. A call to come would else
// be allowed unseen, as io_uring was by the filters of its day.
func unknown(known []span) []bpf.Instruction {
	program := []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: allBits, SkipTrue: 1}, // no call, see prologue
		bpf.RetConstant{Val: absent},
	}
	for _, s := range slices.Backward(known) {
		end := uint8(len(program))
		program = append([]bpf.Instruction{
			bpf.JumpIf{Cond: bpf.JumpLessThan, Val: s.first, SkipTrue: 1},
			bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: s.last, SkipTrue: end},
		}, program...)
	}
	return program
}

// answers is the part of a program that answers one call, by its rows in
// their order.
func answers(rows []row) ([]bpf.Instruction, error) {
	var program []bpf.Instruction
	for _, r := range rows {
		part := []bpf.Instruction{bpf.RetConstant{Val: r.answer}}
		for _, t := range slices.Backward(r.when) {
			look, err := t.assemble(len(part))
			if err != nil {
				return nil, err
			}
			part = append(look, part...)
		}
		program = append(program, part...)
		if len(r.when) == 0 {
			return program, nil // it always applies
		}
	}
	return append(program, bpf.RetConstant{Val: allow}), nil
}

// assemble makes a program of t that runs on behind its end if t holds, and
// otherwise skips the rest of the row: that many instructions more.
func (t test) assemble(rest int) ([]bpf.Instruction, error) {
	low := uint32(offArguments + 8*t.arg)
	look := []bpf.Instruction{bpf.LoadAbsolute{Off: low, Size: 4}}
	if t.mask != allBits {
		look = append(look, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: t.mask})
	}
	for i, v := range t.values {
		end := len(t.values) - 1 - i // from behind this comparison to that of t
		if t.not {
			out, err := skip(end + rest)
			if err != nil {
				return nil, err
			}
			look = append(look, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: out})
			continue
		}
		in, err := skip(end)
		if err != nil {
			return nil, err
		}
		compare := bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: in}
		if end == 0 {
			if compare.SkipFalse, err = skip(rest); err != nil {
				return nil, err
			}
		}
		look = append(look, compare)
	}
	if !t.wide {
		return look, nil
	}
	in, err := skip(len(look))
	return append([]bpf.Instruction{
		bpf.LoadAbsolute{Off: low + 4, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: in},
	}, look...), err
}

// skip is a distance that a conditional jump can go.
func skip(n int) (uint8, error) {
	if n > 255 {
		return 0, fmt.Errorf("a jump over %d instructions, and 255 are the most", n)
	}
	return uint8(n), nil
}
