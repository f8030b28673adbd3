package native

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/notify"
)

// maxRaces is how often a look-up is tried again that a rename disturbed.
const maxRaces = 16

// A view is a name of a caller's, and where it may begin.
type view struct {
	root, cwd int

	name string
	fd   int    // the caller's own descriptor that name begins with, or -1
	rest string // what follows it in name
}

// viewOf takes the caller's view of a name. For a caller that the user's other
// processes may not look into, such as ssh-agent, it takes the keeper's
// capabilities.
func viewOf(call *notify.Call, name string) (v view, err error) {
	v = view{root: -1, cwd: -1, name: name, fd: -1}
	defer func() {
		if err != nil {
			v.close()
		}
	}()
	if v.root, err = call.Root(); err != nil {
		return v, err
	}
	if v.cwd, err = call.Cwd(); err != nil {
		return v, err
	}
	n, rest, is := ofOwnDescriptor(name)
	if !is {
		return v, nil
	}
	v.rest = rest
	if v.fd, err = call.Fd(n); errors.Is(err, unix.EBADF) {
		err = unix.ENOENT // as /proc has no such name
	}
	return v, err
}

func (v view) close() {
	for _, fd := range []int{v.root, v.cwd, v.fd} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

// ofOwnDescriptor reports whether a name goes through a descriptor of the
// caller's own, which one, and what follows. Programs name a socket so whose
// path is longer than an address can be.
func ofOwnDescriptor(name string) (n int, rest string, is bool) {
	for _, links := range []string{"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"} {
		after, ok := strings.CutPrefix(name, links)
		if !ok {
			continue
		}
		number, rest, _ := strings.Cut(after, "/")
		n, err := strconv.Atoi(number)
		return n, strings.TrimLeft(rest, "/"), err == nil && strconv.Itoa(n) == number && n >= 0 && n <= math.MaxInt32
	}
	return 0, "", false
}

// open opens the name for reference only, as the caller would have found it:
// from its working directory and root, through the mounts of the box, which
// are this process's too, or from a descriptor that it has. Magic links beside
// that (/proc/PID/root, fd, cwd) are not followed: they lead where this process
// may look, and perhaps not the caller.
//
// It belongs in [withoutCapabilities].
func (v view) open(call *notify.Call) (int, error) {
	name := v.name
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	at := v.cwd
	switch same, err := sameDirectory(v.root, "/"); {
	case err != nil:
		return -1, err
	case same && v.fd >= 0 && v.rest == "":
		return unix.FcntlInt(uintptr(v.fd), unix.F_DUPFD_CLOEXEC, 0)
	case same && v.fd >= 0:
		at, name = v.fd, v.rest
	case same && leadsAside(name):
		return -1, unix.ELOOP // which they say of themselves by any other name
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

// leadsAside reports whether a name goes through a magic link of the caller's
// that is not followed. To this process /proc/self is nothing: it has no number
// in the box.
func leadsAside(name string) bool {
	for _, links := range []string{"/proc/self/", "/proc/thread-self/"} {
		if after, ok := strings.CutPrefix(name, links); ok {
			first, _, _ := strings.Cut(after, "/")
			return first == "root" || first == "cwd" || first == "task"
		}
	}
	return false
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
