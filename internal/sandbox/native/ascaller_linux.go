package native

import (
	"errors"
	"fmt"
	"path"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/notify"
)

// maxRaces is how often a look-up is tried again that a rename disturbed.
const maxRaces = 16

// A view is where the names of a caller begin.
type view struct {
	root, cwd int
}

// viewOf takes the caller's view. For a caller that the user's other processes
// may not look into, such as ssh-agent, it takes the keeper's capabilities.
func viewOf(call *notify.Call) (view, error) {
	root, err := call.Root()
	if err != nil {
		return view{}, err
	}
	cwd, err := call.Cwd()
	if err != nil {
		_ = unix.Close(root)
		return view{}, err
	}
	return view{root, cwd}, nil
}

func (v view) close() {
	_ = unix.Close(v.root)
	_ = unix.Close(v.cwd)
}

// open opens a name for reference only, as the caller would have found it:
// from its working directory and root, through the mounts of the box, which
// are this process's too. Magic links (/proc/PID/root, fd, cwd) are not
// followed: they lead where this process may look, and perhaps not the caller.
//
// It belongs in [withoutCapabilities].
func (v view) open(call *notify.Call, name string) (int, error) {
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	at := v.cwd
	switch same, err := sameDirectory(v.root, "/"); {
	case err != nil:
		return -1, err
	case same:
	case path.IsAbs(name):
		// The caller has another root, in a namespace of its own making. Links
		// would be followed on this process's (F31).
		at, how.Resolve = v.root, how.Resolve|unix.RESOLVE_IN_ROOT
	default:
		// From a directory that has its root above it, the kernel can only be
		// told to stay below.
		how.Resolve |= unix.RESOLVE_BENEATH
	}
	for range maxRaces {
		fd, err := unix.Openat2(at, name, how)
		switch {
		case errors.Is(err, unix.EINTR):
			if why := call.Interrupted(); why != 0 {
				return -1, why
			}
		case errors.Is(err, unix.EAGAIN): // a rename somewhere met the look-up
		default:
			return fd, err
		}
	}
	return -1, unix.EACCES
}

// sameDirectory reports whether a descriptor and a path are one directory of
// one mount.
func sameDirectory(fd int, name string) (bool, error) {
	var a, b unix.Statx_t
	const mask = unix.STATX_INO | unix.STATX_MNT_ID
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, mask, &a); err != nil {
		return false, err
	}
	if err := unix.Statx(unix.AT_FDCWD, name, 0, mask, &b); err != nil {
		return false, err
	}
	return a.Ino == b.Ino && a.Dev_major == b.Dev_major && a.Dev_minor == b.Dev_minor && a.Mnt_id == b.Mnt_id, nil
}

// withoutCapabilities has do run with the rights that a process of the box
// has: the user's, and nothing from the keeper's capabilities, which reach
// into the user's own closed directories and past netlink's checks. The
// goroutine is locked to its thread.
func withoutCapabilities(do func() syscall.Errno) syscall.Errno {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(&head, unsafe.SliceData(have[:])); err != nil {
		return unix.EACCES
	}
	none := have
	none[0].Effective, none[1].Effective = 0, 0
	if err := unix.Capset(&head, unsafe.SliceData(none[:])); err != nil {
		return unix.EACCES
	}
	// If it fails, this thread can do less than before.
	defer func() { _ = unix.Capset(&head, unsafe.SliceData(have[:])) }()
	return do()
}

// An inode is a file as stat(2) names it.
type inode struct{ dev, ino uint64 }

func inodeOf(st *unix.Stat_t) inode { return inode{uint64(st.Dev), st.Ino} }

func (f inode) String() string { return fmt.Sprintf("file %d:%d", f.dev, f.ino) }

// inodeAt returns the file at an absolute path without links.
func inodeAt(name string) (inode, error) {
	fd, err := openNoLinks(name)
	if err != nil {
		return inode{}, err
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	return inodeOf(&st), err
}
