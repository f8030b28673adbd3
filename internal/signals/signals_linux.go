package signals

import (
	"os"
	"runtime"
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

func takeDefault(sig syscall.Signal) error {
	var act sigaction
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&act)), 0, unsafe.Sizeof(act.mask), 0, 0)
	if errno != 0 {
		return os.NewSyscallError("rt_sigaction", errno)
	}
	return nil
}

func holdTTOU(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var old, block unix.Sigset_t
	block.Val[0] = 1 << (unix.SIGTTOU - 1)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &block, &old) != nil {
		return
	}
	defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil) }()
	f()
}
