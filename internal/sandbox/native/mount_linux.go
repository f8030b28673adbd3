package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// The flags of every mount of the host's files. Read-only says nothing of
// device nodes, and a setuid program is a way to another user's rights (F4).
const alwaysSet = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV

// openNoLinks opens the file at an absolute path for reference only. No
// component may be a symlink: every path of a spec is real, so a link was put
// there since, perhaps by an agent (F19).
func openNoLinks(path string) (int, error) {
	how := &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, how)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
			continue // EAGAIN: a rename somewhere in the system met the look-up
		}
		if err != nil {
			return -1, &fs.PathError{Op: "openat2", Path: path, Err: err}
		}
		return fd, nil
	}
}

// cloneOf makes a detached copy of what is mounted at fd and below.
func cloneOf(fd int, path string) (int, error) {
	m, err := unix.OpenTree(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return -1, &fs.PathError{Op: "open_tree", Path: path, Err: err}
	}
	return m, nil
}

// setMode makes the detached mount writable or read-only, with all below it.
func setMode(mount int, path string, mode sandbox.Mode) error {
	// Private: what the host mounts later would come in writable.
	attr := unix.MountAttr{Attr_set: alwaysSet, Propagation: unix.MS_PRIVATE}
	if mode != sandbox.Writable {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	err := unix.MountSetattr(mount, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr)
	if err == nil && mode == sandbox.Writable {
		// Not below: what the host mounted read-only there stays so.
		err = unix.MountSetattr(mount, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	}
	if err != nil {
		return &fs.PathError{Op: "mount_setattr", Path: path, Err: err}
	}
	return nil
}

// attach puts a detached mount on the file behind target.
func attach(mount, target int, path string) error {
	err := unix.MoveMount(mount, "", target, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
	if err != nil {
		return &fs.PathError{Op: "move_mount", Path: path, Err: err}
	}
	return nil
}

func identityOf(fd int) (sandbox.FileID, uint32, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return sandbox.FileID{}, 0, os.NewSyscallError("fstat", err)
	}
	return sandbox.FileID{Dev: st.Dev, Ino: st.Ino}, st.Mode, nil
}

// mountIDOf returns the id of the mount that fd lies in, and whether fd is
// that mount's root.
func mountIDOf(fd int) (id uint64, root bool, err error) {
	var st unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st); err != nil {
		return 0, false, os.NewSyscallError("statx", err)
	}
	return st.Mnt_id, st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0, nil
}

// A swapError reports that a path is not what it was when the spec was made,
// or the program started. It is a refusal, not a retry: somebody is playing with names.
type swapError struct{ path string }

func (e *swapError) Error() string {
	return fmt.Sprintf("%q is another file than it was a moment ago", e.path)
}
