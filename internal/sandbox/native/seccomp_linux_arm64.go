package native

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	x32Bit    = 0 // there is no third table
)

// knownCalls are the system calls that the table was made in knowledge of.
// Whoever adds one has read what it can do: a row for it, or none.
var knownCalls = []span{
	{unix.SYS_IO_SETUP, unix.SYS_RECVMMSG}, {unix.SYS_WAIT4, unix.SYS_KEXEC_FILE_LOAD},
	{unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_RSEQ_SLICE_YIELD},
}

// archTable is empty: arm64 has only the calls that take a directory.
func archTable() []row { return nil }
