//go:build unix

package launch

import (
	"os"

	"golang.org/x/sys/unix"
)

// A terminal is the person's own, the one that controls this session. While it
// is lent, the command's process group is its foreground: what the person types
// is the command's, Ctrl-C and Ctrl-Z too, and so are changes of its size. The
// nil terminal is none.
//
// It is /dev/tty and none of the standard streams: a pager at the end of a
// pipeline reads it though its input is a pipe.
type terminal struct {
	fd    int
	group int           // ours, which gets the foreground back
	whole bool          // the command reads from it and writes to it
	lent  bool          // we gave it, and have not seen to it that we have it
	state *unix.Termios // as it was when it was lent
}

// openTerminal returns the terminal of this session, if it has one.
func openTerminal(in, out *os.File) *terminal {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return &terminal{fd: fd, group: unix.Getpgrp(), whole: controls(in) && controls(out)}
}

func (t *terminal) close() {
	if t != nil {
		_ = unix.Close(t.fd)
	}
}

// nameTerminal replaces those of r's streams that are /dev/tty by the terminal
// that it stands for. By that node itself nothing can be told of it, and it has
// no name in a box. The function that is returned closes what was opened.
func (r *Run) nameTerminal() (done func()) {
	var opened []*os.File
	for _, stream := range []**os.File{&r.In, &r.Out, &r.Err} {
		if f := behindTTY(*stream); f != nil {
			*stream, opened = f, append(opened, f)
		}
	}
	return func() {
		for _, f := range opened {
			_ = f.Close()
		}
	}
}

// controls reports whether f is the terminal of this session, and the command
// can have it: no other tells its foreground.
func controls(f *os.File) bool {
	if f == nil || !isTerminal(f) {
		return false
	}
	_, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil
}

// ours reports whether our group has the foreground.
func (t *terminal) ours() bool {
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	return err == nil && group == t.group
}

// offer lends the terminal to a command that is about to start, where it is
// what the command reads and writes. A command in a pipeline leaves it to the
// others, such as a pager, until it uses it.
func (t *terminal) offer() bool { return t != nil && t.whole && t.lend() }

// lend notes that the command gets the foreground, if it is ours to give.
func (t *terminal) lend() bool {
	if t == nil || !t.ours() {
		return false
	}
	state, err := getTermios(t.fd)
	if err != nil {
		return false
	}
	t.state, t.lent = state, true
	return true
}

// restore takes the terminal back as it was, if it was lent. It may be called
// again, for what a process that was left behind has changed since.
//
// A shell that saw this process stopped has taken the terminal for itself and
// keeps it.
func (t *terminal) restore() {
	if t == nil || !t.lent {
		return
	}
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil || group != t.group && isOutside(group) {
		return
	}
	_ = setForeground(t.fd, t.group)
	_ = setTermios(t.fd, t.state)
}

// pause takes the terminal back from a stopped command, and returns how the
// command had it.
func (t *terminal) pause() (theirs *unix.Termios) {
	if t == nil || !t.lent {
		return nil
	}
	theirs, err := getTermios(t.fd)
	if err != nil {
		theirs = nil
	}
	t.restore()
	t.lent = false
	return theirs
}

// resume lends the terminal to a command that goes on, if the foreground has
// come back to us and the command is to have it.
func (t *terminal) resume(theirs *unix.Termios) bool {
	if t == nil || !t.whole && theirs == nil || !t.lend() {
		return false
	}
	if theirs != nil {
		_ = setTermios(t.fd, theirs)
	}
	return true
}
