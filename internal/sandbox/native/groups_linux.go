package native

import (
	"os"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Groups returns the supplementary groups that commands in a box have beside
// the person's first. Only who may set groups can drop them, which is root, and
// then there are none; a user namespace does not give that right over those of
// the namespace above.
func Groups() ([]int, error) {
	groups, err := os.Getgroups()
	if err != nil || setsGroups() {
		return nil, err
	}
	first := os.Getegid()
	groups = slices.DeleteFunc(groups, func(g int) bool { return g == first })
	slices.Sort(groups)
	return slices.Compact(groups), nil
}

// setsGroups reports whether this process has CAP_SETGID.
func setsGroups() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&head, &data[0]) == nil && data[0].Effective&(1<<unix.CAP_SETGID) != 0
}

// dropGroups takes the supplementary groups from this thread, so that what it
// forks has none: in the new user namespace nobody may set them. Others than
// root keep theirs, as [Groups] says. The groups come back by a call of back, on
// the same goroutine.
func dropGroups() (back func(), err error) {
	none := func() {}
	groups, err := os.Getgroups()
	if err != nil || len(groups) == 0 || !setsGroups() {
		return none, err
	}
	runtime.LockOSThread()
	if err := setThreadGroups(nil); err != nil {
		runtime.UnlockOSThread()
		return none, err
	}
	return func() {
		// A thread that cannot have them back stays locked, and ends with its
		// goroutine.
		if setThreadGroups(groups) == nil {
			runtime.UnlockOSThread()
		}
	}, nil
}

// setThreadGroups is setgroups(2) of one thread; that of package syscall is of
// all.
func setThreadGroups(groups []int) error {
	list := make([]uint32, len(groups)+1) // never of no length, for the pointer
	for i, g := range groups {
		list[i] = uint32(g)
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&list[0])), 0)
	return errnoError("setgroups", errno)
}
