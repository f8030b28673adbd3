//go:build unix && !linux

package rundir

import "syscall"

func heirAttr() *syscall.SysProcAttr { return nil }

func withoutPaths() error { return nil }
