package native

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Capabilities over the box's user namespace that outlast the start.
const (
	// DAC_READ_SEARCH: a command may close its own directories to itself, and
	// the keeper has to look at what is in them. SYS_PTRACE: a process may hide
	// its descriptors from its like (PR_SET_DUMPABLE), and the keeper has to
	// look at them.
	keeperCaps = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_ADMIN | 1<<unix.CAP_SETPCAP | 1<<unix.CAP_DAC_READ_SEARCH | 1<<unix.CAP_SYS_PTRACE
	// SYS_RESOURCE: it sets limits on namespaces.
	initCaps = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_SETPCAP | 1<<unix.CAP_SYS_RESOURCE
)

// A child is this program, started again as a keeper or an init.
type child struct {
	pidfd *os.File      // nil for the keeper, whose pid is its own until gone
	pid   int           // of the keeper
	gone  chan struct{} // closed when the child has ended and was waited for
}

// spawnPair starts a keeper and its init, which wait for their setups.
func spawnPair(wire, initWire *os.File) (*child, error) {
	hold, held, err := newWire()
	if err != nil {
		return nil, err
	}
	pid, err := forkPair(wire, initWire, hold, held)
	if err = errors.Join(err, hold.Close(), held.Close()); err != nil {
		return nil, err
	}
	c := &child{pid: pid, gone: make(chan struct{})}
	go c.wait(unix.P_PID, pid)
	return c, nil
}

// initOf is the init of this process, which is a keeper.
func initOf(pidfd *os.File) *child {
	c := &child{pidfd: pidfd, gone: make(chan struct{})}
	go c.wait(unix.P_PIDFD, int(pidfd.Fd()))
	return c
}

func (c *child) wait(kind, id int) {
	for {
		if err := unix.Waitid(kind, id, nil, unix.WEXITED, nil); !errors.Is(err, unix.EINTR) {
			close(c.gone)
			return
		}
	}
}

// kill ends the child at once.
func (c *child) kill() {
	select {
	case <-c.gone:
		return
	default:
	}
	if c.pidfd != nil {
		_ = unix.PidfdSendSignal(int(c.pidfd.Fd()), unix.SIGKILL, nil, 0)
		return
	}
	_ = unix.Kill(c.pid, unix.SIGKILL)
}
