package native

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxConnections is how many sockets are remembered as connected. A repeat
// follows at once on what it repeats.
const maxConnections = 4096

// connections remembers which socket was connected to what.
//
// Before Linux 6.18 a signal may have the kernel restart a call although it
// was answered (commit cce436aafc2a): the caller would get EISCONN for its
// first connect(2). So a repeat gets the answer once more (F12). A program
// that connects a socket twice by itself, from one thread and to the same
// target, is told 0 where the kernel says EISCONN, or EINPROGRESS where it
// says EALREADY.
type connections struct {
	mu       sync.Mutex
	bySocket recent[uint64, connection] // by SO_COOKIE, which is never used twice
}

type connection struct {
	thread int
	target string
}

// settle returns the answer to a connect(2) that the kernel answered so.
func (c *connections) settle(socket, thread int, target string, errno syscall.Errno) syscall.Errno {
	switch errno {
	case 0, unix.EINPROGRESS, unix.EISCONN, unix.EALREADY:
	default:
		return errno
	}
	cookie, err := unix.GetsockoptUint64(socket, unix.SOL_SOCKET, unix.SO_COOKIE)
	if err != nil {
		return errno
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	this := connection{thread, target}
	last, known := c.bySocket.get(cookie)
	switch again := known && last == this; {
	case again && errno == unix.EISCONN:
		return 0
	case again && errno == unix.EALREADY:
		return unix.EINPROGRESS
	case errno == 0, errno == unix.EINPROGRESS:
		c.bySocket.put(cookie, this)
	}
	return errno
}
