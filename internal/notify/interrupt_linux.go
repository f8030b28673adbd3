package notify

import (
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// interruptSignal ends the system call that a thread is blocked in. It is a
// real-time signal that neither Go's runtime nor a C library uses; Go's
// handler does nothing with it where nobody asked for it.
const interruptSignal = unix.Signal(63)

// saRestart is SA_RESTART, which package unix does not have.
const saRestart = 0x10000000

// interruptible takes SA_RESTART from the handler that Go has for
// interruptSignal, so that the kernel does not take up again by itself what
// the signal interrupts. Nothing else ends a blocked connect(2): another
// thread's shutdown(2) does not, and O_NONBLOCK and SO_SNDTIMEO belong to the
// caller's own socket, of which the handler has a duplicate.
var interruptible = sync.OnceValue(func() error {
	// struct sigaction: handler, flags, restorer (on some), mask, in words.
	var action [8]uintptr
	if err := sigaction(nil, &action); err != nil {
		return err
	}
	action[1] &^= saRestart
	return sigaction(&action, nil)
})

func sigaction(set, old *[8]uintptr) error {
	const maskSize = 8 // of the kernel's sigset_t, in bytes
	_, _, errno := unix.Syscall6(unix.SYS_RT_SIGACTION, uintptr(interruptSignal),
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), maskSize, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("rt_sigaction", errno)
	}
	return nil
}

// interrupt ends the system call that a thread of this process is in. Where it
// is in none yet the signal is lost: whoever wants it out calls again.
func interrupt(tid int) { _ = unix.Tgkill(unix.Getpid(), tid, interruptSignal) }
