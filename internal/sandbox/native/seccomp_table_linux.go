//go:build amd64 || arm64

package native

import "golang.org/x/sys/unix"

// table is the seccomp table: what no process of a box may ask of the kernel,
// whichever role it has. It is one of the walls and seldom the only one: most
// of these calls also want a capability that nobody in a box has. It is for
// the calls that want none, and for the day on which one of the others did not
// ask for it.
//
// Left alone, and why:
//
//   - seccomp and landlock_*: a program may box itself further. It gets no
//     listener of its own, the kernel has one for all (EBUSY).
//   - adjtimex, clock_adjtime: reading the clock's state and setting it differ
//     in memory only, where a filter cannot look. Setting wants CAP_SYS_TIME.
//   - O_ASYNC and FIOASYNC, where Landlock keeps signals inside: nginx starts
//     its workers with a socket that signals.
//   - F_SETOWN, F_SETOWN_EX, F_SETSIG: the kernel looks a process or group up
//     in the caller's pid namespace, which holds nobody from outside.
//   - flock and record locks: a box can hold up a program outside that locks a
//     file which the box can read. git and builds cannot do without.
//   - modify_ldt: 16-bit programs want it (wine). Code in a segment of its own
//     still enters the kernel by one of two tables, and one is killed.
//   - sethostname, setdomainname: the box has a uts namespace of its own.
func table() []row {
	return append(kernelRows(), append(fileRows(), socketRows()...)...)
}

const (
	whyNamespaces = "in a mount namespace of its own a command keeps what the keeper takes off or puts back, and in a user namespace it has the capabilities to make one (F24)"
	whyMemory     = "the flags lie in memory, where the filter cannot look and another thread can change them; programs fall back on the older call"
)

// sharing are the flags of unshare that make no namespace.
const sharing = unix.CLONE_FILES | unix.CLONE_FS | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD | unix.CLONE_VM

// browserSpaces are the namespaces that the sandboxes of Chromium and Firefox
// are made of. A mount namespace is not among them.
const browserSpaces = unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC

const otherSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// The values of personality that programs use, from <linux/personality.h>.
const (
	perLinux32       = 0x0000008
	perUname26       = 0x0020000
	perNoRandomize   = 0x0040000 // debuggers, sanitizers
	perReadIsExecute = 0x0400000 // the kernel sets it for old programs, who hand it back
	perQuery         = 0xffffffff
)

// kernelRows are about processes and the machine.
func kernelRows() []row {
	return []row{
		{
			calls:  []call{{unix.SYS_PRCTL, "prctl"}},
			when:   []test{is(0, unix.PR_SET_DUMPABLE), is(1, 0)},
			answer: refuse(unix.EPERM), why: "hides a process's descriptors from the keeper, which looks for what was taken hold of behind a wall",
		},
		{
			calls:  []call{{unix.SYS_CLONE, "clone"}},
			when:   []test{has(0, browserSpaces|otherSpaces)}, // the kernel takes the low word only
			answer: refuse(unix.EPERM), boxes: withoutUserNS, why: whyNamespaces,
		},
		{
			calls:  []call{{unix.SYS_CLONE, "clone"}},
			when:   []test{has(0, otherSpaces)},
			answer: refuse(unix.EPERM), boxes: withUserNS, why: whyNamespaces,
		},
		{
			calls: []call{{unix.SYS_UNSHARE, "unshare"}},
			// All 64 bits, and by what is known: later kernels have more
			// flags than these that make a namespace.
			when:   []test{wide(hasBeside(0, sharing))},
			answer: refuse(unix.EPERM), boxes: withoutUserNS, why: whyNamespaces,
		},
		{
			calls:  []call{{unix.SYS_UNSHARE, "unshare"}},
			when:   []test{wide(hasBeside(0, sharing|browserSpaces))},
			answer: refuse(unix.EPERM), boxes: withUserNS, why: whyNamespaces,
		},
		{
			calls:  []call{{unix.SYS_CLONE3, "clone3"}},
			answer: absent, why: whyMemory,
		},
		{
			calls:  []call{{unix.SYS_SETNS, "setns"}},
			answer: refuse(unix.EPERM), why: "enters the namespace behind a descriptor that somebody passed in",
		},
		{
			calls: []call{
				{unix.SYS_IO_URING_SETUP, "io_uring_setup"}, {unix.SYS_IO_URING_ENTER, "io_uring_enter"},
				{unix.SYS_IO_URING_REGISTER, "io_uring_register"},
			},
			answer: absent, why: "does connect, openat2, socket and others out of a queue that no filter sees",
		},
		{
			calls: []call{
				{unix.SYS_PTRACE, "ptrace"}, {unix.SYS_PROCESS_VM_READV, "process_vm_readv"},
				{unix.SYS_PROCESS_VM_WRITEV, "process_vm_writev"}, {unix.SYS_PIDFD_GETFD, "pidfd_getfd"},
				{unix.SYS_KCMP, "kcmp"}, {unix.SYS_PROCESS_MADVISE, "process_madvise"},
				{unix.SYS_PROCESS_MRELEASE, "process_mrelease"},
			},
			answer: refuse(unix.EPERM), why: "takes another process over, or its descriptors, and the init of the box has the same uid (F14)",
		},
		{
			calls: []call{
				{unix.SYS_ADD_KEY, "add_key"}, {unix.SYS_REQUEST_KEY, "request_key"}, {unix.SYS_KEYCTL, "keyctl"},
			},
			answer: absent, why: "keyrings are of a user and a session, not of a namespace: the person's keys were searched and read from a box",
		},
		{
			calls: []call{
				{unix.SYS_BPF, "bpf"}, {unix.SYS_USERFAULTFD, "userfaultfd"},
				{unix.SYS_PERF_EVENT_OPEN, "perf_event_open"}, {unix.SYS_FANOTIFY_INIT, "fanotify_init"},
			},
			answer: refuse(unix.EPERM), why: "watches the machine or holds the kernel up in mid-call, the means of many an exploit; what it takes differs with the machine's settings",
		},
		{
			calls:  []call{{unix.SYS_PERSONALITY, "personality"}},
			when:   []test{isNot(0, perQuery), hasBeside(0, perLinux32|perUname26|perNoRandomize|perReadIsExecute)},
			answer: refuse(unix.EPERM), why: "emulates systems that nobody tests any more, and maps a page at address 0",
		},
		{
			calls:  []call{{unix.SYS_SYSLOG, "syslog"}},
			answer: refuse(unix.EPERM), why: "reads the machine's kernel log, where kernel.dmesg_restrict is off",
		},
		{
			calls: []call{
				{unix.SYS_KEXEC_LOAD, "kexec_load"}, {unix.SYS_KEXEC_FILE_LOAD, "kexec_file_load"},
				{unix.SYS_INIT_MODULE, "init_module"}, {unix.SYS_FINIT_MODULE, "finit_module"},
				{unix.SYS_DELETE_MODULE, "delete_module"}, {unix.SYS_REBOOT, "reboot"},
				{unix.SYS_SWAPON, "swapon"}, {unix.SYS_SWAPOFF, "swapoff"}, {unix.SYS_ACCT, "acct"},
				{unix.SYS_SETTIMEOFDAY, "settimeofday"}, {unix.SYS_CLOCK_SETTIME, "clock_settime"},
				{unix.SYS_VHANGUP, "vhangup"}, {unix.SYS_NFSSERVCTL, "nfsservctl"},
			},
			answer: refuse(unix.EPERM), why: "administers the machine; the second wall, for uid 0 too, behind a capability over the machine (F13)",
		},
	}
}
