package launch

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"seisin/internal/signals"
)

func getTermios(fd int) (*unix.Termios, error) { return unix.IoctlGetTermios(fd, unix.TCGETS) }

// setTermios sets what a command may have changed of the terminal, at once: to
// wait until all output is shown is to wait for ever, where the command has
// stopped it.
func setTermios(fd int, t *unix.Termios) error {
	var err error
	signals.HoldTTOU(func() {
		err = unix.IoctlSetTermios(fd, unix.TCSETS, t)
		_ = unix.IoctlSetInt(fd, unix.TCXONC, unix.TCOON) // after its TCOOFF
		_ = unix.IoctlSetInt(fd, unix.TIOCNXCL, 0)
	})
	return err
}

func setForeground(fd, group int) error {
	var err error
	signals.HoldTTOU(func() { err = unix.IoctlSetPointerInt(fd, unix.TIOCSPGRP, group) })
	return err
}

// isOutside reports whether a process group is known to be in no box: its
// leader is in no pid namespace below ours. That of a box may be dead already.
func isOutside(group int) bool {
	theirs, ours := pidNamespaces(strconv.Itoa(group)), pidNamespaces("self")
	return theirs > 0 && theirs <= ours
}

// pidNamespaces counts the pid namespaces, from that of /proc on, which a
// process is in. It is 0 if there is no such process.
func pidNamespaces(pid string) int {
	b, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(b, []byte("\nNSpid:"))
	line, _, _ := bytes.Cut(after, []byte("\n"))
	return len(bytes.Fields(line))
}

// parentOf returns a process's parent, or 0 if there is no such process.
func parentOf(pid int) (parent int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name before the last parenthesis may hold anything.
	var state string
	_, _ = fmt.Sscan(string(b[bytes.LastIndexByte(b, ')')+1:]), &state, &parent)
	return parent
}
