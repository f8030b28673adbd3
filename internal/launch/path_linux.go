package launch

import "golang.org/x/sys/unix"

func isPath(flags int) bool { return flags&unix.O_PATH != 0 }
