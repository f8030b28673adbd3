//go:build unix && !linux

package launch

import (
	"os/signal"
	"syscall"
)

func takeDefault(sig syscall.Signal) error {
	signal.Reset(sig)
	return nil
}
