//go:build unix && !linux

package launch

import (
	"errors"

	"golang.org/x/sys/unix"
)

var errNoTermios = errors.New("terminals are lent on Linux only")

func getTermios(int) (*unix.Termios, error) { return nil, errNoTermios }

func setTermios(int, *unix.Termios) error { return errNoTermios }

func setForeground(int, int) error { return errNoTermios }

func isOutside(int) bool { return true }

func parentOf(int) int { return 0 }
