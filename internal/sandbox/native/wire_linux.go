package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// maxMessage bounds one message. The longest is a launch request, and execve
// takes 2 MiB of arguments and environment at the usual stack limit.
const maxMessage = 8 << 20

// maxFiles bounds the descriptors beside one message; the kernel's own limit is
// 253 (SCM_MAX_FD).
const maxFiles = 64

// A wire carries messages between two of our own processes over a stream
// socket: four bytes of length, then what a coder wrote, with descriptors beside the first
// byte.
type wire struct {
	file *os.File

	sending sync.Mutex // one message at a time
}

// newWire makes a pair of connected wires' sockets.
func newWire() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	return os.NewFile(uintptr(fds[0]), "wire"), os.NewFile(uintptr(fds[1]), "wire"), nil
}

// send writes m, and files beside it.
func (w *wire) send(m message, files ...*os.File) error {
	body := encode(m)
	if len(body) > maxMessage {
		return fmt.Errorf("message of %d bytes is over the limit of %d", len(body), maxMessage)
	}
	var oob []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		oob = unix.UnixRights(fds...)
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	frame = append(frame, body...)
	w.sending.Lock()
	defer w.sending.Unlock()
	fd := int(w.file.Fd())
	for len(frame) > 0 {
		n, err := unix.SendmsgN(fd, frame, oob, nil, unix.MSG_NOSIGNAL)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return os.NewSyscallError("sendmsg", err)
		}
		frame, oob = frame[n:], nil
	}
	return nil
}

// receive reads one message into m and returns the descriptors beside it. At
// the other side's end it returns io.EOF.
func (w *wire) receive(m message) ([]*os.File, error) {
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(maxFiles*4))
	var files []*os.File
	for got := 0; got < len(head); {
		n, oobn, _, _, err := unix.Recvmsg(int(w.file.Fd()), head[got:], oob, unix.MSG_CMSG_CLOEXEC)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, os.NewSyscallError("recvmsg", err)
		}
		if n == 0 {
			return nil, io.EOF
		}
		got += n
		more, err := rights(oob[:oobn])
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxMessage {
		return nil, fmt.Errorf("message of %d bytes is over the limit of %d", size, maxMessage)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(w.file, body); err != nil {
		return nil, err
	}
	return files, decode(body, m)
}

func rights(oob []byte) (files []*os.File, err error) {
	if len(oob) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return nil, err
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	return files, nil
}
