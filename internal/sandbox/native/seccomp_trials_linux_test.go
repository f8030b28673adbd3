//go:build amd64 || arm64

package native

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A trial is a call on the real kernel. Where the filter is out it succeeds
// without doing harm, or fails by another error: its arguments are nonsense.
type trial struct {
	name string
	want unix.Errno // under the filter; 0: it succeeds, with the filter and without
	try  func() error
}

// none is a descriptor that is not open.
const none = ^uintptr(0) - 99

func trials() []trial {
	list := []trial{
		{"GetPID", 0, raw(unix.SYS_GETPID)},
		{"IOURing", unix.ENOSYS, raw(unix.SYS_IO_URING_SETUP, 1, 0)},
		{"Clone3", unix.ENOSYS, raw(unix.SYS_CLONE3, 0, 0)},
		{"Openat2", unix.ENOSYS, raw(unix.SYS_OPENAT2, none, 0, 0, 0)},
		{"PidfdGetfd", unix.EPERM, raw(unix.SYS_PIDFD_GETFD, none, 0, 0)}, // F14
		{"ProcessVMReadv", unix.EPERM, raw(unix.SYS_PROCESS_VM_READV, uintptr(os.Getpid()), 0, 0, 0, 0, 0)},
		{"ProcessVMWritev", unix.EPERM, raw(unix.SYS_PROCESS_VM_WRITEV, uintptr(os.Getpid()), 0, 0, 0, 0, 0)},
		{"Kcmp", unix.EPERM, raw(unix.SYS_KCMP, uintptr(os.Getpid()), uintptr(os.Getpid()), 0, 0, 0)},
		{"ProcessMadvise", unix.EPERM, raw(unix.SYS_PROCESS_MADVISE, none, 0, 0, 0, 0)},
		{"ProcessMrelease", unix.EPERM, raw(unix.SYS_PROCESS_MRELEASE, none, 0)},
		{"Ptrace", unix.EPERM, raw(unix.SYS_PTRACE, unix.PTRACE_PEEKDATA, none, 0, 0)},
		{"Keyctl", unix.ENOSYS, raw(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, ^uintptr(0), 0)},
		{"AddKey", unix.ENOSYS, raw(unix.SYS_ADD_KEY, 0, 0, 0, 0, 0)},
		{"RequestKey", unix.ENOSYS, raw(unix.SYS_REQUEST_KEY, 0, 0, 0, 0)},
		{"BPF", unix.EPERM, raw(unix.SYS_BPF, 9999, 0, 0)},
		{"Userfaultfd", unix.EPERM, raw(unix.SYS_USERFAULTFD, ^uintptr(0))},
		{"PerfEventOpen", unix.EPERM, raw(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0, 0, 0)},
		{"Quotactl", unix.EPERM, raw(unix.SYS_QUOTACTL, ^uintptr(0), 0, 0, 0)},
		{"QuotactlFd", unix.EPERM, raw(unix.SYS_QUOTACTL_FD, none, 0, 0, 0)},
		{"NameToHandleAt", unix.EPERM, raw(unix.SYS_NAME_TO_HANDLE_AT, none, 0, 0, 0, 0)},
		{"PersonalityPageZero", unix.EPERM, raw(unix.SYS_PERSONALITY, 0x100000)},
		{"PersonalityBack", 0, raw(unix.SYS_PERSONALITY, 0)},
		{"PersonalityQuery", 0, raw(unix.SYS_PERSONALITY, perQuery)},

		{"TIOCSTI", unix.EPERM, raw(unix.SYS_IOCTL, none, unix.TIOCSTI, 0)},
		{"TIOCSTIWithUpperBits", unix.EPERM, raw(unix.SYS_IOCTL, none, unix.TIOCSTI|upper, 0)}, // F18
		{"TIOCLINUX", unix.EPERM, raw(unix.SYS_IOCTL, none, unix.TIOCLINUX, 0)},
		{"Lease", unix.EPERM, withFile("lease", unix.O_RDONLY, func(fd int) error {
			_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
			return err
		})},
		{"Notify", unix.EPERM, raw(unix.SYS_FCNTL, none, unix.F_NOTIFY, 0)},
		{"Lock", 0, withFile("lock", unix.O_RDONLY, func(fd int) error { return unix.Flock(fd, unix.LOCK_EX) })},
		{"NonBlocking", 0, withFile("nonblock", unix.O_RDONLY, func(fd int) error { return unix.SetNonblock(fd, true) })},

		{"Setns", unix.EPERM, raw(unix.SYS_SETNS, none, 0)},
		{"UnshareFiles", 0, raw(unix.SYS_UNSHARE, unix.CLONE_FILES)},
		{"Unshare", unix.EPERM, raw(unix.SYS_UNSHARE, unix.CLONE_NEWUTS)},
		{"UnshareByUpperBits", unix.EPERM, raw(unix.SYS_UNSHARE, 1<<40)},
		{"Fork", 0, fork(0)},
		{"ForkIntoNamespace", unix.EPERM, fork(unix.CLONE_NEWUTS)},
		{"Mount", unix.EPERM, func() error { return unix.Mount("none", ".", "tmpfs", 0, "") }},
		{"Umount", unix.EPERM, func() error { return unix.Unmount("absent", unix.MNT_DETACH) }},
		{"PivotRoot", unix.EPERM, func() error { return unix.PivotRoot("absent", "absent") }},
		{"Chroot", unix.EPERM, func() error { return unix.Chroot("absent") }},
		{"OpenTree", unix.EPERM, raw(unix.SYS_OPEN_TREE, none, 0, 0)},
		{"OpenTreeAttr", unix.EPERM, raw(unix.SYS_OPEN_TREE_ATTR, none, 0, 0, 0, 0)},
		{"MoveMount", unix.EPERM, raw(unix.SYS_MOVE_MOUNT, none, 0, none, 0, 0)},
		{"Fsopen", unix.EPERM, raw(unix.SYS_FSOPEN, 0, 0)},
		{"Fsconfig", unix.EPERM, raw(unix.SYS_FSCONFIG, none, 0, 0, 0, 0)},
		{"Fsmount", unix.EPERM, raw(unix.SYS_FSMOUNT, none, 0, 0)},
		{"Fspick", unix.EPERM, raw(unix.SYS_FSPICK, none, 0, 0)},
		{"MountSetattr", unix.EPERM, raw(unix.SYS_MOUNT_SETATTR, none, 0, 0, 0, 0)},

		{"Chmod", 0, func() error { return unix.Chmod(made("chmod"), 0o1755) }},
		{"ChmodSetuid", unix.EPERM, func() error { return unix.Chmod(made("chmod"), 0o4755) }}, // F13
		{"ChmodSetgidWithUpperBits", unix.EPERM, func() error {
			return raw(unix.SYS_FCHMODAT, at, text(made("chmod")), 0o2755|upper)()
		}},
		{"Fchmodat2Setuid", unix.EPERM, func() error { return raw(unix.SYS_FCHMODAT2, at, text(made("chmod")), 0o4755, 0)() }},
		{"FchmodSetuid", unix.EPERM, withFile("fchmod", unix.O_RDONLY, func(fd int) error { return unix.Fchmod(fd, 0o4755) })},
		{"OpenSetuid", unix.EPERM, func() error { return opened("new", unix.O_CREAT|unix.O_WRONLY, 0o4755) }},
		{"OpenNew", 0, func() error { return opened("newer", unix.O_CREAT|unix.O_WRONLY, 0o755) }},
		{"OpenOldWithAMode", 0, func() error { return opened(made("old"), unix.O_RDONLY, 0o6755) }},
		{"MkdirSetgid", unix.EPERM, func() error { return unix.Mkdir("setgid", 0o2755) }},
		{"MkdirSticky", 0, func() error { return unix.Mkdir("sticky", 0o1777) }},
		{"MknodSetuid", unix.EPERM, func() error { return unix.Mknod("node", unix.S_IFREG|0o4755, 0) }},

		{"UnixStream", 0, opensSocket(unix.AF_UNIX, unix.SOCK_STREAM, 0)},
		{"UnixDatagram", unix.EPROTONOSUPPORT, opensSocket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)}, // F3
		{"UnixRaw", unix.EPROTONOSUPPORT, opensSocket(unix.AF_UNIX, unix.SOCK_RAW, 0)},
		{"UnixDatagramPair", unix.EPROTONOSUPPORT, opensPair(unix.SOCK_DGRAM)},
		{"UnixRawPair", unix.EPROTONOSUPPORT, opensPair(unix.SOCK_RAW)},
		{"UnixStreamPair", 0, opensPair(unix.SOCK_STREAM)},
		{"UnixSeqpacketPair", 0, opensPair(unix.SOCK_SEQPACKET)},
		{"TCP", 0, opensSocket(unix.AF_INET, unix.SOCK_STREAM, 0)},
		{"UDP", 0, opensSocket(unix.AF_INET, unix.SOCK_DGRAM, 0)},
		{"Route", 0, opensSocket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)},
		{"Generic", unix.EAFNOSUPPORT, opensSocket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_GENERIC)},
		{"GenericWithUpperBits", unix.EAFNOSUPPORT, raw(unix.SYS_SOCKET, unix.AF_NETLINK|upper, unix.SOCK_RAW, unix.NETLINK_GENERIC)},
		{"Packet", unix.EAFNOSUPPORT, opensSocket(unix.AF_PACKET, unix.SOCK_RAW, 0)},
		{"OldPacket", unix.EAFNOSUPPORT, opensSocket(unix.AF_INET, unix.SOCK_PACKET, 0)},
		{"Seccomp", 0, seccompAgain},
	}
	return append(list, archTrials()...)
}

const at = ^uintptr(0) - 99 // AT_FDCWD, as a register holds it

// raw makes a call as it stands.
func raw(nr uintptr, args ...uintptr) func() error {
	var a [6]uintptr
	copy(a[:], args)
	return func() error {
		_, _, errno := unix.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
		if errno != 0 {
			return errno
		}
		return nil
	}
}

// text is the address of a string that stays where it is: nothing here ends
// before the process does.
func text(s string) uintptr {
	b, err := unix.BytePtrFromString(s)
	if err != nil {
		panic(err)
	}
	texts = append(texts, b)
	return uintptr(unsafe.Pointer(b))
}

var texts []*byte

// made is an ordinary file of that name.
func made(name string) string {
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		panic(err)
	}
	return name
}

func withFile(name string, flags int, f func(fd int) error) func() error {
	return func() error {
		fd, err := unix.Open(made(name), flags, 0)
		if err != nil {
			return err
		}
		return errors.Join(f(fd), unix.Close(fd))
	}
}

func opened(name string, flags int, mode uint32) error {
	fd, err := unix.Open(name, flags, mode)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func opensSocket(family, typ, protocol int) func() error {
	return func() error {
		fd, err := unix.Socket(family, typ, protocol)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}
}

func opensPair(typ int) func() error {
	return func() error {
		pair, err := unix.Socketpair(unix.AF_UNIX, typ, 0)
		if err != nil {
			return err
		}
		return errors.Join(unix.Close(pair[0]), unix.Close(pair[1]))
	}
}

// fork starts a program and waits for it.
func fork(flags uintptr) func() error {
	return func() error {
		pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", "exit 0"}, &syscall.ProcAttr{
			Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Cloneflags: flags},
		})
		if err != nil {
			return err
		}
		_, err = unix.Wait4(pid, nil, 0, nil)
		return err
	}
}

// seccompAgain is a program that boxes itself further.
func seccompAgain() error {
	all := unix.SockFilter{Code: 0x06 /* BPF_RET | BPF_K */, K: allow}
	program := unix.SockFprog{Len: 1, Filter: &all}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, errno := seccomp(unix.SECCOMP_SET_MODE_FILTER, 0, &program); errno != 0 {
		return errno
	}
	return nil
}
