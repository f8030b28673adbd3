//go:build linux && (amd64 || arm64)

package native

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Keeper and init are forked in one go, and both are loaded at the same time:
// the start of a Go program takes longer than all that either of them does.
// Package syscall cannot do that. It cannot share memory with a child in a new
// user namespace either (vfork), and a copy of a Go program's page tables costs
// as much as the namespaces do. ADR 4 has the figures.
//
// What runs in the children before they execute the program again is raw system
// calls, as in package syscall: the Go runtime is not theirs. They have this
// process's memory, which is stopped meanwhile, and leave word in it.

// A pair is what the children need, prepared, and what became of them.
type pair struct {
	exe        *byte
	keeperArgv []*byte
	initArgv   []*byte
	envv       []*byte

	flags    uintptr   // of the keeper's clone
	setup    [3]idFile // what maps the keeper's user and group
	wire     int       // the keeper's, and so on
	initWire int
	hold     int // the keeper's end of what joins the two
	held     int // the init's end
	null     int

	pidfd int32 // of the init, in the keeper
	stage uintptr
	errno uintptr
}

// An idFile is what a child writes where.
type idFile struct {
	name    *byte
	content []byte
}

// The steps that can fail, for an error.
const (
	stageClone = iota
	stageMap
	stageCaps
	stageFiles
	stageInit
	stageExec
)

var stageNames = [...]string{"clone", "map the user into the user namespace", "keep capabilities", "arrange descriptors", "clone the init", "execve"}

// timerSlack, in nanoseconds, is by how much the kernel may put timers of the
// keeper and the init off. The Go runtime looks after its threads every 20
// microseconds while a program starts, which was a tenth of a run's processor
// time; what the two wait for by the clock is counted in milliseconds. Commands
// get back what the person's programs have.
const timerSlack = 1_000_000

// above is over every descriptor that a child gets.
const above = 16

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()

// rawVfork is clone(flags, 0, pidfd), for flags with CLONE_VM and CLONE_VFORK.
//
//go:noescape
func rawVfork(flags uintptr, pidfd *int32) (pid uintptr, errno uintptr)

// forkPair starts a keeper and an init. The files stay the caller's.
func forkPair(wire, initWire, hold, held *os.File) (pid int, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = null.Close() }()
	uid, gid := strconv.Itoa(os.Geteuid()), strconv.Itoa(os.Getegid())
	p := &pair{
		exe:   mustPtr("/proc/self/exe"),
		flags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		// To itself: files of the territory must keep their owner, and no
		// other number would take root's rights over files away (F13).
		setup: [3]idFile{
			{mustPtr("/proc/self/setgroups"), []byte("deny")},
			{mustPtr("/proc/self/uid_map"), []byte(uid + " " + uid + " 1\n")},
			{mustPtr("/proc/self/gid_map"), []byte(gid + " " + gid + " 1\n")},
		},
		keeperArgv: []*byte{mustPtr(keeperArg), nil},
		initArgv:   []*byte{mustPtr(initArg), nil},
		// One thread for Go code: there is little to do at a time, and what
		// every thread has to give up costs by the thread. TZ, since a library
		// would read the time zone's file.
		envv:     []*byte{mustPtr("GOMAXPROCS=1"), mustPtr("TZ="), nil},
		wire:     int(wire.Fd()),
		initWire: int(initWire.Fd()),
		hold:     int(hold.Fd()),
		held:     int(held.Fd()),
		null:     int(null.Fd()),
	}
	back, err := dropGroups()
	if err != nil {
		return 0, err
	}
	syscall.ForkLock.Lock()
	child, errno := p.fork()
	syscall.ForkLock.Unlock()
	back()
	runtime.KeepAlive(p)
	if errno == 0 && p.errno != 0 { // it left word, and is gone
		_, _ = unix.Wait4(int(child), nil, 0, nil)
		errno = p.errno
	}
	if errno != 0 {
		return 0, os.NewSyscallError(stageNames[p.stage], unix.Errno(errno))
	}
	return int(child), nil
}

func mustPtr(s string) *byte {
	b, err := unix.BytePtrFromString(s)
	if err != nil {
		panic(err) // a constant with a NUL
	}
	return b
}

// fork is the caller's side. It is stopped until the keeper has executed the
// program, which waits for the init to have done so.
//
//go:noinline
//go:norace
func (p *pair) fork() (pid, errno uintptr) {
	beforeFork()
	pid, errno = rawVfork(p.flags|unix.CLONE_VM|unix.CLONE_VFORK|uintptr(unix.SIGCHLD), nil)
	if errno != 0 || pid != 0 {
		afterFork()
		return pid, errno
	}
	afterForkInChild()
	p.keeper()
	for {
		_, _, _ = unix.RawSyscall(unix.SYS_EXIT, 253, 0, 0)
	}
}

// keeper becomes the keeper, or leaves word why not and returns.
//
//go:nosplit
//go:norace
func (p *pair) keeper() {
	p.stage = stageMap
	for i := range p.setup {
		if p.errno = write(&p.setup[i]); p.errno != 0 {
			return
		}
	}
	// A signal to the supervisor's group is not the keeper's.
	if _, _, e := unix.RawSyscall(unix.SYS_SETPGID, 0, 0, 0); e != 0 {
		p.errno = uintptr(e)
		return
	}
	p.stage = stageFiles
	for _, fd := range [...]*int{&p.wire, &p.initWire, &p.hold, &p.held, &p.null} {
		n, _, e := unix.RawSyscall(unix.SYS_FCNTL, uintptr(*fd), unix.F_DUPFD_CLOEXEC, above)
		if e != 0 {
			p.errno = uintptr(e)
			return
		}
		*fd = int(n)
	}
	p.stage = stageInit
	pid, errno := rawVfork(unix.CLONE_NEWPID|unix.CLONE_PIDFD|unix.CLONE_VM|unix.CLONE_VFORK|uintptr(unix.SIGCHLD), &p.pidfd)
	if errno == 0 && pid == 0 {
		p.become(p.initArgv, initCaps, [...]int{p.null, p.null, unix.Stderr, p.initWire, p.held, -1})
		for {
			_, _, _ = unix.RawSyscall(unix.SYS_EXIT, 253, 0, 0)
		}
	}
	if errno != 0 {
		p.errno = errno
		return
	}
	if p.errno == 0 { // of the init, which is gone then
		p.become(p.keeperArgv, keeperCaps, [...]int{p.null, p.null, unix.Stderr, p.wire, p.hold, int(p.pidfd)})
	}
}

// become executes the program with these descriptors from 0 on. It returns if
// that fails, with the reason in p.errno.
//
//go:nosplit
//go:norace
func (p *pair) become(argv []*byte, caps uint64, fds [6]int) {
	p.stage = stageCaps
	if p.errno = keepCaps(caps); p.errno != 0 {
		return
	}
	p.stage = stageFiles
	if fds[5] >= 0 && fds[5] < above { // the pidfd got the lowest number that was free
		n, _, e := unix.RawSyscall(unix.SYS_FCNTL, uintptr(fds[5]), unix.F_DUPFD_CLOEXEC, above)
		if e != 0 {
			p.errno = uintptr(e)
			return
		}
		fds[5] = int(n)
	}
	for i, fd := range fds {
		if fd < 0 || fd == i {
			continue
		}
		if _, _, e := unix.RawSyscall(unix.SYS_DUP3, uintptr(fd), uintptr(i), 0); e != 0 {
			p.errno = uintptr(e)
			return
		}
	}
	_, _, _ = unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, timerSlack, 0)
	p.stage = stageExec
	_, _, e := unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(p.exe)), uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&p.envv[0])))
	p.errno = uintptr(e)
}

//go:nosplit
//go:norace
func write(f *idFile) uintptr {
	fd, _, e := unix.RawSyscall6(unix.SYS_OPENAT, atFDCWD, uintptr(unsafe.Pointer(f.name)), unix.O_WRONLY|unix.O_CLOEXEC, 0, 0, 0)
	if e != 0 {
		return uintptr(e)
	}
	_, _, e = unix.RawSyscall(unix.SYS_WRITE, fd, uintptr(unsafe.Pointer(&f.content[0])), uintptr(len(f.content)))
	_, _, _ = unix.RawSyscall(unix.SYS_CLOSE, fd, 0, 0)
	return uintptr(e)
}

// atFDCWD is AT_FDCWD, -100, as an argument.
const atFDCWD = ^uintptr(99)

// keepCaps lets capabilities outlast the execve of who is not uid 0.
//
//go:nosplit
//go:norace
func keepCaps(caps uint64) uintptr {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if _, _, e := unix.RawSyscall(unix.SYS_CAPGET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&data[0])), 0); e != 0 {
		return uintptr(e)
	}
	data[0].Inheritable |= uint32(caps)
	data[1].Inheritable |= uint32(caps >> 32)
	if _, _, e := unix.RawSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&data[0])), 0); e != 0 {
		return uintptr(e)
	}
	for c := range uintptr(64) {
		if caps>>c&1 == 0 {
			continue
		}
		if _, _, e := unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, c, 0, 0, 0); e != 0 {
			return uintptr(e)
		}
	}
	return 0
}
