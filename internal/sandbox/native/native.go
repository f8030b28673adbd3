// Package native holds boxes by the Linux kernel alone: namespaces, mounts,
// Landlock. Nothing is installed and no helper program is run: the binary
// executes itself again, twice.
//
//	supervisor   whoever calls Open, outside
//	  keeper     in the box's user, mount, network, ipc and uts namespaces but
//	             not in its pid namespace; holds the capabilities over the box,
//	             builds the mounts and renews those that the host's own work
//	             throws off
//	    init     pid 1 of the box; starts commands on request, reaps, holds
//	             nothing
//	      the command, in a process group of its own
//
// The steps of keeper and init are each one table, run from top to bottom.
// Their order is the security argument, and each step says its reason.
//
// # Trust
//
// The keeper and the init believe the supervisor, which made them. Neither
// takes a word from inside: the init reads only the supervisor's socket, and
// the keeper looks at the mount table and at names. Every path that the keeper
// mounts is opened without following links, since an agent may have put one
// there.
package native

import (
	"fmt"
	"sync"
)

// New returns the provider.
func New() *Provider { return &Provider{} }

// A Provider is the native [sandbox.Provider].
type Provider struct {
	// omit names mounts to leave out. Only tests set it: a wall that is not
	// there must make the test of that wall fail.
	omit func(path string) bool

	mu    sync.Mutex // guards begun
	begun *beginning // nil unless Begin was called, and no Open took it
}

// Name is "native".
func (*Provider) Name() string { return "native" }

// Begin starts the processes of the box that Open will be asked for next, and
// does not wait: they take longer to start than a policy takes to be read. They
// hold nothing of the host's until Open says what to build. What Open does not
// take, End must end.
func (p *Provider) Begin() { p.begin() }

// End ends what Begin started, unless Open took it. It is safe to call always.
func (p *Provider) End() { p.endBegun() }

// A FallenError reports that a box was ended because it could not hold one of
// its walls any more.
type FallenError struct {
	Path string
	Why  string
}

func (e *FallenError) Error() string {
	if e.Path == "" {
		return "the run was ended: " + e.Why
	}
	return fmt.Sprintf("the run was ended, since %q could not be kept closed: %s", e.Path, e.Why)
}
