package native

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// A failure is a step that did not succeed, as data: the process that reports
// it is about to end.
type failure struct {
	Process string // "keeper", "init"
	Step    string
	Path    string
	Message string
	Errno   int
}

func (f *failure) code(c *coder) {
	c.string(&f.Process)
	c.string(&f.Step)
	c.string(&f.Path)
	c.string(&f.Message)
	c.int(&f.Errno)
}

func newFailure(process, step string, err error) *failure {
	f := &failure{Process: process, Step: step, Message: err.Error()}
	if e, ok := errors.AsType[unix.Errno](err); ok {
		f.Errno = int(e)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		f.Path = e.Path
	}
	return f
}

// err turns a failure into what a person can act on.
func (f *failure) err() error { return f.errOn(kernelRelease()) }

// errOn is err on a kernel of that release.
func (f *failure) errOn(release string) error {
	errno := unix.Errno(f.Errno)
	switch {
	case errno == unix.ENOSYS && hasAllCalls(release):
		return &sandbox.UnsupportedError{
			Feature: "call that boxes are built with", Found: fmt.Sprintf("%s: %s, and Linux %s has it", f.Step, f.Message, release), Fix: seccompFix,
		}
	case errno == unix.ENOSYS:
		return &sandbox.UnsupportedError{Feature: "Linux 6.1 or newer", Found: f.Step + ": " + f.Message, Fix: "use Linux 6.1 or newer"}
	case errno == unix.ENOSPC:
		return &sandbox.UnsupportedError{Feature: "pid namespaces left", Found: f.Message, Fix: namespacesFix}
	case f.Step == stepLandlock && errno == unix.EPERM:
		return &sandbox.UnsupportedError{Feature: "Landlock", Found: f.Message, Fix: seccompFix}
	case f.Step == stepLandlock:
		return &sandbox.UnsupportedError{Feature: "Landlock", Found: f.Message, Fix: landlockFix}
	case f.Step == stepTree && errno == unix.EPERM, f.Step == stepTree && errno == unix.EACCES:
		return &sandbox.UnsupportedError{Feature: "rights in a user namespace", Found: f.Message, Fix: appArmorFix}
	case f.Step == stepProc && errno == unix.EPERM:
		return &sandbox.UnsupportedError{
			Feature: "/proc of its own", Found: "something is mounted over parts of /proc here, as containers do",
			Fix: "run outside the container, or give it an unmasked /proc (podman: --security-opt unmask=ALL)",
		}
	}
	if errno == unix.EACCES && f.Path != "" {
		if err := barred(f.Path); err != nil {
			return err
		}
	}
	if errno == unix.EPERM || errno == unix.EACCES {
		return &sandbox.UnsupportedError{
			Feature: "right to build a mount tree in a user namespace", Found: f.Process + ": " + f.Step + ": " + f.Message,
			Fix: seccompFix + "\n" + appArmorFix,
		}
	}
	return fmt.Errorf("the box was not built: %s: %s: %s", f.Process, f.Step, f.Message)
}
