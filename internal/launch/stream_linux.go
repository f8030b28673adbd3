package launch

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// manyMajor is of the nodes that stand for many terminals: /dev/tty, which is 0
// of them, /dev/console, /dev/ptmx (TTYAUX_MAJOR of <linux/major.h>).
const manyMajor = 5

// isTerminal reports whether f is a terminal that a person sits at, and no node
// that stands for many.
func isTerminal(f *os.File) bool {
	var st unix.Stat_t
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil && unix.Fstat(int(f.Fd()), &st) == nil && unix.Major(st.Rdev) != manyMajor
}

// behindTTY opens the pseudo-terminal that controls this session, if f is
// /dev/tty, and returns nil if it is not. So it does where there is none of that
// name that can be opened, as after su(1) or on a console: /dev/tty takes no
// right to the node.
func behindTTY(f *os.File) *os.File {
	var st unix.Stat_t
	if f == nil || unix.Fstat(int(f.Fd()), &st) != nil || st.Rdev != unix.Mkdev(manyMajor, 0) {
		return nil
	}
	dev, err := unix.IoctlGetUint32(int(f.Fd()), unix.TIOCGDEV)
	if err != nil {
		return nil
	}
	name := fmt.Sprintf("/dev/pts/%d", unix.Minor(uint64(dev)))
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	pts := os.NewFile(uintptr(fd), name)
	if unix.Fstat(fd, &st) != nil || st.Rdev != uint64(dev) || !controls(pts) {
		_ = pts.Close() // the console's, or of another devpts
		return nil
	}
	return pts
}

// isNameless reports whether f is one of the kernel's own objects, such as an
// eventfd, a timer, a pidfd or an epoll instance, which have no type of file.
// Package os takes them for regular files, and they block who reads them.
func isNameless(f *os.File) bool {
	var st unix.Stat_t
	return unix.Fstat(int(f.Fd()), &st) == nil && st.Mode&unix.S_IFMT == 0
}

// nameOf is what the kernel calls a descriptor, such as "anon_inode:[eventfd]".
func nameOf(f *os.File) string {
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return f.Name()
	}
	return name
}

// again is another descriptor of f's.
func again(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return os.NewFile(uintptr(fd), f.Name()), err
}

func unreadIn(pipe *os.File) (int, error) { return unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ) }

// terminalOf returns the pseudo-terminal that the first of the streams is which
// is one. It has no name if it is of another devpts, as a container's can be, or
// the machine's console.
func terminalOf(streams ...*os.File) sandbox.Terminal {
	for _, f := range streams {
		if f == nil || !isTerminal(f) {
			continue
		}
		name := nameOf(f)
		if !strings.HasPrefix(name, "/dev/pts/") {
			return sandbox.Terminal{}
		}
		var named, opened unix.Stat_t
		if unix.Lstat(name, &named) != nil || unix.Fstat(int(f.Fd()), &opened) != nil {
			return sandbox.Terminal{}
		}
		t := sandbox.Terminal{Path: name, ID: sandbox.FileID{Dev: opened.Dev, Ino: opened.Ino}}
		if t.ID != (sandbox.FileID{Dev: named.Dev, Ino: named.Ino}) {
			return sandbox.Terminal{}
		}
		return t
	}
	return sandbox.Terminal{}
}
