package native

import (
	"fmt"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A step is one operation of a keeper or an init. Steps are data so that their
// order can be read, and so that another way to start them stays possible.
type step struct {
	name string
	why  string // the reason that it stands where it stands
	do   func() error
}

// runSteps runs steps in order and stops at the first that fails.
func runSteps(steps []step) (failed string, err error) {
	for _, s := range steps {
		if err := s.do(); err != nil {
			return s.name, err
		}
	}
	return "", nil
}

// A process that was started as a keeper or an init never gets to main. It
// turns here, while packages are initialised and before those of the command
// line are: they cost a fifth of a start, three times a run (ADR 4).
func init() {
	// syscall.Exit, since nothing is to be done any more: os.Exit would have a
	// race-instrumented build wait a second first.
	switch os.Args[0] {
	case keeperArg:
		syscall.Exit(keeperMain())
	case initArg:
		syscall.Exit(initMain())
	}
}

// undumpable keeps processes of the same user from reading this one's memory
// and descriptors (F14).
func undumpable() error {
	return os.NewSyscallError("prctl(PR_SET_DUMPABLE)", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
}

// closeFrom closes every descriptor from fd on: not only ours, but what a
// shell, an editor or a CI runner left open, which Go hands on.
func closeFrom(fd int) error {
	return os.NewSyscallError("close_range", unix.CloseRange(uint(fd), math.MaxUint32, 0))
}

// closeOnExec marks every descriptor from fd on.
func closeOnExec(fd int) error {
	return os.NewSyscallError("close_range", unix.CloseRange(uint(fd), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC))
}

func fdPath(fd int) string { return fmt.Sprintf("self/fd/%d", fd) }
