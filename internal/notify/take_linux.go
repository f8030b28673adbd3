package notify

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Fd returns a duplicate of the caller's descriptor n, closed on exec: the
// same open file, so that what is set on it is set for the caller.
func (c *Call) Fd(n int) (int, error) {
	pidfd, err := c.pidfd()
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(pidfd) }()
	return c.checked(unix.PidfdGetfd(pidfd, n, 0))
}

// pidfd returns a descriptor of the caller.
func (c *Call) pidfd() (int, error) {
	if !c.l.leaderOnly {
		fd, err := unix.PidfdOpen(c.Thread, unix.PIDFD_THREAD)
		if !errors.Is(err, unix.EINVAL) { // before Linux 6.9
			return fd, err
		}
	}
	return c.leader()
}

// leader returns a descriptor of the process that the caller is a thread of,
// if it has the same table of descriptors. A thread can leave the table, and
// then a number means another file (F12).
func (c *Call) leader() (int, error) {
	status, err := c.status()
	if err != nil {
		return -1, err
	}
	tgid, err := strconv.Atoi(status["Tgid"])
	if err != nil {
		return -1, fmt.Errorf("thread group of %d: %w", c.Thread, err)
	}
	if tgid != c.Thread {
		const kcmpFiles = 2 // KCMP_FILES
		differ, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(c.Thread), uintptr(tgid), kcmpFiles, 0, 0, 0)
		if errno != 0 {
			return -1, os.NewSyscallError("kcmp", errno)
		}
		if differ != 0 {
			return -1, unix.EACCES
		}
	}
	return unix.PidfdOpen(tgid, 0)
}

// Cwd returns the caller's working directory as an O_PATH descriptor.
func (c *Call) Cwd() (int, error) { return c.place("cwd") }

// Root returns the caller's root directory as an O_PATH descriptor.
func (c *Call) Root() (int, error) { return c.place("root") }

func (c *Call) place(name string) (int, error) {
	return c.checked(unix.Openat(c.l.proc, fmt.Sprintf("%d/%s", c.Thread, name), unix.O_PATH|unix.O_CLOEXEC|unix.O_DIRECTORY, 0))
}

// status returns the lines of the caller's status by name.
func (c *Call) status() (map[string]string, error) {
	fd, err := unix.Openat(c.l.proc, fmt.Sprintf("%d/status", c.Thread), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if fd, err = c.checked(fd, err); err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "status")
	defer func() { _ = f.Close() }()
	lines := map[string]string{}
	for in := bufio.NewScanner(f); in.Scan(); {
		name, value, _ := strings.Cut(in.Text(), ":")
		lines[name] = strings.TrimSpace(value)
	}
	return lines, nil
}

// signalled reports whether a signal waits for the caller that it has a
// handler for. The kernel does not interrupt a call that was received, but for
// a signal that kills (WAIT_KILLABLE_RECV): without this, Ctrl-C would be lost
// on a program that blocks in connect(2) and handles it.
func (c *Call) signalled() bool {
	status, err := c.status()
	if err != nil {
		return false
	}
	set := func(name string) uint64 {
		mask, err := strconv.ParseUint(status[name], 16, 64)
		if err != nil {
			return 0
		}
		return mask
	}
	return (set("SigPnd")|set("ShdPnd"))&^set("SigBlk")&set("SigCgt") != 0
}
