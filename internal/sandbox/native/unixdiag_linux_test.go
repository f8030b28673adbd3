package native

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// bindFile binds a stream socket to name. It listens, unless it is closed
// first.
func bindFile(t *testing.T, name string) int {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: name}), unix.Listen(fd, 1)); err != nil {
		t.Fatal(err)
	}
	return fd
}

func pathFile(t *testing.T, name string) (int, inode) {
	t.Helper()
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		t.Fatal(err)
	}
	return fd, inodeOf(&st)
}

func newTestSockets(t *testing.T) *ownSockets {
	t.Helper()
	o, err := newOwnSockets(func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.close() })
	return o
}

// F6, seen from one namespace: a file is own for as long as its socket is.
// What ended is told from what never was.
func TestOwnSockets(t *testing.T) {
	dir := shortDir(t)
	o := newTestSockets(t)
	never, ended := filepath.Join(dir, "never"), filepath.Join(dir, "ended")
	if err := unix.Close(bindFile(t, never)); err != nil {
		t.Fatal(err)
	}
	fd := bindFile(t, ended)
	target, f := pathFile(t, ended)
	if got := o.judge(target, f); got != 0 {
		t.Errorf("while it listens: got %v, want 0", got)
	}
	if err := unix.Close(fd); err != nil {
		t.Fatal(err)
	}
	if got := o.judge(target, f); got != unix.ECONNREFUSED {
		t.Errorf("after its end: got %v, want ECONNREFUSED", got)
	}
	if got := o.judge(pathFile(t, never)); got != unix.EACCES {
		t.Errorf("one never listed: got %v, want EACCES", got)
	}
}

// Where device and number do not say for certain that it is the file, its name
// must.
func TestOwnSocketWhereNumbersAreAmbiguous(t *testing.T) {
	t.Chdir("/proc") // as the keeper's
	dir := shortDir(t)
	name := filepath.Join(dir, "s")
	fd := bindFile(t, name)
	defer func() { _ = unix.Close(fd) }()
	if err := os.Symlink(dir, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	other := bindFile(t, filepath.Join(dir, "other"))
	defer func() { _ = unix.Close(other) }()
	target, f := pathFile(t, name)
	same := diagFile{uint32(f.ino), kernelDev(f.dev)}
	// The test's file systems have numbers of 32 bits: a number that only the
	// low half agrees with stands for the longer ones.
	long := inode{f.dev, f.ino | 1<<32}
	for _, tt := range []struct {
		name string
		b    bound
		f    inode
		want bool
	}{
		{"Certain", bound{same, ""}, f, true},
		{"Certain, and renamed", bound{same, "/elsewhere"}, f, true},
		{"Another file system", bound{diagFile{same.ino, same.dev + 1}, name}, f, false},
		{"A long number, no name", bound{same, ""}, long, false},
		{"A long number, a relative name", bound{same, "s"}, long, false},
		{"A long number, another file's name", bound{same, filepath.Join(dir, "other")}, long, false},
		{"Subvolume, its name", bound{same, name}, inode{f.dev + 1, f.ino}, false}, // the name is of another device
	} {
		if got := isFile(tt.b, target, tt.f); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
	for _, tt := range []struct {
		name string
		want bool
	}{{name, true}, {filepath.Join(dir, "link", "s"), false}, {"s", false}, {filepath.Join(dir, "other"), false}, {"", false}} {
		if got := leadsTo(tt.name, f); got != tt.want {
			t.Errorf("%q leads to the file: got %v, want %v", tt.name, got, tt.want)
		}
	}
	dev, err := mountDev(target)
	if err != nil || dev != kernelDev(f.dev) {
		t.Errorf("device of the mount: got %#x, %v, want %#x", dev, err, kernelDev(f.dev))
	}
}

// The kernel makes the messages, but a parser does not trust a length.
func TestParseBoundTakesAnyBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parseBound(rapid.SliceOf(rapid.Byte()).Draw(t, "data"))
	})
}

func TestParseBound(t *testing.T) {
	attr := func(kind uint16, value []byte) []byte {
		b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
		b = append(binary.NativeEndian.AppendUint16(b, kind), value...)
		return append(b, make([]byte, (4-len(value)%4)%4)...)
	}
	vfs := binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, 7), 8)
	head := make([]byte, 16)
	for _, tt := range []struct {
		name string
		data []byte
		want bound
		ok   bool
	}{
		{"Name and file", append(append(head[:16:16], attr(udiagName, []byte("/x\x00"))...), attr(udiagVFS, vfs)...), bound{diagFile{7, 8}, "/x"}, true},
		{"No file", append(head[:16:16], attr(udiagName, []byte("\x00abstract"))...), bound{}, false},
		{"Nothing", head, bound{}, false},
		{"Short", head[:3], bound{}, false},
		{"A length beyond the end", append(head[:16:16], 200, 0, 1, 0), bound{}, false},
	} {
		got, ok := parseBound(tt.data)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%s: got %v, %v, want %v, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}

func TestDiagError(t *testing.T) {
	err := &diagError{unix.ENOENT}
	if !errors.Is(err, unix.ENOENT) || err.Hint() == "" {
		t.Errorf("got %v with hint %q, want ENOENT and a hint", err, err.Hint())
	}
}

// F12: what is answered once more, and what is not.
func TestConnectionsSettle(t *testing.T) {
	fd := func() int {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Close(fd) })
		return fd
	}
	one, two := fd(), fd()
	c := connections{bySocket: newRecent[uint64, connection](maxConnections)}
	for i, tt := range []struct {
		socket, thread int
		target         string
		errno, want    syscall.Errno
	}{
		{one, 1, "x", unix.EISCONN, unix.EISCONN}, // connected before
		{one, 1, "x", unix.EACCES, unix.EACCES},
		{one, 1, "x", 0, 0},
		{one, 1, "x", unix.EISCONN, 0},
		{one, 1, "y", unix.EISCONN, unix.EISCONN},
		{one, 2, "x", unix.EISCONN, unix.EISCONN},
		{two, 1, "x", unix.EISCONN, unix.EISCONN},
		{two, 1, "x", unix.EINPROGRESS, unix.EINPROGRESS},
		{two, 1, "x", unix.EALREADY, unix.EINPROGRESS},
		{two, 2, "x", unix.EALREADY, unix.EALREADY},
		{two, 1, "x", unix.EISCONN, 0},
	} {
		if got := c.settle(tt.socket, tt.thread, tt.target, tt.errno); got != tt.want {
			t.Errorf("%d: got %v, want %v", i, got, tt.want)
		}
	}
}
