package native

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Of linux/unix_diag.h and net/tcp_states.h, which package unix does not have.
const (
	udiagShowName = 1 << 0
	udiagShowVFS  = 1 << 1
	udiagName     = 0 // attribute: the address it was bound to
	udiagVFS      = 1 // attribute: the file it was bound to

	stateClose  = 7 // bound, and not (yet) listening; datagram sockets
	stateListen = 10
)

// maxSeen is how many of the box's own sockets are remembered after they ended.
const maxSeen = 1024

// ownSockets knows the unix sockets that were made in one network namespace,
// which are those of the box: nobody in it can bring a socket of the host's
// into it (F6).
type ownSockets struct {
	unknown func(error)
	once    sync.Once // for unknown

	mu   sync.Mutex
	fd   int    // of NETLINK_SOCK_DIAG; it answers for the namespace it was made in
	seq  uint32 // of the last question
	buf  []byte
	seen recent[diagFile, struct{}]
}

// A diagFile is a file as unix_diag names it: by its file system's device,
// which is not always stat's, and the low half of its inode's number.
type diagFile struct{ ino, dev uint32 }

// A bound is a socket that is bound to a file.
type bound struct {
	file diagFile
	name string // as it was given to bind(2)
}

func newOwnSockets(unknown func(error)) (*ownSockets, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if errors.Is(err, unix.EPROTONOSUPPORT) {
		fd, err = -1, nil // as a missing module: told when it is needed
	}
	if err != nil {
		return nil, os.NewSyscallError("socket(NETLINK_SOCK_DIAG)", err)
	}
	return &ownSockets{
		unknown: unknown, fd: fd,
		buf:  make([]byte, 32<<10), // no message of the kernel's is longer
		seen: newRecent[diagFile, struct{}](maxSeen),
	}, nil
}

func (o *ownSockets) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fd < 0 {
		return nil
	}
	return unix.Close(o.fd)
}

// judge returns 0 for a socket file of the box's own, ECONNREFUSED for one
// whose socket has ended, and EACCES for all others. The ended are told apart
// as far as they are remembered, since programs clear such a file away, and
// start anew, on ECONNREFUSED only.
func (o *ownSockets) judge(target int, f inode) syscall.Errno {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, ended := o.seen.get(diagFile{uint32(f.ino), kernelDev(f.dev)})
	own := false
	err := o.each(func(b bound) {
		o.seen.put(b.file, struct{}{})
		own = own || b.file.ino == uint32(f.ino) && isFile(b, target, f)
	})
	switch {
	case err != nil:
		o.once.Do(func() { o.unknown(&diagError{err}) })
		return unix.EACCES
	case own:
		return 0
	case ended:
		return unix.ECONNREFUSED
	}
	return unix.EACCES
}

// isFile reports whether a socket is bound to the file f, which target is a
// descriptor of.
func isFile(b bound, target int, f inode) bool {
	if b.file.dev == kernelDev(f.dev) && f.ino>>32 == 0 {
		return true
	}
	// A file system whose files have other devices than itself (btrfs), or
	// numbers that unix_diag cuts off: another file may look the same. Then
	// the name it was bound to must still lead to this very file.
	dev, err := mountDev(target)
	return err == nil && dev == b.file.dev && leadsTo(b.name, f)
}

// leadsTo reports whether an absolute path leads to f, and by no link: the box
// could make one.
func leadsTo(name string, f inode) bool {
	at, err := inodeAt(name)
	return path.IsAbs(name) && err == nil && at == f
}

// each has visit called for the sockets that are bound to files.
//
// Of connected ones it does not: the one that a listener accepts is made in
// the namespace of whoever connects, with the listener's file. A socket of the
// host's would count as the box's own for as long as a connection lives.
func (o *ownSockets) each(visit func(bound)) error {
	if o.fd < 0 {
		return unix.EPROTONOSUPPORT
	}
	o.seq++
	if err := uninterrupted(func() error { return unix.Send(o.fd, question(o.seq), 0) }); err != nil {
		return os.NewSyscallError("send", err)
	}
	for {
		var n int
		err := uninterrupted(func() (err error) {
			n, _, err = unix.Recvfrom(o.fd, o.buf, 0)
			return err
		})
		if err != nil {
			return os.NewSyscallError("recv", err)
		}
		messages, err := syscall.ParseNetlinkMessage(o.buf[:n])
		if err != nil {
			return err
		}
		for _, m := range messages {
			switch kind := m.Header.Type; {
			case m.Header.Seq != o.seq: // of a question that failed half-way
			case kind == unix.NLMSG_DONE:
				return nil
			case kind == unix.NLMSG_ERROR:
				return netlinkError(m.Data)
			case kind == unix.SOCK_DIAG_BY_FAMILY:
				if b, ok := parseBound(m.Data); ok {
					visit(b)
				}
			}
		}
	}
}

// question is a netlink message with a struct unix_diag_req.
func question(seq uint32) []byte {
	const length, anyPort, anyInode = unix.SizeofNlMsghdr + 24, 0, 0
	order := binary.NativeEndian
	b := order.AppendUint32(nil, length)
	b = order.AppendUint16(b, unix.SOCK_DIAG_BY_FAMILY)
	b = order.AppendUint16(b, unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	b = order.AppendUint32(b, seq)
	b = order.AppendUint32(b, anyPort)
	b = append(b, unix.AF_UNIX, 0, 0, 0)
	b = order.AppendUint32(b, 1<<stateListen|1<<stateClose)
	b = order.AppendUint32(b, anyInode)
	b = order.AppendUint32(b, udiagShowName|udiagShowVFS)
	return order.AppendUint64(b, math.MaxUint64) // no cookie
}

// parseBound reads a struct unix_diag_msg and its attributes.
func parseBound(data []byte) (b bound, ok bool) {
	const header = 16
	for rest := data[min(header, len(data)):]; len(rest) >= unix.SizeofRtAttr; {
		size, kind := int(binary.NativeEndian.Uint16(rest)), binary.NativeEndian.Uint16(rest[2:])
		if size < unix.SizeofRtAttr || size > len(rest) {
			return bound{}, false
		}
		value := rest[unix.SizeofRtAttr:size]
		switch {
		case kind == udiagVFS && len(value) >= 8:
			b.file = diagFile{binary.NativeEndian.Uint32(value), binary.NativeEndian.Uint32(value[4:])}
			ok = true
		case kind == udiagName:
			b.name = string(bytes.TrimRight(value, "\x00"))
		}
		rest = rest[min((size+3)&^3, len(rest)):]
	}
	return b, ok
}

func netlinkError(data []byte) error {
	if len(data) < 4 {
		return errors.New("a netlink error without a number")
	}
	return syscall.Errno(-int32(binary.NativeEndian.Uint32(data)))
}

func uninterrupted(do func() error) error {
	for {
		if err := do(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// kernelDev is a device of stat(2) as the kernel writes it for itself.
func kernelDev(dev uint64) uint32 { return unix.Major(dev)<<20 | unix.Minor(dev) }

// mountDev returns the device of the file system that a descriptor is on.
func mountDev(fd int) (uint32, error) {
	var st unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st); err != nil {
		return 0, err
	}
	table, err := os.ReadFile("self/mountinfo")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(table) {
		var id uint64
		var parent, major, minor uint32
		if _, err := fmt.Sscanf(string(line), "%d %d %d:%d", &id, &parent, &major, &minor); err == nil && id == st.Mnt_id {
			return major<<20 | minor, nil
		}
	}
	return 0, unix.ENOENT
}

// A diagError reports that the kernel does not tell which unix sockets are the
// box's own, so that connections to them are refused.
type diagError struct{ err error }

func (e *diagError) Error() string {
	return "unix sockets that were made inside cannot be told apart (unix_diag), and are refused: " + e.err.Error()
}

func (e *diagError) Unwrap() error { return e.err }

// Hint says what the user can do about it.
func (e *diagError) Hint() string { return "load the kernel's module: modprobe unix_diag" }
