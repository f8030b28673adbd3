//go:build !linux

package launch

import (
	"errors"
	"os"

	"seisin/internal/sandbox"
)

func isTerminal(*os.File) bool { return false }

func behindTTY(*os.File) *os.File { return nil }

func isNameless(*os.File) bool { return false }

func nameOf(f *os.File) string { return f.Name() }

func again(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }

func unreadIn(*os.File) (int, error) { return 0, errors.ErrUnsupported }

func terminalOf(...*os.File) sandbox.Terminal { return sandbox.Terminal{} }
