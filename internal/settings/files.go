package settings

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"seisin/internal/sandbox"
)

// A found is what stands at a path. The zero found is nothing.
type found struct {
	exists bool
	link   bool
	odd    bool // neither file nor directory: a socket, a FIFO, a device
	kind   sandbox.Kind
	links  uint64
	id     sandbox.FileID
}

// lookAt says what stands at p, without following a link there.
func lookAt(p string) (found, error) {
	info, err := os.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return found{kind: sandbox.Dir}, nil
	}
	if err != nil {
		return found{}, closed(err)
	}
	f := found{exists: true, kind: sandbox.File, link: info.Mode()&fs.ModeSymlink != 0}
	if info.IsDir() {
		f.kind = sandbox.Dir
	}
	f.odd = !info.IsDir() && !info.Mode().IsRegular() && !f.link
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		f.links = uint64(st.Nlink)
		f.id = sandbox.FileID{Dev: uint64(st.Dev), Ino: st.Ino}
	}
	return f, nil
}
