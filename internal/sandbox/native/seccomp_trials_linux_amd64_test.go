package native

import "golang.org/x/sys/unix"

// archTrials are trials of calls that only this architecture has.
func archTrials() []trial {
	return []trial{
		{"OldOpenSetuid", unix.EPERM, func() error { return raw(unix.SYS_OPEN, text("open"), unix.O_CREAT, 0o4755)() }},
		{"OldOpenOldWithAMode", 0, func() error { return raw(unix.SYS_OPEN, text(made("older")), unix.O_RDONLY, 0o4755)() }},
		{"CreatSetuid", unix.EPERM, func() error { return raw(unix.SYS_CREAT, text("creat"), 0o4755)() }},
		{"OldChmodSetuid", unix.EPERM, func() error { return raw(unix.SYS_CHMOD, text(made("chmod")), 0o4755)() }},
		{"OldMkdirSetuid", unix.EPERM, func() error { return raw(unix.SYS_MKDIR, text("mkdir"), 0o4755)() }},
		{"OldMknodSetuid", unix.EPERM, func() error { return raw(unix.SYS_MKNOD, text("mknod"), unix.S_IFREG|0o4755, 0)() }},
	}
}
