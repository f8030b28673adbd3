package native

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	x32Bit    = 0 // there is no third table
)

// archTable is empty: arm64 has only the calls that take a directory.
func archTable() []row { return nil }
