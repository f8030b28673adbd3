package sandbox

import (
	"context"
	"os"
	"time"
)

// An Agent is who is to be admitted.
type Agent struct {
	Cwd   string
	Home  string // already seeded
	Needs Needs
	Door  Door
}

// A Door is an agent's only way back to its supervisor.
type Door struct {
	Endpoint string   // a socket
	Launcher string   // runs at this very path inside, and reaches Endpoint
	Script   string   // the launcher's content where a provider has to make it
	Bundle   string   // a host file found at the same path inside
	Reads    []string // host paths that the launcher needs
}

// Needs is what an agent program needs of its box, before the policy is asked.
type Needs struct {
	Command        string            // its name; argv[0] inside
	Executable     string            // its real path on the host, run in Command's place
	Reads          []string          // its install tree and interpreter; never its state
	Env            map[string]string // points it at its home
	Seed           []Seed
	Defaults       []Default
	Secrets        map[string]string `json:"-"` // by variable; never argv, never a record
	Domains        []string          // the model's
	ShortDirectory string            // a variable to set to a short private directory
	SharedWrites   []string          // host directories it cannot help sharing
}

// A Seed is a credential file copied into a home, and what of it may come back.
type Seed struct {
	From, To  string
	Refreshes []string // JSON fields; "*" stands for any one key
}

// A Default is a file written fresh into a home, 0600.
type Default struct{ Path, Contents string }

// A Process is what is to run inside.
type Process struct {
	Argv    []string
	Cwd     string            // empty is the agent's
	Env     map[string]string // laid over the box's
	Stdin   []byte            // nil: whatever the runner connects
	Timeout time.Duration     // from start to the first signal; 0 is no limit
}

// A Command is what to run on the host so that a Process runs inside. It is
// plain data and closures that need nothing around them: a copy is as good.
//
// The runner starts it in a process group of its own with exactly Env. There
// is no cancellation in it: that is the context the runner is called with.
type Command struct {
	Argv    []string
	Dir     string
	Env     []string // the whole environment
	Stdin   []byte
	Timeout time.Duration

	// Start, if not nil, is used in place of Argv by a runner in this
	// process: native asks the box's init directly and saves a process.
	Start func(ctx context.Context, io Stdio) (Running, error)

	// Reap ends what the command left behind inside, after its group was
	// killed, however it ended. Nil: nothing to do.
	Reap func(ctx context.Context) error
}

// Stdio is what a command reads and writes. Nil is /dev/null.
type Stdio struct {
	In, Out, Err *os.File

	// Foreground makes the command's process group the foreground of the
	// terminal that In is.
	Foreground bool
}

// A Running is a started command.
type Running interface {
	// Signal sends sig to the command's process group.
	Signal(sig os.Signal) error

	// Stopped receives the signal each time one stopped the command's leader,
	// as Ctrl-Z does. Continue lets its group go on, in the foreground of its
	// terminal or not.
	Stopped() <-chan os.Signal
	Continue(foreground bool) error

	// Wait returns how the command ended. It is called once.
	Wait() (Exit, error)
}

// An Exit is how a command ended: a code, or the signal that killed it.
type Exit struct{ Code, Signal int }

// Status is the exit status a shell would show: the code, or 128 and the
// signal's number.
func (e Exit) Status() int {
	if e.Signal != 0 {
		return 128 + e.Signal
	}
	return e.Code
}

// A StartError reports that the box is well but the command could not be
// started in it.
type StartError struct {
	Command  string
	NotFound bool // no such file, as against one that cannot be executed
	Why      string
}

func (e *StartError) Error() string { return e.Command + ": " + e.Why }

// A Pane says how an agent is started in a terminal.
type Pane struct {
	Host    PaneHost
	Prelude string // typed into the new shell; ends by exec of the confined one
	Ready   string // shown by the confined prompt only; not part of Prelude
	Harness string // how the program is called there
}

// A PaneHost is the multiplexer a pane opens in: the run's own, or one inside
// the box, which then has Key and Run.
type PaneHost struct {
	Own   bool
	Key   string // the same for every pane of a box
	Run   func(args []string, timeout time.Duration) (Command, error)
	Watch []string // shows its panes on the host
}
