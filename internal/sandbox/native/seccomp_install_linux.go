package native

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// filterFlags: a listener for what the table notifies, and one that signals
// do not disturb. Without WAIT_KILLABLE_RECV a signal interrupts the caller
// while it is answered, and the kernel makes the call again: a program with a
// timer then never connects, or is told that it has connected already (F12).
const filterFlags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV

// installFilter puts the calling thread, and what it forks, under a filter,
// and returns the listener, which is closed on exec. The caller has locked its
// goroutine to the thread, and allowed it no new privileges.
//
// The other threads stay as they are: the kernel does not say which of them it
// failed at where a listener is asked for as well, and the thread that
// installs is the one that forks the commands.
func installFilter(filter []unix.SockFilter) (listener int, err error) {
	if err := checkSeccomp(); err != nil {
		return -1, err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	fd, errno := seccomp(unix.SECCOMP_SET_MODE_FILTER, filterFlags, &program)
	switch errno {
	case 0:
		return fd, nil
	case unix.EBUSY:
		return -1, &sandbox.UnsupportedError{
			Feature: "listener for system calls of its own",
			Found:   "a sandbox around this one has it, and the kernel has one for all that it holds",
			Fix:     "run git seisin outside that sandbox",
		}
	}
	return -1, os.NewSyscallError("seccomp", errno)
}

// checkSeccomp reports what this kernel lacks for the filter. It changes
// nothing: the kernel looks at the flags before it looks for the program.
func checkSeccomp() error {
	_, errno := seccomp(unix.SECCOMP_SET_MODE_FILTER, filterFlags, nil)
	if errors.Is(errno, unix.EFAULT) {
		return nil // it knows the flags
	}
	return &sandbox.UnsupportedError{
		Feature: "seccomp listener that signals do not disturb (WAIT_KILLABLE_RECV)",
		Found:   fmt.Sprintf("seccomp(2) says %q", errno.Error()),
		Fix:     "use Linux 6.1 or newer with CONFIG_SECCOMP_FILTER; in a container, see its seccomp profile",
	}
}

func seccomp(op, flags uintptr, program *unix.SockFprog) (int, unix.Errno) {
	r, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, op, flags, uintptr(unsafe.Pointer(program)))
	runtime.KeepAlive(program)
	return int(r), errno
}
