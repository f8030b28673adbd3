package launch

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// isNameless reports whether a pipe is one of pipe(2): a named one is a file
// of the host's.
func isNameless(f *os.File) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &st) == nil && st.Type == unix.PIPEFS_MAGIC
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
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
