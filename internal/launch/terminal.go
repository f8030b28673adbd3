//go:build unix

package launch

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// A terminal is the person's own, lent to the command: while it runs, its
// process group is the foreground. The nil terminal is none.
type terminal struct {
	fd    int
	group int // ours, which gets the terminal back
	state *unix.Termios
}

// foreground returns the terminal to lend: in and out are one, and our group
// has its foreground. A command in a pipeline leaves it to the others in it.
func foreground(in, out *os.File) *terminal {
	if in == nil || out == nil {
		return nil
	}
	fd := int(in.Fd())
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return nil
	}
	if _, err := unix.IoctlGetInt(int(out.Fd()), unix.TIOCGPGRP); err != nil {
		return nil
	}
	state, err := getTermios(fd)
	if err != nil {
		return nil
	}
	return &terminal{fd: fd, group: group, state: state}
}

// take makes our group the foreground again. We are in the background then,
// where the kernel answers with SIGTTOU.
func (t *terminal) take() {
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, t.group)
}

// restore gives the terminal back as it was.
func (t *terminal) restore() {
	if t == nil {
		return
	}
	t.take()
	_ = setTermios(t.fd, t.state)
}

// suspend stops our own group, as Ctrl-Z stopped the command's, and returns
// when somebody lets it go on: whether the command is to have the foreground.
func (t *terminal) suspend() (foreground bool) {
	if t == nil {
		_ = unix.Kill(0, unix.SIGSTOP)
		return false
	}
	theirs, err := getTermios(t.fd)
	t.restore()
	// The whole group: git waits for us, and the shell waits for git.
	_ = unix.Kill(0, unix.SIGSTOP)
	group, e := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if errors.Join(err, e) != nil || group != t.group {
		return false
	}
	_ = setTermios(t.fd, theirs)
	return true
}
