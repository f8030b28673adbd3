package native

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// seccompFix is for a call that this kernel has, and that something around us
// keeps from us: a container's profile says ENOSYS of calls that it was not
// told of, and EPERM of those that it knows and refuses.
const seccompFix = "in a container, see its seccomp profile: it has to allow the calls open_tree, move_mount, mount_setattr, mount, " +
	"landlock_create_ruleset, landlock_add_rule and landlock_restrict_self"

// kernelRelease is this kernel's version, such as "6.8.0-31-generic".
func kernelRelease() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// hasAllCalls reports whether a kernel of that release has every call that a
// box is built with.
func hasAllCalls(release string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(release, "%d.%d", &major, &minor)
	return n == 2 && (major > 6 || major == 6 && minor >= 1)
}
