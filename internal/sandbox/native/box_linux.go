package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// A box is the supervisor's side of a native box.
type box struct {
	spec sandbox.Spec
	plan sandbox.Plan
	at   sandbox.Site

	*stage

	mu      sync.Mutex // guards the fields below
	lastID  int
	running map[int]*running
	err     error
	closed  bool
	renewed int

	done      chan struct{}
	doneOnce  sync.Once
	attending sync.WaitGroup // the goroutines that read the wires
}

func newBox(spec sandbox.Spec, plan sandbox.Plan, at sandbox.Site, s *stage) *box {
	return &box{
		spec: spec, plan: plan, at: at, stage: s,
		done:    make(chan struct{}),
		running: map[int]*running{},
	}
}

// build has the keeper and the init do their steps, and waits for both.
func (b *box) build(s setup) error {
	if err := b.toKeeper.send(&s); err != nil {
		return err
	}
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		return os.NewSyscallError("prctl(PR_GET_TIMERSLACK)", err)
	}
	give := initSetup{Writable: writable(b.spec, s.Watch), ABI: landlockABI(), UserNS: b.spec.UserNS, Slack: slack}
	if err := b.toInit.send(&toInit{Setup: &give}); err != nil {
		return err
	}
	for keep := range slices.Chunk(b.at.Keep, maxFiles) {
		if err := b.toKeeper.send(&kept{}, keep...); err != nil {
			return err
		}
	}
	var k fromKeeper
	if _, err := b.toKeeper.receive(&k); err != nil {
		return fmt.Errorf("the keeper ended without a word: %w", err)
	}
	if k.Failed != nil {
		return k.Failed.err()
	}
	var i fromInit
	if _, err := b.toInit.receive(&i); err != nil {
		return fmt.Errorf("the init ended without a word: %w", err)
	}
	if i.Failed != nil {
		return i.Failed.err()
	}
	return nil
}

// abandon takes a box down that was not built whole.
func (b *box) abandon() {
	_ = b.toKeeper.send(&toKeeper{Close: true})
	b.wait()
	b.end(nil)
	_ = b.close()
}

// attend hears what keeper and init have to say until they are gone.
func (b *box) attend() {
	b.attending.Go(b.attendKeeper)
	b.attending.Go(b.attendInit)
}

func (b *box) attendKeeper() {
	for {
		var m fromKeeper
		if _, err := b.toKeeper.receive(&m); err != nil {
			<-b.keeper.gone
			b.end(errors.New("the keeper ended, and the box with it"))
			return
		}
		switch {
		case m.Renewed != "":
			b.mu.Lock()
			b.renewed++
			b.mu.Unlock()
			b.report(sandbox.Event{Kind: "renewed", Path: m.Renewed})
		case m.StandIn != "":
			b.report(sandbox.Event{Kind: "stand-in", Path: m.StandIn})
		case m.Refused != "":
			b.report(sandbox.Event{Kind: "denied", Op: string(sandbox.OpConnect), Path: m.Refused})
		case m.Blind != "":
			b.report(sandbox.Event{Kind: "blind", Op: string(sandbox.OpConnect), Rule: m.Blind})
		case m.Vacated:
			if b.at.Vacated != nil {
				b.at.Vacated()
			}
		case m.Fallen != nil:
			b.end(&FallenError{Path: m.Fallen.Path, Why: m.Fallen.Why})
			b.kill()
		}
	}
}

func (b *box) report(e sandbox.Event) {
	if b.at.Report != nil {
		b.at.Report(e)
	}
}

func (b *box) attendInit() {
	for {
		var m fromInit
		if _, err := b.toInit.receive(&m); err != nil {
			// The keeper may have ended it, and says why.
			select {
			case <-b.done:
			case <-time.After(sandbox.ReapGrace):
				b.end(errors.New("the box's init ended, and the box with it"))
			}
			return
		}
		if m.Failed != nil {
			b.end(fmt.Errorf("the run was ended: %s: %s: %s", m.Failed.Process, m.Failed.Step, m.Failed.Message))
			b.kill()
			continue
		}
		b.mu.Lock()
		switch {
		case m.Started != 0:
			b.tell(m.Started, func(r *running) { r.started <- nil })
		case m.Refused != nil:
			b.tell(m.Refused.ID, func(r *running) {
				r.started <- &sandbox.StartError{Command: r.name, NotFound: m.Refused.NotFound, Why: m.Refused.Why}
			})
		case m.Stopped != nil:
			b.tell(m.Stopped.ID, func(r *running) {
				select {
				case r.stopped <- syscall.Signal(m.Stopped.Signal):
				default:
				}
			})
		case m.Exited != nil:
			b.tell(m.Exited.ID, func(r *running) {
				r.exit <- sandbox.Exit{Code: m.Exited.Code, Signal: m.Exited.Signal}
			})
			delete(b.running, m.Exited.ID)
		}
		b.mu.Unlock()
	}
}

// tell calls f with the launch of that number. The caller holds b.mu.
func (b *box) tell(id int, f func(*running)) {
	if r := b.running[id]; r != nil {
		f(r)
	}
}

// end marks the box as ended, because of err if that is the first reason.
func (b *box) end(err error) {
	b.doneOnce.Do(func() {
		b.mu.Lock()
		b.err = err
		b.mu.Unlock()
		close(b.done)
	})
}

func (b *box) Done() <-chan struct{} { return b.done }

func (b *box) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

func (*box) Panes() bool { return false }

func (b *box) Record() sandbox.Record {
	var u unix.Utsname
	kernel := ""
	if unix.Uname(&u) == nil {
		kernel = unix.ByteSliceToString(u.Release[:])
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return sandbox.Record{
		"provider": "native", "kernel": kernel, "landlock_abi": landlockABI(),
		"mounts": b.plan.Mounts, "renewed": b.renewed,
	}
}

func (b *box) Admit(_ context.Context, a sandbox.Agent) (sandbox.Occupant, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, sandbox.ErrReleased
	}
	if !b.plan.Verdict(sandbox.OpRead, a.Cwd).Allowed {
		return nil, fmt.Errorf("directory %q is hidden in this box", a.Cwd)
	}
	return &occupant{box: b, agent: a}, nil
}

func (b *box) Close(context.Context) error {
	b.mu.Lock()
	already := b.closed
	b.closed = true
	b.mu.Unlock()
	if already {
		<-b.done
		return nil
	}
	b.end(nil)
	_ = b.toKeeper.send(&toKeeper{Close: true})
	var err error
	if b.wait() {
		err = fmt.Errorf("the keeper did not end within %v and was killed", sandbox.ReapGrace)
	}
	b.attending.Wait() // the wires have ended with the keeper
	return errors.Join(err, b.close())
}
