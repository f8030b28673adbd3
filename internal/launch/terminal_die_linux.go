package launch

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A sigaction is the kernel's struct of that name, on amd64 and arm64.
type sigaction struct {
	handler  uintptr // 0 is the default
	flags    uint64
	restorer uintptr
	mask     uint64
}

// takeDefault gives a signal its default action. Go's runtime has a handler for
// all of them, which shows its goroutines at SIGQUIT and drops SIGPIPE.
func takeDefault(sig syscall.Signal) error {
	var act sigaction
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&act)), 0, unsafe.Sizeof(act.mask), 0, 0)
	if errno != 0 {
		return os.NewSyscallError("rt_sigaction", errno)
	}
	return nil
}
