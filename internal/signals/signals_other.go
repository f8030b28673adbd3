//go:build !linux

package signals

import (
	"os/signal"
	"syscall"
)

func takeDefault(sig syscall.Signal) error {
	signal.Reset(sig)
	return nil
}

func holdTTOU(f func()) { f() }
