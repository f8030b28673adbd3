package native

import "golang.org/x/sys/unix"

// A row of the seccomp table answers some system calls in the kernel's stead.
// Where several rows name a call, the first that applies answers; a call that
// no row answers is the kernel's own affair.
type row struct {
	calls  []call
	when   []test // all must hold; none: the row applies to any arguments
	answer uint32 // what the filter returns, of <linux/seccomp.h>
	boxes  boxes
	why    string // the attack, or the fact, that put the row here
}

// A call is a system call, by its number on this architecture.
type call struct {
	nr   uint32
	name string
}

// A span is system calls by their numbers, from first to last.
type span struct{ first, last uint32 }

// boxes says in which boxes a row stands.
type boxes uint8

const (
	everyBox      boxes = iota
	withoutUserNS       // of roles that may not make user namespaces
	withUserNS          // of roles that may
	withoutScope        // whose signals Landlock does not keep inside: before Linux 6.12
)

// A test looks at one argument of a call. It holds if the low word of the
// argument, masked, is one of values; with not, if it is none of them.
//
// The high word is never looked at unless wide is set, for the kernel does not
// see it either: an int, an unsigned int and a umode_t in a system call are
// the low part of a register. A comparison of all 64 bits is walked around by
// setting one of the upper (F18). Where the kernel does take 64 bits, wide
// makes the test hold for any bit in the high word too.
type test struct {
	arg    int // 0 to 5
	mask   uint32
	values []uint32
	not    bool
	wide   bool
}

const allBits = ^uint32(0)

const fioasync = 0x5452 // FIOASYNC of <asm-generic/ioctls.h>

// is holds if an argument is one of values.
func is(arg int, values ...uint32) test { return test{arg: arg, mask: allBits, values: values} }

// isNot holds if an argument is none of values.
func isNot(arg int, values ...uint32) test {
	return test{arg: arg, mask: allBits, values: values, not: true}
}

// has holds if an argument has any of bits set.
func has(arg int, bits uint32) test {
	return test{arg: arg, mask: bits, values: []uint32{0}, not: true}
}

// hasBeside holds if an argument has any bit set beside these.
func hasBeside(arg int, bits uint32) test { return has(arg, ^bits) }

// wide makes t a test of all 64 bits.
func wide(t test) test {
	t.wide = true
	return t
}

// refuse is the answer by which a call fails with errno and does nothing.
func refuse(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

// The other answers. Absent is for calls that programs do without where the
// kernel is older than the call: they fall back on ones that can be filtered.
const (
	absent   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	notified = unix.SECCOMP_RET_USER_NOTIF
	kill     = unix.SECCOMP_RET_KILL_PROCESS
	allow    = unix.SECCOMP_RET_ALLOW
)
