package native

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	x32Bit    = 0x40000000 // __X32_SYSCALL_BIT of <asm/unistd.h>
)

// knownCalls are the system calls that the table was made in knowledge of.
// Whoever adds one has read what it can do: a row for it, or none.
var knownCalls = []span{{unix.SYS_READ, unix.SYS_UPROBE}, {unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_RSEQ_SLICE_YIELD}}

// archTable is the rows for calls that only this architecture has.
func archTable() []row {
	return []row{
		{
			calls:  []call{{unix.SYS_OPEN, "open"}},
			when:   []test{has(1, creating), has(2, setBits)},
			answer: refuse(unix.EPERM), why: whyModes,
		},
		{
			calls: []call{
				{unix.SYS_CREAT, "creat"}, {unix.SYS_CHMOD, "chmod"},
				{unix.SYS_MKDIR, "mkdir"}, {unix.SYS_MKNOD, "mknod"},
			},
			when:   []test{has(1, setBits)},
			answer: refuse(unix.EPERM), why: whyModes,
		},
		{
			calls:  []call{{unix.SYS_IOPL, "iopl"}, {unix.SYS_IOPERM, "ioperm"}},
			answer: refuse(unix.EPERM), why: "talks to the machine's devices past the kernel",
		},
	}
}
