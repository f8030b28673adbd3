//go:build !linux

package rundir

import (
	"errors"
	"os"
)

// errLinux is what everything here says elsewhere: a run directory needs
// look-ups that no link can bend, and only Linux has them (openat2).
var errLinux = errors.New("run directories are on Linux only")

func openDir(string) (*os.File, error)              { return nil, errLinux }
func makeAt(*os.File, string, bool) error           { return errLinux }
func readAt(*os.File, string) ([]byte, error)       { return nil, errLinux }
func replaceAt(*os.File, string, []byte) error      { return errLinux }
func identify(*os.File, string) (identity, error)   { return identity{}, errLinux }
func lockNew(string, string) (*os.File, error)      { return nil, errLinux }
func unlinkEmpty(*os.File, made) bool               { return true }
func (*Dir) guard() (unlock func(), err error)      { return nil, errLinux }
func (*Dir) clearDead() (alive []string, err error) { return nil, errLinux }
func (*Dir) removeRun(string) error                 { return errLinux }
