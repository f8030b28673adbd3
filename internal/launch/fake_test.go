package launch

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"testing"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	// The loop behind signal.Notify lives as long as the process. It is begun
	// here, since a bubble of synctest must not hold it.
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	signal.Stop(c)
	sandboxtest.Main(m, map[string]func(){"launch-stops": stops})
}

// A fake is a provider that has no box. It notes what is asked of it, fails
// where it is told to, and its one command is a function.
type fake struct {
	fail     map[string]error // by the name of the call
	opened   func(sandbox.Site)
	starting func()
	reap     func(context.Context) error
	closing  func(context.Context)
	command  func(*command) (sandbox.Exit, error)

	spec sandbox.Spec // as Open got it

	mu    sync.Mutex // guards calls
	calls []string
}

// call notes a call and returns the error it is to have.
func (f *fake) call(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, name)
	return f.fail[name]
}

func (f *fake) called() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

func (*fake) Name() string { return "fake" }

func (*fake) Environment(raw json.RawMessage) (json.RawMessage, error) { return raw, nil }

func (f *fake) Check(context.Context, sandbox.Spec) error { return f.call("Check") }

func (f *fake) Open(_ context.Context, spec sandbox.Spec, at sandbox.Site) (sandbox.Box, error) {
	f.spec = spec
	if err := f.call("Open"); err != nil {
		return nil, err
	}
	if f.opened != nil {
		f.opened(at)
	}
	return &box{f}, nil
}

type box struct{ *fake }

func (b *box) Admit(_ context.Context, a sandbox.Agent) (sandbox.Occupant, error) {
	if a.Cwd == "" {
		return nil, errors.New("admitted nowhere")
	}
	if err := b.call("Admit"); err != nil {
		return nil, err
	}
	return &occupant{b.fake}, nil
}

func (*box) Record() sandbox.Record { return nil }
func (*box) Panes() bool            { return false }
func (*box) Done() <-chan struct{}  { return nil }
func (*box) Err() error             { return nil }

func (b *box) Close(ctx context.Context) error {
	if b.closing != nil {
		b.closing(ctx)
	}
	return b.call("Close")
}

type occupant struct{ *fake }

func (o *occupant) Launch(p sandbox.Process) (sandbox.Command, error) {
	return sandbox.Command{Argv: p.Argv, Timeout: p.Timeout, Reap: o.reap, Start: func(_ context.Context, io sandbox.Stdio) (sandbox.Running, error) {
		if err := o.call("Start"); err != nil {
			return nil, err
		}
		if o.starting != nil {
			o.starting()
		}
		c := &command{
			argv: p.Argv, io: io, signals: make(chan os.Signal, 16), stopped: make(chan os.Signal, 1), continued: make(chan bool, 1),
		}
		c.wait = func() (sandbox.Exit, error) { return o.command(c) }
		if o.command == nil {
			c.wait = func() (sandbox.Exit, error) { return sandbox.Exit{}, nil }
		}
		return c, nil
	}}, o.call("Launch")
}

func (o *occupant) Release(context.Context) error { return o.call("Release") }

// A command is the fake's running command.
type command struct {
	argv      []string
	io        sandbox.Stdio
	signals   chan os.Signal // sent to it
	stopped   chan os.Signal
	continued chan bool // in the foreground or not
	wait      func() (sandbox.Exit, error)
}

func (c *command) Signal(sig os.Signal) error { c.signals <- sig; return nil }

func (c *command) Stopped() <-chan os.Signal { return c.stopped }

func (c *command) Continue(foreground bool) error { c.continued <- foreground; return nil }

func (c *command) Wait() (sandbox.Exit, error) { return c.wait() }
