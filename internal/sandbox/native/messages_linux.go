package native

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// The names under which the binary executes itself. They are argv[0].
const (
	keeperArg = "seisin-keeper"
	initArg   = "seisin-init"
)

// The descriptors of a keeper and of an init, by number.
const (
	wireFD   = 3 // messages with the supervisor; its end is the supervisor's end
	holdFD   = 4 // keeper: joined to the init's keeperFD
	keeperFD = 4 // init: its end is the keeper's end
	pidfdFD  = 5 // keeper: the init itself
)

// setup is the first message to the keeper: what to build.
type setup struct {
	Role     string            `json:"role"`
	Mounts   []sandbox.Mount   `json:"mounts"`
	Own      map[string]string `json:"own"`      // the host's directory behind each Own mount
	Watch    []string          `json:"watch"`    // below these, ancestors of a mount are watched too
	Deadline time.Time         `json:"deadline"` // the box's last moment; zero is none
	Sockets  []string          `json:"sockets"`  // of the host, that may be connected to
	Terminal sandbox.Terminal  `json:"terminal"` // has its name inside too
	Group    int               `json:"group"`    // the supervisor's process group
	Keep     int               `json:"keep"`     // how many descriptors of the Site's come after this message
}

// kept is a message to the keeper that brings descriptors of the Site's.
type kept struct{}

// initSetup is the first message to the init: what to give up.
type initSetup struct {
	Writable []string `json:"writable"` // Landlock allows writing below these
	ABI      int      `json:"abi"`      // of Landlock, as the supervisor found it
	UserNS   bool     `json:"userns"`   // the role may make user namespaces
}

// fromInitToKeeper brings the listener of the filter.
type fromInitToKeeper struct{}

// fromKeeper is what a keeper says: one field is set.
type fromKeeper struct {
	Ready   *ready   `json:"ready,omitempty"`
	Failed  *failure `json:"failed,omitempty"`
	Renewed string   `json:"renewed,omitempty"`  // a mount the host had thrown off is back
	StandIn string   `json:"stand_in,omitempty"` // a name that must not stay absent
	Refused string   `json:"refused,omitempty"`  // a unix socket, by its path in the box
	Blind   string   `json:"blind,omitempty"`    // why the box's own sockets are refused too
	Fallen  *fallen  `json:"fallen,omitempty"`   // a wall that cannot be held any more
}

type ready struct {
	Mounts int `json:"mounts"`
}

type fallen struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// toKeeper is what a supervisor says after the setup.
type toKeeper struct {
	Close bool `json:"close"`
}

// A failure is a step that did not succeed, as data: the process that reports
// it is about to end.
type failure struct {
	Process string `json:"process"` // "keeper", "init"
	Step    string `json:"step"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	Errno   int    `json:"errno,omitempty"`
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

// Messages to the init and from it. The supervisor numbers its launches.
type toInit struct {
	Setup    *initSetup `json:"setup,omitempty"`
	Launch   *launch    `json:"launch,omitempty"` // with the descriptors that are given
	Signal   *signalTo  `json:"signal,omitempty"`
	Continue *goOn      `json:"continue,omitempty"`
}

type launch struct {
	ID         int       `json:"id"`
	Argv       [][]byte  `json:"argv"` // bytes, since JSON has no others than UTF-8
	Env        [][]byte  `json:"env"`
	Dir        []byte    `json:"dir"`
	Given      [3]bool   `json:"given"`      // which of the standard streams come; others are the box's /dev/null
	Anew       [3]string `json:"anew"`       // of those that come, terminals that are opened anew by their names inside
	Foreground bool      `json:"foreground"` // take the foreground of the terminal on stdin
}

func bytesOf(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

func stringsOf(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}

type signalTo struct {
	ID     int `json:"id"`
	Signal int `json:"signal"`
}

type goOn struct {
	ID         int  `json:"id"`
	Foreground bool `json:"foreground"`
}

type fromInit struct {
	Ready   bool      `json:"ready,omitempty"`
	Failed  *failure  `json:"failed,omitempty"`
	Started int       `json:"started,omitempty"` // a launch's ID
	Refused *refused  `json:"refused,omitempty"`
	Stopped *signalTo `json:"stopped,omitempty"` // by which signal
	Exited  *exitOf   `json:"exited,omitempty"`
}

type refused struct {
	ID       int    `json:"id"`
	NotFound bool   `json:"not_found"`
	Why      string `json:"why"`
}

type exitOf struct {
	ID     int `json:"id"`
	Code   int `json:"code"`
	Signal int `json:"signal"`
}
