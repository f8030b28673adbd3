//go:build amd64 || arm64

package native

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A person runs a box in the background of a shell. A process of the box makes
// the shared terminal asynchronous; nobody owns its signals, so the kernel
// gives them to the terminal's foreground group, which is the shell's. THIS
// TEST VERIFIES that the shell gets no signal, and that naming the shell as
// the owner fails by itself in a pid namespace, so that F_SETOWN needs no row.
//
// The filter keeps it from that, and where Landlock does, the filter leaves it
// out: nginx has its workers' sockets signal it.
func TestTerminalStaysQuiet(t *testing.T) {
	if got := terminalEnds(t, wallNone); got != "signalled" {
		t.Errorf("the control: %q, want the shell signalled", got)
	}
	if got := terminalEnds(t, wallFilter); got != "quiet" {
		t.Errorf("by the filter: %q, want the shell quiet", got)
	}
	if landlockABI() < scopeABI {
		return // and the filter is the wall
	}
	if got := terminalEnds(t, wallScope); got != "quiet" {
		t.Errorf("by Landlock: %q, want the shell quiet", got)
	}
}

// What keeps the shell from a signal.
const (
	wallNone   = "none"
	wallFilter = "filter" // of a kernel whose Landlock does not
	wallScope  = "scope"  // Landlock, under the filter that then stands
)

// terminalEnds tells what happens to a shell whose terminal somebody types at.
func terminalEnds(t *testing.T, wall string) string {
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
	shell := filtered(t, "owner", false, wall)
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
	cmd.Args = []string{filteredArg, "async", "control", args[0], fmt.Sprint(os.Getpid())}
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
	if _, err := fmt.Sscan(args[1], &shell); err != nil {
		return err
	}
	var want error
	switch args[0] {
	case wallFilter:
		want = unix.EPERM
		if err := filterWithoutListener(filterOptions{}); err != nil {
			return err
		}
	case wallScope:
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
		if err := restrictWriting(&initSetup{ABI: landlockABI()}); err != nil {
			return err
		}
		if err := filterWithoutListener(filterOptions{Scoped: true}); err != nil {
			return err
		}
	}
	if _, err := unix.FcntlInt(0, unix.F_SETOWN, shell); !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("F_SETOWN to a process outside: %v, want %v", err, unix.ESRCH)
	}
	if _, err := unix.FcntlInt(0, unix.F_SETSIG, int(unix.SIGKILL)); err != nil {
		return err
	}
	if err := signalSelf(); !errors.Is(err, want) {
		return fmt.Errorf("a socket that signals its own process: %v, want %v", err, want)
	}
	return asynchronous(0, want)
}

// asynchronous has a descriptor signal, in both ways.
func asynchronous(fd int, want error) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return err
	}
	if err := unix.IoctlSetPointerInt(fd, fioasync, 1); !errors.Is(err, want) {
		return fmt.Errorf("FIOASYNC: %w, want %v", err, want)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags|unix.O_ASYNC); !errors.Is(err, want) {
		return fmt.Errorf("F_SETFL: %w, want %v", err, want)
	}
	return nil
}
