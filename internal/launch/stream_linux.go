package launch

import (
	"os"

	"golang.org/x/sys/unix"
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
