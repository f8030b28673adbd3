package native

import (
	"os"
	"path"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// barred returns the directory that keeps a process without capabilities from
// p, or nil if no directory's mode and owner say so.
func barred(p string) error {
	groups, err := Groups()
	if err != nil {
		return nil
	}
	var dirs []string
	for dir := path.Dir(p); dir != "/" && dir != "."; dir = path.Dir(dir) {
		dirs = append(dirs, dir)
	}
	for _, dir := range slices.Backward(dirs) {
		info, err := os.Lstat(dir)
		if err != nil {
			return nil
		}
		st := info.Sys().(*syscall.Stat_t)
		bits := st.Mode
		switch {
		case int(st.Uid) == os.Geteuid():
			bits >>= 6
		case int(st.Gid) == os.Getegid() || slices.Contains(groups, int(st.Gid)):
			bits >>= 3
		}
		if bits&unix.X_OK == 0 {
			return &BarredError{Path: p, Dir: dir, Mode: info.Mode(), UID: st.Uid}
		}
	}
	return nil
}
