package notify

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// patience is how long a call may take above MaxBlocking.
	patience = 20 * time.Millisecond

	// firstLook is when a call is first asked whether its caller still waits:
	// most have long been answered. From there the time doubles up to lastLook.
	firstLook = 10 * time.Millisecond
	lastLook  = 80 * time.Millisecond

	// again is how often a thread is interrupted until its handler returns.
	again = time.Millisecond
)

// A Call is one system call that waits for its answer.
type Call struct {
	Thread int       // the caller, in this process's pid namespace
	Number int       // of the system call
	Arch   uint32    // AUDIT_ARCH_*
	Args   [6]uint64 // as the caller set them: a 32-bit one is its low word

	l  *Listener
	id uint64

	mu       sync.Mutex // guards what follows
	tid      int        // the thread of the handler, or 0
	deadline time.Time  // zero: none
	look     time.Duration
	timer    *time.Timer
	why      syscall.Errno // what interrupts it, or 0
	answered bool
}

// begin has the call watched, which is handled on thread tid.
func (c *Call) begin(tid int, crowded bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tid, c.look = tid, firstLook
	if crowded {
		c.deadline = time.Now().Add(patience)
	}
	c.timer = time.AfterFunc(c.look, c.watch)
}

// end is for when the handler has returned. A call without an answer would
// wait for ever.
func (c *Call) end() {
	c.mu.Lock()
	c.tid = 0
	c.timer.Stop()
	answered := c.answered
	c.mu.Unlock()
	if !answered {
		_ = c.Answer(0, unix.ENOSYS)
	}
}

// watch looks whether there is a reason to interrupt the handler, and does.
func (c *Call) watch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tid == 0 {
		return
	}
	if c.why == 0 {
		c.why = c.reason()
	}
	if c.why != 0 {
		interrupt(c.tid)
		c.timer.Reset(again)
		return
	}
	c.look = min(2*c.look, lastLook)
	c.timer.Reset(c.look)
}

func (c *Call) reason() syscall.Errno {
	switch {
	case !c.Waiting():
		return unix.ESRCH
	case !c.deadline.IsZero() && time.Now().After(c.deadline):
		return unix.EAGAIN
	case c.look >= lastLook && c.signalled():
		return unix.EINTR
	}
	return 0
}

// Interrupted returns 0, or the errno that a handler shall answer now and be
// done, whose system call has ended with EINTR: EINTR if the caller has a
// signal to handle, EAGAIN if too many calls wait, ENOSYS if the Listener
// closes. Nobody hears the answer if the caller is gone.
func (c *Call) Interrupted() syscall.Errno {
	if c.l.isClosing() {
		return unix.ENOSYS // as the kernel says from then on
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

// Waiting reports whether the caller still waits for the answer. Once it does
// not, its number may be another thread's.
func (c *Call) Waiting() bool {
	id := c.id
	return c.l.ioctl(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&id)) == 0
}

// Answer has the call return value, or fail with errno if that is not 0. That
// the caller is gone is no error.
func (c *Call) Answer(value int64, errno syscall.Errno) error {
	c.mu.Lock()
	c.answered = true
	c.mu.Unlock()
	buf := make([]uint64, (int(c.l.size.resp)+7)/8)
	r := (*response)(unsafe.Pointer(&buf[0]))
	r.id = c.id
	if errno == 0 {
		r.val = value
	} else {
		r.errno = -int32(errno)
	}
	for {
		switch errno := c.l.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&buf[0])); errno {
		case unix.EINTR:
		case 0, unix.ENOENT:
			return nil
		default:
			return os.NewSyscallError("ioctl(NOTIF_SEND)", errno)
		}
	}
}

// checked returns fd if the caller still waits, and so was the one that fd was
// taken from. Otherwise it closes fd.
func (c *Call) checked(fd int, err error) (int, error) {
	if err != nil {
		return -1, err
	}
	if c.Waiting() {
		return fd, nil
	}
	return -1, errors.Join(unix.ESRCH, unix.Close(fd))
}
