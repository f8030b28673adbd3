//go:build amd64 || arm64

package native

import "golang.org/x/sys/unix"

const whyModes = "a setuid or setgid file in the territory is one on the host too, where no mount is nosuid (F13)"

const (
	// setBits are the modes by which a file runs as somebody else. The sticky
	// bit is not one of them: on a file Linux does nothing with it, on a
	// directory it takes rights away, and /tmp of every fixture has it.
	setBits = unix.S_ISUID | unix.S_ISGID

	// creating are the flags with which open takes a mode at all. Without
	// them a program passes what happened to be in the register.
	creating = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
)

// fileRows are about files, mounts, and what is done to a descriptor.
func fileRows() []row {
	return []row{
		{
			calls:  []call{{unix.SYS_OPENAT, "openat"}},
			when:   []test{has(2, creating), has(3, setBits)},
			answer: refuse(unix.EPERM), why: whyModes,
		},
		{
			calls:  []call{{unix.SYS_FCHMOD, "fchmod"}},
			when:   []test{has(1, setBits)},
			answer: refuse(unix.EPERM), why: whyModes,
		},
		{
			// The kernel takes these bits from a directory's mode by itself:
			// mkdirat is here to give the answer that the others give.
			calls: []call{
				{unix.SYS_FCHMODAT, "fchmodat"}, {unix.SYS_FCHMODAT2, "fchmodat2"},
				{unix.SYS_MKDIRAT, "mkdirat"}, {unix.SYS_MKNODAT, "mknodat"},
			},
			when:   []test{has(2, setBits)},
			answer: refuse(unix.EPERM), why: whyModes,
		},
		{
			calls:  []call{{unix.SYS_OPENAT2, "openat2"}},
			answer: absent, why: whyMemory,
		},
		{
			calls: []call{
				{unix.SYS_MOUNT, "mount"}, {unix.SYS_UMOUNT2, "umount2"}, {unix.SYS_PIVOT_ROOT, "pivot_root"},
				{unix.SYS_OPEN_TREE, "open_tree"}, {unix.SYS_MOVE_MOUNT, "move_mount"}, {unix.SYS_FSOPEN, "fsopen"},
				{unix.SYS_FSCONFIG, "fsconfig"}, {unix.SYS_FSMOUNT, "fsmount"}, {unix.SYS_FSPICK, "fspick"},
				{unix.SYS_MOUNT_SETATTR, "mount_setattr"}, {unix.SYS_OPEN_TREE_ATTR, "open_tree_attr"},
			},
			answer: refuse(unix.EPERM), why: "the mounts are the first wall; nothing in a box takes one off or lays one over it",
		},
		{
			// With user namespaces it stays: Chromium's sandbox shuts itself
			// into an empty directory. It opens nothing, but it hides.
			calls:  []call{{unix.SYS_CHROOT, "chroot"}},
			answer: refuse(unix.EPERM), boxes: withoutUserNS, why: "hides the marker of the box, and git's hooks believe they are outside (F24)",
		},
		{
			calls: []call{
				{unix.SYS_NAME_TO_HANDLE_AT, "name_to_handle_at"}, {unix.SYS_OPEN_BY_HANDLE_AT, "open_by_handle_at"},
			},
			answer: refuse(unix.EPERM), why: "opens a file by its number, past every mount that hides it; and, from 6.18, a namespace",
		},
		{
			calls:  []call{{unix.SYS_LOOKUP_DCOOKIE, "lookup_dcookie"}},
			answer: refuse(unix.EPERM), why: "turns a number into the path of a file, hidden or not; Linux 6.7 dropped it",
		},
		{
			calls:  []call{{unix.SYS_QUOTACTL, "quotactl"}, {unix.SYS_QUOTACTL_FD, "quotactl_fd"}},
			answer: refuse(unix.EPERM), why: "sets limits of the host's file systems, which a read-only mount does not forbid",
		},
		{
			calls:  []call{{unix.SYS_FCNTL, "fcntl"}},
			when:   []test{is(1, unix.F_SETLEASE, unix.F_SETDELEG, unix.F_NOTIFY)},
			answer: refuse(unix.EPERM), why: "a lease on a file that the box can only read holds up whoever opens it outside",
		},
		{
			calls:  []call{{unix.SYS_FCNTL, "fcntl"}},
			when:   []test{is(1, unix.F_SETFL), has(2, unix.O_ASYNC)},
			answer: refuse(unix.EPERM), boxes: withoutScope, why: whyAsync,
		},
		{
			calls:  []call{{unix.SYS_IOCTL, "ioctl"}},
			when:   []test{is(1, fioasync)},
			answer: refuse(unix.EPERM), boxes: withoutScope, why: whyAsync,
		},
		{
			calls:  []call{{unix.SYS_IOCTL, "ioctl"}},
			when:   []test{is(1, unix.TIOCSTI, unix.TIOCLINUX)},
			answer: refuse(unix.EPERM), why: "types into the person's terminal, for the shell to read after the run (F18)",
		},
		{
			calls:  []call{{unix.SYS_IOCTL, "ioctl"}},
			when:   []test{is(1, unix.TIOCEXCL, unix.TIOCSETD)},
			answer: refuse(unix.EPERM), why: "leaves the person's terminal shut, or under another line discipline, when the run is over",
		},
		{
			calls: []call{{unix.SYS_IOCTL, "ioctl"}},
			when: []test{is(1, unix.FS_IOC_ADD_ENCRYPTION_KEY, unix.FS_IOC_REMOVE_ENCRYPTION_KEY,
				unix.FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS)},
			answer: refuse(unix.EPERM), why: "the keyring of a file system: locks the person's encrypted home, by a descriptor of a read-only mount",
		},
	}
}

const whyAsync = "a terminal without an owner signals its foreground group, whoever that is: from the background a box ends the person's shell, across pid namespaces (F1); whether a descriptor is a terminal the filter cannot see"
