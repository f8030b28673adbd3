package native

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A child is this program, started again as a keeper or an init.
//
// It is started without os/exec, which forks once more before its first child
// to see whether the kernel's pidfds work: of the few milliseconds a start
// takes that is one.
type child struct {
	pid  int
	gone chan struct{} // closed when the child has ended and was waited for
}

// spawn starts the program as name, with files from descriptor 3 on, standard
// error as ours, and one thread for Go code: it has little to do at a time,
// and what every thread has to give up costs by the thread.
func spawn(name string, files []*os.File, attr *syscall.SysProcAttr) (*child, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = null.Close() }()
	fds := []uintptr{null.Fd(), null.Fd(), uintptr(unix.Stderr)}
	for _, f := range files {
		fds = append(fds, f.Fd())
	}
	pid, err := syscall.ForkExec("/proc/self/exe", []string{name}, &syscall.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1"}, Files: fds, Sys: attr,
	})
	if err != nil {
		return nil, os.NewSyscallError("fork", err)
	}
	c := &child{pid: pid, gone: make(chan struct{})}
	go func() {
		for {
			if _, err := unix.Wait4(pid, nil, 0, nil); !errors.Is(err, unix.EINTR) {
				close(c.gone)
				return
			}
		}
	}()
	return c, nil
}

// kill ends the child at once. Its pid is its own until it was waited for,
// which gone tells.
func (c *child) kill() {
	select {
	case <-c.gone:
	default:
		_ = unix.Kill(c.pid, unix.SIGKILL)
	}
}
