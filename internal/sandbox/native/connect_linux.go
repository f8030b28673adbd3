package native

import (
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/notify"
)

// maxSockaddr is the longest address that connect(2) takes.
const maxSockaddr = 128

// maxTold bounds the paths that are told. A hostile command has no end of
// them, and whoever reads the first thousand knows.
const maxTold = 1024

// A connector answers the connect(2) calls of a box, on duplicates of the
// callers' sockets.
//
// What is decided on is what is connected to: the address is read once, and a
// name is opened once, as the caller would open it. Then the descriptor of
// what was found is judged and connected to, and neither another thread that
// rewrites the address nor one that renames files has a part in it (F6).
type connector struct {
	named   []string          // sockets of the host, by their paths in the box
	refused func(path string) // told once of each path, as the box sees it
	own     *ownSockets
	done    connections

	mu   sync.Mutex
	told map[string]bool
}

// newConnector returns a connector for the network namespace that this process
// is in. The process has the host's /proc as its working directory, and the
// box's root as its root. Refused and unknown are called on any thread; unknown
// once, if the kernel does not tell which sockets are the box's own.
func newConnector(named []string, refused func(path string), unknown func(error)) (*connector, error) {
	own, err := newOwnSockets(unknown)
	if err != nil {
		return nil, err
	}
	return &connector{
		named: named, refused: refused, own: own,
		done: connections{bySocket: newRecent[uint64, connection](maxConnections)},
		told: map[string]bool{},
	}, nil
}

// answer handles one connect(2). The thread is its own.
func (c *connector) answer(call *notify.Call) {
	_ = call.Answer(0, c.connect(call))
}

// connect does things in the kernel's order, so that the errors are its own.
func (c *connector) connect(call *notify.Call) syscall.Errno {
	socket, err := call.Fd(int(int32(call.Args[0])))
	if err != nil {
		return errnoOf(err)
	}
	defer func() { _ = unix.Close(socket) }()
	n := int(int32(call.Args[2]))
	if n < 0 || n > maxSockaddr {
		return unix.EINVAL
	}
	addr, err := call.Bytes(call.Args[1], n)
	if err != nil {
		return errnoOf(err)
	}
	// Never the address's word for it: it may say AF_INET to a unix socket.
	family, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return errnoOf(err)
	}
	if name, ok := socketName(addr); ok && family == unix.AF_UNIX {
		v, err := viewOf(call, name)
		if err != nil {
			return errnoOf(err)
		}
		defer v.close()
		return withoutCapabilities(func() syscall.Errno { return c.connectName(call, v, socket) })
	}
	// An abstract name, an address of the box's own network, or nonsense: the
	// socket's network namespace has nothing of the host.
	return withoutCapabilities(func() syscall.Errno { return c.dial(call, socket, addr, string(addr)) })
}

// socketName returns the path in an address, by the rules of the kernel's
// unix_validate_addr and unix_mkname_bsd.
func socketName(addr []byte) (name string, ok bool) {
	const pathAt = 2
	if len(addr) <= pathAt || len(addr) > unix.SizeofSockaddrUnix || addr[pathAt] == 0 ||
		binary.NativeEndian.Uint16(addr) != unix.AF_UNIX {
		return "", false
	}
	return unix.ByteSliceToString(addr[pathAt:]), true
}

// connectName connects to a socket that has a name in the file system.
func (c *connector) connectName(call *notify.Call, v view, socket int) syscall.Errno {
	target, err := v.open(call)
	if err != nil {
		return errnoOf(err)
	}
	defer func() { _ = unix.Close(target) }()
	var st unix.Stat_t
	if err := unix.Fstat(target, &st); err != nil {
		return errnoOf(err)
	}
	// What is no socket the kernel refuses in its own words.
	if st.Mode&unix.S_IFMT == unix.S_IFSOCK {
		if errno := c.judge(target, &st); errno != 0 {
			return errno
		}
	}
	path := fdPath(target)
	addr := append(binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX), path...)
	return c.dial(call, socket, append(addr, 0), inodeOf(&st).String())
}

// judge returns 0 if the box may connect to a socket file.
func (c *connector) judge(target int, st *unix.Stat_t) syscall.Errno {
	this := inodeOf(st)
	for _, name := range c.named {
		// Looked up each time: a daemon that restarts makes a new one. No link
		// is followed, since the box may write where the name is.
		if at, err := inodeAt(name); err == nil && at == this {
			return 0
		}
	}
	verdict := c.own.judge(target, this)
	if verdict == 0 || verdict == unix.ECONNREFUSED {
		return verdict
	}
	if path, err := os.Readlink(fdPath(target)); err == nil {
		c.tell(path)
	}
	return verdict
}

func (c *connector) tell(path string) {
	c.mu.Lock()
	known := c.told[path] || len(c.told) >= maxTold
	if !known {
		c.told[path] = true
	}
	c.mu.Unlock()
	if !known {
		c.refused(path)
	}
}

// dial connects socket to addr, and remembers it by a name of the target.
func (c *connector) dial(call *notify.Call, socket int, addr []byte, target string) syscall.Errno {
	for {
		errno := connectRaw(socket, addr)
		if errno != unix.EINTR {
			return c.done.settle(socket, call.Thread, target, errno)
		}
		// A signal of the runtime's, or notify's that says: enough.
		if why := call.Interrupted(); why != 0 {
			return why
		}
	}
}

func connectRaw(socket int, addr []byte) syscall.Errno {
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(socket),
		uintptr(unsafe.Pointer(unsafe.SliceData(addr))), uintptr(len(addr)))
	return errno
}

// errnoOf is what the caller is told of an error. What has no number of its
// own is a refusal.
func errnoOf(err error) syscall.Errno {
	errno, ok := errors.AsType[syscall.Errno](err)
	switch {
	case !ok, errno == unix.EPERM, errno == unix.EXDEV:
		return unix.EACCES
	}
	return errno
}
