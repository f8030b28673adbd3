package native

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"seisin/internal/sandbox"
)

// An occupant is one agent in a native box.
type occupant struct {
	box      *box
	agent    sandbox.Agent
	released atomic.Bool
}

func (o *occupant) Launch(p sandbox.Process) (sandbox.Command, error) {
	if o.released.Load() {
		return sandbox.Command{}, sandbox.ErrReleased
	}
	if len(p.Argv) == 0 || p.Argv[0] == "" {
		return sandbox.Command{}, fmt.Errorf("there is no command to run")
	}
	dir := p.Cwd
	if dir == "" {
		dir = o.agent.Cwd
	}
	env := overlay(o.box.spec.Env, o.agent.Needs.Env, p.Env)
	return sandbox.Command{
		Argv: p.Argv, Dir: dir, Env: env, Stdin: p.Stdin, Timeout: p.Timeout,
		Start: func(ctx context.Context, io sandbox.Stdio) (sandbox.Running, error) {
			return o.box.start(ctx, launch{Argv: p.Argv, Env: env, Dir: dir}, io)
		},
	}, nil
}

// Release has nothing to end that Close does not: this version has one
// occupant a box, and no door.
func (o *occupant) Release(context.Context) error {
	o.released.Store(true)
	return nil
}

// overlay lays variables over an environment, later over earlier.
func overlay(env []string, over ...map[string]string) []string {
	m := map[string]string{}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		m[name] = value
	}
	for _, o := range over {
		maps.Copy(m, o)
	}
	out := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, name+"="+m[name])
	}
	return out
}

// A running is a command in the box, as the supervisor knows it.
type running struct {
	box     *box
	id      int
	name    string
	started chan error
	stopped chan os.Signal
	exit    chan sandbox.Exit
}

func (b *box) start(ctx context.Context, l launch, io sandbox.Stdio) (sandbox.Running, error) {
	var files []*os.File
	for i, f := range []*os.File{io.In, io.Out, io.Err} {
		l.Given[i] = f != nil
		if b.hasItsName(f) {
			l.Anew[i] = b.at.Terminal.Path
		}
		if f != nil {
			files = append(files, f)
		}
	}
	l.Foreground = io.Foreground
	b.mu.Lock()
	b.lastID++
	l.ID = b.lastID
	r := &running{
		box: b, id: l.ID, name: l.Argv[0],
		started: make(chan error, 1), stopped: make(chan os.Signal, 1), exit: make(chan sandbox.Exit, 1),
	}
	b.running[r.id] = r
	b.mu.Unlock()
	if err := b.toInit.send(&toInit{Launch: &l}, files...); err != nil {
		return nil, err
	}
	select {
	case err := <-r.started:
		if err != nil {
			return nil, err
		}
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.done:
		return nil, b.ended()
	}
}

// hasItsName reports whether f is the terminal that has its name inside.
func (b *box) hasItsName(f *os.File) bool {
	if f == nil || b.at.Terminal.Path == "" {
		return false
	}
	id, _, err := identityOf(int(f.Fd()))
	return err == nil && id == b.at.Terminal.ID
}

func (b *box) ended() error {
	if err := b.Err(); err != nil {
		return err
	}
	return sandbox.ErrReleased
}

func (r *running) Signal(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return fmt.Errorf("%v is no signal of this system", sig)
	}
	return r.box.toInit.send(&toInit{Signal: &signalTo{ID: r.id, Signal: int(s)}})
}

func (r *running) Stopped() <-chan os.Signal { return r.stopped }

func (r *running) Continue(foreground bool) error {
	return r.box.toInit.send(&toInit{Continue: &goOn{ID: r.id, Foreground: foreground}})
}

func (r *running) Wait() (sandbox.Exit, error) {
	select {
	case e := <-r.exit:
		return e, nil
	case <-r.box.done:
	}
	select { // it may have ended first
	case e := <-r.exit:
		return e, nil
	default:
		return sandbox.Exit{}, r.box.ended()
	}
}
