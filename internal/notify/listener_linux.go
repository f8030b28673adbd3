package notify

import (
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// keepIdle is how many threads wait for calls when there are none to be
// handled: one reads, and one takes its place as soon as it has read.
const keepIdle = 2

// A Listener is the end of a seccomp filter that calls are read from. It is
// for one Serve.
type Listener struct {
	file *os.File
	fd   int
	proc int
	size sizes

	// leaderOnly has descriptors taken through the thread's leader, as on
	// kernels before 6.9. Only tests set it.
	leaderOnly bool

	handle func(*Call)
	turn   chan struct{} // holds a value while nobody reads
	over   chan struct{} // closed when nobody shall read any more
	all    sync.WaitGroup

	mu      sync.Mutex // guards what follows
	threads map[int]bool
	idle    int
	served  bool
	closing bool
	err     error // why over was closed
}

// sizes is struct seccomp_notif_sizes.
type sizes struct{ notif, resp, data uint16 }

// New returns the Listener over the descriptor that seccomp(2) gave out for
// SECCOMP_FILTER_FLAG_NEW_LISTENER, and takes it over: Close closes it. The
// filter must also have SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (F12). Proc is
// a directory descriptor of a procfs that shows the callers by the numbers
// this process knows them by, or AT_FDCWD where that is its working directory.
func New(listener *os.File, proc int) (*Listener, error) {
	l := &Listener{
		file: listener, fd: int(listener.Fd()), proc: proc,
		turn: make(chan struct{}, 1), over: make(chan struct{}),
		threads: map[int]bool{},
	}
	unix.CloseOnExec(l.fd) // whoever holds it answers calls
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_NOTIF_SIZES, 0, uintptr(unsafe.Pointer(&l.size)))
	if errno != 0 {
		return nil, os.NewSyscallError("seccomp(GET_NOTIF_SIZES)", errno)
	}
	// A later kernel may have longer structures. It never has shorter ones.
	l.size.notif = max(l.size.notif, uint16(unsafe.Sizeof(notif{})))
	l.size.resp = max(l.size.resp, uint16(unsafe.Sizeof(response{})))
	if err := interruptible(); err != nil {
		return nil, err
	}
	// Linux 6.6 wakes the other side on the same processor then, which halves
	// the time of a call. Older kernels say EINVAL, and are only slower.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(l.fd), unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS, unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	return l, nil
}

// Serve has handle called for every call, each on a thread of its own, until
// the last process under the filter is gone: then it returns nil. After Close
// it returns os.ErrClosed. No handler runs any more when it returns.
func (l *Listener) Serve(handle func(*Call)) error {
	l.mu.Lock()
	if l.served || l.closing {
		l.mu.Unlock()
		return os.ErrClosed
	}
	l.served, l.handle = true, handle
	l.turn <- struct{}{}
	l.addThread()
	l.mu.Unlock()

	<-l.over
	l.all.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close ends Serve, interrupts the handlers, waits for them, and closes the
// descriptor: calls that wait, and all later ones, get ENOSYS. A handler must
// not call it.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closing = true
	l.stop(os.ErrClosed)
	l.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		l.all.Wait()
		close(gone)
	}()
	// A signal that comes before the system call it is meant for is lost.
	for {
		l.interruptAll()
		select {
		case <-gone:
			return l.file.Close()
		case <-time.After(time.Millisecond):
		}
	}
}

// stop lets nobody read any more. The caller holds l.mu.
func (l *Listener) stop(err error) {
	select {
	case <-l.over:
	default:
		l.err = err
		close(l.over)
	}
}

func (l *Listener) interruptAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for tid := range l.threads {
		interrupt(tid)
	}
}

func (l *Listener) isClosing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closing
}

// addThread starts one more thread. The caller holds l.mu.
func (l *Listener) addThread() {
	l.idle++
	l.all.Add(1)
	started := make(chan int)
	go l.work(started)
	l.threads[<-started] = true
}

// work takes turns at reading, and handles what it has read.
func (l *Listener) work(started chan<- int) {
	// Never unlocked: so the thread ends with this function, and after a flood
	// none is left.
	runtime.LockOSThread()
	tid := unix.Gettid()
	started <- tid
	defer l.all.Done()
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.threads, tid) // before the number is another thread's
	}()
	for {
		select {
		case <-l.over:
			return
		case <-l.turn:
		}
		c, err := l.receive()
		if err != nil {
			l.mu.Lock()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			l.stop(err)
			l.mu.Unlock()
			return
		}
		c.begin(tid, l.passTurn())
		l.handle(c)
		c.end()
		if !l.rest() {
			return
		}
	}
}

// passTurn lets another thread read, and reports whether so many calls are
// handled that this one may not take long.
func (l *Listener) passTurn() (crowded bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle--
	busy := len(l.threads) - l.idle
	if l.idle == 0 && busy <= MaxBlocking && !l.closing {
		l.addThread()
	}
	l.turn <- struct{}{}
	return busy > MaxBlocking
}

// rest reports whether the thread shall wait for its next turn.
func (l *Listener) rest() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.idle >= keepIdle {
		return false
	}
	l.idle++
	return true
}

// receive waits for a call. Only one thread is in it at a time.
func (l *Listener) receive() (*Call, error) {
	buf := make([]uint64, (int(l.size.notif)+7)/8)
	for {
		p := []unix.PollFd{{Fd: int32(l.fd), Events: unix.POLLIN}}
		_, err := unix.Poll(p, -1)
		switch {
		case l.isClosing():
			return nil, os.ErrClosed
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, os.NewSyscallError("poll", err)
		case p[0].Revents&unix.POLLIN == 0 && p[0].Revents&unix.POLLHUP != 0:
			return nil, io.EOF // nobody is left under the filter
		}
		clear(buf) // the kernel refuses anything but zeros
		switch errno := l.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&buf[0])); errno {
		case 0:
			n := (*notif)(unsafe.Pointer(&buf[0]))
			return &Call{
				Thread: int(n.pid), Number: int(n.nr), Arch: n.arch, Args: n.args,
				l: l, id: n.id,
			}, nil
		case unix.ENOENT, unix.EINTR: // the caller was killed meanwhile
		default:
			return nil, os.NewSyscallError("ioctl(NOTIF_RECV)", errno)
		}
	}
}

// notif is struct seccomp_notif.
type notif struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// response is struct seccomp_notif_resp.
type response struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

func (l *Listener) ioctl(request uint, arg unsafe.Pointer) syscall.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l.fd), uintptr(request), uintptr(arg))
	return errno
}
