package native

import (
	"errors"

	"golang.org/x/sys/unix"

	"seisin/internal/signals"
)

// A loan is the terminal of the supervisor's session as it was before a command
// had it. A supervisor that ends by itself gives it back; for one that was
// killed the keeper does, since a script that waited for it, which has no jobs,
// would find its terminal raw and owned by a dead group (F25). The nil loan is
// of no terminal.
type loan struct {
	tty   int
	state *unix.Termios
	group int // the supervisor's, which the script is in
}

// noteTerminal opens /dev/tty, which takes no right to its node, while it is
// the host's.
func (k *keeper) noteTerminal() error {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // the session has none
	}
	state, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return unix.Close(fd) // it was hung up
	}
	k.loan = &loan{tty: fd, state: state, group: k.tree.setup.Group}
	return nil
}

// giveBack gives the terminal back, unless somebody has it: an interactive
// shell takes it by itself. Nothing may run in the box any more.
func (l *loan) giveBack() {
	if l == nil {
		return
	}
	front, err := unix.IoctlGetInt(l.tty, unix.TIOCGPGRP)
	if err != nil || front <= 1 || !errors.Is(unix.Kill(-front, 0), unix.ESRCH) {
		return
	}
	signals.HoldTTOU(func() { // we are in the background
		_ = unix.IoctlSetTermios(l.tty, unix.TCSETS, l.state)
		_ = unix.IoctlSetInt(l.tty, unix.TCXONC, unix.TCOON) // after a TCOOFF of the command's
		_ = unix.IoctlSetInt(l.tty, unix.TIOCNXCL, 0)
		_ = unix.IoctlSetPointerInt(l.tty, unix.TIOCSPGRP, l.group)
	})
}
