package native

import (
	"errors"
	"io"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"

	"seisin/internal/sandbox"
)

// initMain is pid 1 of the box.
func initMain() int {
	// Landlock and no_new_privs belong to a thread, and a forked command has
	// those of the thread that forked it: this one. It is an init function that
	// called, and all of them run on the first thread, says package runtime: to
	// lock it once more would cost a thread from which to start others.
	w := &wire{file: os.NewFile(wireFD, "supervisor")}
	keeper := &wire{file: os.NewFile(keeperFD, "keeper")}
	var s initSetup
	if failed, err := runSteps(initSteps(w, keeper, &s)); err != nil {
		_ = w.send(&fromInit{Failed: newFailure("init", failed, err)})
		return 125
	}
	go leaveWith(keeper, w)
	return serveLaunches(w)
}

func initSteps(w, keeper *wire, s *initSetup) []step {
	var filter []unix.SockFilter
	assembleFilter := func() (err error) {
		filter, err = filterProgram(filterOptions{UserNS: s.UserNS, Scoped: s.ABI >= scopeABI})
		return err
	}
	waitForTree := func() error {
		_, err := keeper.receive(&fromKeeperToInit{})
		return err
	}
	filterCalls := func() error { return installFor(keeper, filter) }
	return []step{
		{"hide from the box's processes", "before any of them exists", undumpable},
		{"close descriptors", "what the keeper was left with must not reach a command", func() error { return closeFrom(keeperFD + 1) }},
		{"mark descriptors", "the wire is the init's alone", func() error { return closeOnExec(wireFD) }},
		{"leave the keeper's process group", "no process of the box is in a group with one outside (F1)", leaveGroup},
		{"read the setup", "", func() error { return readInitSetup(w, s) }},
		{"allow no new privileges", "setuid programs must not work, and Landlock wants it; early, as the next ones, since the tree is not there yet", noNewPrivileges},
		{"drop capabilities for good", "what is left of them below cannot be had again", dropBoundingSet},
		{"limit core dumps", "1, at which the kernel starts no program of core_pattern either; 0 does not stop that (F13)", limitCores},
		{"assemble the filter", "", assembleFilter},
		{"wait for the tree", "the keeper lays it, and what follows is done to it", waitForTree},
		{stepProc, "in this pid namespace: the box's own processes and no others", mountProc},
		{"forbid user namespaces", "before /proc/sys is closed", func() error { return forbidUserNamespaces(s) }},
		{"close parts of /proc", "while we may still mount", closeProc},
		{stepLandlock, "it forbids mounting, so it comes after the last mount", func() error { return restrictWriting(s) }},
		{"drop capabilities", "last: the steps above need them", dropCapabilities},
		{"filter system calls", "after the steps that the filter would refuse", filterCalls},
		{"let go of signals", "one from inside must not end pid 1; the steps above use Go's own", defaultSignals},
		{"have timers go off in time", "for this thread, and so for commands; ours were put off while the program started", func() error { return slackTimers(s.Slack) }},
		{"report", "", func() error { return w.send(&fromInit{Ready: true}) }},
	}
}

func readInitSetup(w *wire, s *initSetup) error {
	var m toInit
	if _, err := w.receive(&m); err != nil {
		return err
	}
	if m.Setup == nil {
		return errors.New("the first message is not the setup")
	}
	*s = *m.Setup
	return nil
}

func leaveGroup() error { return os.NewSyscallError("setpgid", unix.Setpgid(0, 0)) }

func mountProc() error {
	return os.NewSyscallError("mount", unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""))
}

// forbidUserNamespaces sets the limit of the box's own user namespace. Inside
// another one a command could make a mount namespace, and keep there what the
// keeper takes off or puts back here: each gap would stay open. A limit is no
// filter of calls, so that none can be missed. That on mount namespaces cannot
// be set: the kernel counts the detached mounts of open_tree as such, and the
// keeper needs them.
//
// A role with userns may make them. The filter keeps it from mount namespaces.
func forbidUserNamespaces(s *initSetup) error {
	if s.UserNS {
		return nil
	}
	return os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
}

func closeProc() error {
	for _, m := range sandbox.ProcParts {
		mask := ""
		if m.Mode == sandbox.Empty {
			mask = emptyFile
		}
		if err := closeProcPart(m.Path, mask); err != nil {
			return err
		}
	}
	return nil
}

// closeProcPart mounts p read-only over itself, or mask over it.
func closeProcPart(p, mask string) error {
	target, err := openNoLinks(p)
	if errors.Is(err, unix.ENOENT) {
		return nil // this kernel was built without it
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(target) }()
	source := target
	if mask != "" {
		if source, err = openNoLinks(mask); err != nil {
			return err
		}
		defer func() { _ = unix.Close(source) }()
	}
	m, err := cloneOf(source, p)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(m) }()
	attr := unix.MountAttr{Attr_set: alwaysSet | unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOEXEC}
	if err := unix.MountSetattr(m, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		return os.NewSyscallError("mount_setattr("+p+")", err)
	}
	return attach(m, target, p)
}

// noNewPrivileges is for this thread, from which commands are forked: no other
// executes anything.
func noNewPrivileges() error {
	return os.NewSyscallError("prctl(PR_SET_NO_NEW_PRIVS)", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
}

// dropBoundingSet empties the bounding set of this thread, from which commands
// are forked. What the thread has, it keeps.
func dropBoundingSet() error {
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // the kernel's last capability came before
		}
		if err != nil {
			return os.NewSyscallError("prctl(PR_CAPBSET_DROP)", err)
		}
	}
	return nil
}

// dropCapabilities empties the ambient, permitted, effective and inheritable
// sets of every thread.
func dropCapabilities() error {
	_, _, errno := psx.Syscall6(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0, 0)
	if errno != 0 {
		return errnoError("prctl(PR_CAP_AMBIENT)", errno)
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	_, _, errno = psx.Syscall3(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&none[0])), 0)
	runtime.KeepAlive(&none)
	return errnoError("capset", errno)
}

func errnoError(call string, errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return os.NewSyscallError(call, errno)
}

func slackTimers(nanoseconds int) error {
	return os.NewSyscallError("prctl(PR_SET_TIMERSLACK)", unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(nanoseconds), 0, 0, 0))
}

func limitCores() error {
	return os.NewSyscallError("setrlimit", unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1}))
}

// installFor puts this thread, which forks the commands, under the filter, and
// hands the listener to the keeper.
func installFor(keeper *wire, filter []unix.SockFilter) error {
	fd, err := installFilter(filter)
	if err != nil {
		return err
	}
	listener := os.NewFile(uintptr(fd), "listener")
	return errors.Join(keeper.send(&fromInitToKeeper{}, listener), listener.Close())
}

// leaveWith ends the init, and so the box, when the keeper is gone: it
// renews the walls.
func leaveWith(keeper, supervisor *wire) {
	var b [1]byte
	n, err := keeper.file.Read(b[:])
	if n > 0 {
		err = errors.New("a word came that is none")
	}
	if !errors.Is(err, io.EOF) {
		// Not on standard error: the command may hold it raw.
		_ = supervisor.send(&fromInit{Failed: newFailure("init", "watch the keeper", err)})
	}
	syscall.Exit(125)
}
