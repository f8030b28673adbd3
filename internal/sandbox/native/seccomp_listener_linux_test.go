//go:build amd64 || arm64

package native

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
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

// A person runs a box in the background of a shell. A process of the box makes
// the shared terminal asynchronous; nobody owns its signals, so the kernel
// gives them to the terminal's foreground group, which is the shell's. THIS
// TEST VERIFIES that the shell gets no signal, and that naming the shell as
// the owner fails by itself in a pid namespace, so that F_SETOWN needs no row.
func TestFilterKeepsTerminalQuiet(t *testing.T) {
	if got := terminalEnds(t, false); got != "signalled" {
		t.Errorf("the control: %q, want the shell signalled", got)
	}
	if got := terminalEnds(t, true); got != "quiet" {
		t.Errorf("got %q, want the shell quiet", got)
	}
}

// terminalEnds tells what happens to a shell whose terminal somebody types at.
func terminalEnds(t *testing.T, under bool) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = master.Close() }()
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tty.Close() }()
	word := "control"
	if under {
		word = "filter"
	}
	shell := filtered(t, "owner", false, word)
	shell.Stdin = tty
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	shell.Stderr = os.Stderr
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make([]byte, 1)
	if _, err := out.Read(ready); err == nil {
		_, err = master.WriteString("typed\n")
		if err != nil {
			t.Error(err)
		}
	}
	err = shell.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Sys().(syscall.WaitStatus).Signal() == unix.SIGKILL {
		return "signalled"
	}
	if err != nil {
		return err.Error()
	}
	return "quiet"
}

// ownTerminal is the shell: it starts the box in the background, and reads
// what is typed.
func ownTerminal(args []string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe)
	cmd.Args = []string{filteredArg, "async", args[0], fmt.Sprint(os.Getpid())}
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	inNamespaces(cmd, syscall.CLONE_NEWPID)
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Run(); err != nil {
		return err
	}
	fmt.Print(".")
	line := make([]byte, 16)
	_, err = os.Stdin.Read(line) // the kernel signals before it wakes a reader
	return err
}

// signalTerminal is in the box. The signal is one that no shell survives.
func signalTerminal(args []string) error {
	var shell int
	if _, err := fmt.Sscan(args[0], &shell); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(0, unix.F_SETOWN, shell); !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("F_SETOWN to a process outside: %v, want %v", err, unix.ESRCH)
	}
	if _, err := unix.FcntlInt(0, unix.F_SETSIG, int(unix.SIGKILL)); err != nil {
		return err
	}
	flags, err := unix.FcntlInt(0, unix.F_GETFL, 0)
	if err != nil {
		return err
	}
	on := int32(1)
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, fioasync, uintptr(unsafe.Pointer(&on)))
	_, err = unix.FcntlInt(0, unix.F_SETFL, flags|unix.O_ASYNC)
	if (errno == 0) != (err == nil) || err != nil && (!errors.Is(err, unix.EPERM) || errno != unix.EPERM) {
		return fmt.Errorf("FIOASYNC: %w, F_SETFL: %w, want both or neither, by EPERM", errno, err)
	}
	return nil
}
