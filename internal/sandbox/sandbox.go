// Package sandbox is the seam between those who decide what a box may reach
// and those who build one.
//
// The decided thing is a [Spec], plain data that can be written as JSON, named
// by its digest, and sent to another process. [Spec.Plan] says which mounts
// hold it, and [Plan.Verdict] answers every question about it from those same
// mounts. What only this process can do (judge a connection, take a report)
// travels beside the spec in a [Site].
//
// The package opens nothing itself, looks at no file and imports the standard
// library only.
//
// # The life of a box
//
//	Provider.Check → Open → Box.Admit, one at a time → Occupant.Launch, many
//	at once → Occupant.Release, once each → Box.Close, once, last
//
// A provider may rely on that order. It makes Release and Close safe to call
// again all the same: whoever cleans up after a failure does not know how far
// things went.
//
// # Errors
//
// A box holds the whole spec or does not open. What cannot be held comes back
// as an [*UnheldError] that lists all of it; nothing is narrowed, nothing is
// widened, and after an error nothing is left behind.
package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// ReapGrace is how long a runner waits for [Command.Reap] once it has killed
// the command's group (B-1). A reap that takes longer is abandoned and
// reported; the command's result stands.
const ReapGrace = 5 * time.Second

// ErrReleased is returned by Launch and Pane after Release, and by Admit after
// Close.
var ErrReleased = errors.New("the occupant was released")

// A Provider opens boxes. It is safe for concurrent use.
type Provider interface {
	// Name is the key a policy uses: "native", "srt", "container".
	Name() string

	// Environment checks this provider's own settings, as found in the
	// person's configuration, and returns them in one canonical form: what is
	// recorded, and what Open is given back in Spec.Environment. Unknown keys
	// are errors. An absent table is passed as nil.
	Environment(raw json.RawMessage) (json.RawMessage, error)

	// Check says whether Open would accept spec here and now, without making
	// anything: nil, an *UnheldError or an *UnsupportedError.
	Check(ctx context.Context, spec Spec) error

	// Open makes a box that holds the whole of spec. Canceling ctx aborts the
	// opening and leaves nothing; once Open has returned, ctx has no more
	// effect: the box lives until Close or at.Deadline.
	Open(ctx context.Context, spec Spec, at Site) (Box, error)
}

// An UnheldError lists the parts of a spec that a provider cannot hold.
type UnheldError struct {
	Provider string
	Items    []Unheld // at least one
}

// Unheld is one part of a spec and why it cannot be held.
type Unheld struct {
	Field string `json:"field"` // the Spec field, such as "Closed"
	Item  string `json:"item"`  // the path, domain or setting
	Why   string `json:"why"`
	Fix   string `json:"fix,omitempty"` // one thing to do about it
}

func (e *UnheldError) Error() string {
	first := e.Items[0]
	s := fmt.Sprintf("the %s box cannot hold %q: %s", e.Provider, first.Item, first.Why)
	if n := len(e.Items) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// Hint says what the user can do about it.
func (e *UnheldError) Hint() string {
	var fixes []string
	for _, u := range e.Items {
		if u.Fix != "" {
			fixes = append(fixes, u.Fix)
		}
	}
	return strings.Join(fixes, "\n")
}

// An UnsupportedError reports that this machine lacks what every box needs.
type UnsupportedError struct {
	Feature string // such as "user namespaces"
	Found   string // what there is instead; may be empty
	Fix     string // one thing to do about it
}

func (e *UnsupportedError) Error() string {
	if e.Found == "" {
		return "this machine has no " + e.Feature + ", which every box needs"
	}
	return fmt.Sprintf("this machine has no %s, which every box needs: %s", e.Feature, e.Found)
}

// Hint says what the user can do about it.
func (e *UnsupportedError) Hint() string { return e.Fix }

// A Box is an opened sandbox. Its methods are safe for concurrent use, but
// for Admit, which its caller serialises.
type Box interface {
	// Admit readies the box for one agent, whole or not at all. It refuses a
	// directory outside the spec's reach and a program the box lacks.
	Admit(ctx context.Context, a Agent) (Occupant, error)

	// Record is what only the provider knows about how this box is held:
	// kernel features, mounts, versions. It holds no secret.
	Record() Record

	// Panes reports whether occupants can be given a terminal pane. It is a
	// fact of the box, so that a pane is refused before anyone is admitted.
	Panes() bool

	// Done is closed when the box has ended, by Close or by itself; Err says
	// why.
	Done() <-chan struct{}
	Err() error

	// Close ends everything that runs inside and removes what Open made. It
	// does its work even if ctx is already canceled, for ReapGrace at most,
	// and then says what is left.
	Close(ctx context.Context) error
}

// An Occupant is one agent admitted to a box.
type Occupant interface {
	// Launch describes how p runs inside. It starts nothing and may be called
	// at any time from any goroutine.
	Launch(p Process) (Command, error)

	// Release ends this agent's processes and its way to the door, and
	// nothing else: the channel behind the door is not the provider's.
	Release(ctx context.Context) error
}

// A PaneOccupant can have a terminal of its own. Every occupant of a box whose
// Panes is true is one.
type PaneOccupant interface {
	Occupant
	Pane(ctx context.Context) (Pane, error)
}

// A Site is where a box is opened, and the functions of this process it needs.
// It is not data and is never encoded.
type Site struct {
	Dir      string    // this run's own directory, 0700, on disk: the host's path
	Deadline time.Time // the box's last moment; zero is none. In the past: Open refuses

	// Terminal is the person's own, that the box's streams are. The zero
	// Terminal is none that has a name.
	Terminal Terminal

	// Keep are descriptors that the box's last process holds as long as it
	// lives. If the supervisor dies first, that process clears away with them
	// what the run left on the host.
	Keep []*os.File

	// Report takes what a provider saw. It must not block: providers call it
	// from the loop that answers the kernel. Nil drops reports.
	Report func(Event)

	// Vacated, unless nil, is called while the box is closed: nothing runs in
	// it any more, and the provider has let go of Keep. It must not block.
	Vacated func()

	// Connector judges connections. Nil refuses them all.
	Connector Connector
}

// A Terminal is a pseudo-terminal of the host's.
type Terminal struct {
	Path string `json:"path"` // as devpts names it: /dev/pts/3
	ID   FileID `json:"id"`
}

// An Event is something a provider saw. The receiver adds time, owner, run.
type Event struct {
	Kind string `json:"kind"` // "denied", "wall", "process", …
	Op   string `json:"op,omitempty"`
	Path string `json:"path,omitempty"`
	Rule string `json:"rule,omitempty"`
	PID  int    `json:"pid,omitempty"` // on the host
}

// A Connector decides about connections and carries those it allows.
type Connector interface {
	// Connect answers one connect(2) seen inside. It must return within a
	// second or so when it refuses; an allowed dial may take its time, and
	// canceling ctx (the caller died) ends it.
	Connect(ctx context.Context, to Dest) (Answer, error)

	// Serve serves a listener that lives inside the box's network, until it
	// is closed: "proxy", "dns" or "relay".
	Serve(kind string, l net.Listener) error
}

// A Dest is where a process inside wanted to connect.
type Dest struct {
	Network string // "unix", "tcp", "udp"
	Address string // a path, as the provider resolved it, or IP:port
	PID     int
}

// An Answer is a Connector's decision. The zero Answer refuses.
type Answer struct {
	Allowed bool
	Network string // what to connect the caller's own socket to, inside the box's network
	Address string
	Errno   int // for a refusal; 0 is ECONNREFUSED
}

// Record is a JSON object about one box.
type Record map[string]any

// Providers are the providers of this machine.
type Providers struct {
	Installed   map[string]Provider
	Default     string            // for a policy that names none; may be empty
	Unavailable map[string]string // why one that exists could not be set up
}

// Find returns the provider for name, or the default for "".
func (p Providers) Find(name string) (Provider, error) {
	if name == "" {
		name = p.Default
	}
	if pr, ok := p.Installed[name]; ok {
		return pr, nil
	}
	if why, ok := p.Unavailable[name]; ok {
		return nil, fmt.Errorf("provider %q is not available: %s", name, why)
	}
	return nil, fmt.Errorf("no provider %q", name)
}
