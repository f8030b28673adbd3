package native

import (
	"errors"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// For the tests of what a box can do, which stand outside this package.
var (
	SignalSelf = signalSelf
	HasScope   = func() bool { return landlockABI() >= scopeABI }
)

// signalSelf is what nginx does: a socket signals who owns it when something
// comes.
func signalSelf() error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	got := make(chan os.Signal, 1)
	signal.Notify(got, unix.SIGIO)
	if _, err := unix.FcntlInt(uintptr(pair[0]), unix.F_SETOWN, os.Getpid()); err != nil {
		return err
	}
	if err := unix.IoctlSetPointerInt(pair[0], fioasync, 1); err != nil {
		return err
	}
	if _, err := unix.Write(pair[1], []byte("x")); err != nil {
		return err
	}
	select {
	case <-got:
		return nil
	case <-time.After(10 * time.Second):
		return errors.New("no signal came")
	}
}
