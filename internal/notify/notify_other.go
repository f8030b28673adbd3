//go:build !linux

package notify

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// A Listener does not exist on this system.
type Listener struct{}

// A Call does not exist on this system.
type Call struct {
	Thread int
	Number int
	Arch   uint32
	Args   [6]uint64
}

var errUnsupported = fmt.Errorf("seccomp notifications need Linux, and this is %s", runtime.GOOS)

// New fails: only Linux has seccomp.
func New(*os.File, int) (*Listener, error) { return nil, errUnsupported }

// Serve fails.
func (*Listener) Serve(func(*Call)) error { return errUnsupported }

// Close fails.
func (*Listener) Close() error { return errUnsupported }

// Interrupted says that there is nothing to wait for.
func (*Call) Interrupted() syscall.Errno { return syscall.ENOSYS }

// Waiting says that nobody waits.
func (*Call) Waiting() bool { return false }

// Answer fails.
func (*Call) Answer(int64, syscall.Errno) error { return errUnsupported }

// Bytes fails.
func (*Call) Bytes(uint64, int) ([]byte, error) { return nil, errUnsupported }

// String fails.
func (*Call) String(uint64, int) (string, error) { return "", errUnsupported }

// Fd fails.
func (*Call) Fd(int) (int, error) { return -1, errUnsupported }

// Cwd fails.
func (*Call) Cwd() (int, error) { return -1, errUnsupported }

// Root fails.
func (*Call) Root() (int, error) { return -1, errUnsupported }
