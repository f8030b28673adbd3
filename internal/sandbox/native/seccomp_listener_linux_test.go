//go:build amd64 || arm64

package native

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// hearConnect installs the whole filter, answers one connect from another
// thread, and asks for a second listener.
func hearConnect([]string) error {
	filter, err := filterProgram(filterOptions{})
	if err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	listener, err := installFilter(filter)
	if err != nil {
		return err
	}
	if flags, err := unix.FcntlInt(uintptr(listener), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		return fmt.Errorf("listener has flags %#x, %w, want it closed on exec", flags, err)
	}
	heard := make(chan error, 1)
	go func() { heard <- answerConnect(listener) }()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	err = unix.Connect(fd, &unix.SockaddrInet4{Port: 1, Addr: [4]byte{127, 0, 0, 1}})
	if !errors.Is(err, unix.EHOSTDOWN) {
		return fmt.Errorf("connect: %v, want the listener's %v", err, unix.EHOSTDOWN)
	}
	if err := <-heard; err != nil {
		return err
	}
	_, err = installFilter(filter)
	if _, ok := errors.AsType[*sandbox.UnsupportedError](err); !ok {
		return fmt.Errorf("a second listener: %v, want an UnsupportedError", err)
	}
	return nil
}

// answerConnect takes one notification and answers it with EHOSTDOWN, an
// error that the kernel does not give.
func answerConnect(listener int) error {
	var asked struct { // struct seccomp_notif
		id         uint64
		pid, flags uint32
		nr         int32
		arch       uint32
		ip         uint64
		args       [6]uint64
	}
	var answer struct { // struct seccomp_notif_resp
		id    uint64
		val   int64
		error int32
		flags uint32
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&asked))); errno != 0 {
		return os.NewSyscallError("SECCOMP_IOCTL_NOTIF_RECV", errno)
	}
	answer.id, answer.error = asked.id, -int32(unix.EHOSTDOWN)
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&answer))); errno != 0 {
		return os.NewSyscallError("SECCOMP_IOCTL_NOTIF_SEND", errno)
	}
	if asked.nr != unix.SYS_CONNECT || asked.arch != auditArch {
		return fmt.Errorf("heard call %d of %#x, want connect", asked.nr, asked.arch)
	}
	return nil
}

// The filter of a box notifies connect and nothing else here, and there is
// one listener in a box (F12).
func TestFilterNotifies(t *testing.T) {
	if err := checkSeccomp(); err != nil {
		t.Fatal(err)
	}
	if out, err := filtered(t, "listener", false).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
