package launch

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// isTerminal reports whether f is a terminal that a person sits at, and no node
// that stands for many (/dev/tty, /dev/ptmx, /dev/console; TTYAUX_MAJOR).
func isTerminal(f *os.File) bool {
	const manyMajor = 5
	var st unix.Stat_t
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil && unix.Fstat(int(f.Fd()), &st) == nil && unix.Major(st.Rdev) != manyMajor
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
		name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
		if err != nil || !strings.HasPrefix(name, "/dev/pts/") {
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
