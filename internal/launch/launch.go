// Package launch is one run, from a spec to an exit status: it makes the run's
// directory and what absent grants need, opens the box, starts the command,
// passes signals on, and leaves nothing behind.
//
// It decides nothing. What the box may reach is in the spec, and how that is
// held is the provider's business.
package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"seisin/internal/homes"
	"seisin/internal/rundir"
	"seisin/internal/sandbox"
)

// KillAfter is how long a command has between the polite signal at the end of
// its time and the one it cannot refuse.
const KillAfter = 5 * time.Second

// ErrTimeout is wrapped by the error of a run whose role's timeout passed.
var ErrTimeout = errors.New("the role's timeout has passed")

// A DirError reports that the run could not be given a directory of its own.
type DirError struct {
	State string
	Err   error
}

func (e *DirError) Error() string { return fmt.Sprintf("run directory in %s: %v", e.State, e.Err) }
func (e *DirError) Unwrap() error { return e.Err }

// Hint says what the user can do about it.
func (*DirError) Hint() string {
	return "see that HOME, or XDG_STATE_HOME where it is set, is a directory of your own with space left"
}

// A Run is what is to be run, and where.
type Run struct {
	Provider sandbox.Provider
	Spec     sandbox.Spec
	State    string   // $XDG_STATE_HOME/seisin
	Command  []string // name and arguments

	In, Out, Err *os.File

	// Seed, unless nil, says what the role's home is given, where the spec
	// grants one. It is asked when the home is made.
	Seed func() homes.Seed

	// Checked, unless nil, is called once the provider has no complaint and
	// before anything is made. Its error is the run's.
	Checked func() error

	// Note takes a line for the person, such as what was made for an absent
	// grant. It is not called while the command runs.
	Note func(format string, args ...any)
}

// Do runs r and returns how its command ended. An error means that the command
// did not start, or that its box was ended: no exit status stands for it.
func (r Run) Do(ctx context.Context) (exit sandbox.Exit, err error) {
	defer r.nameTerminal()()
	// First, so that it is closed last: no second Ctrl-C cuts the clearing away
	// short, and nothing that was in the box can change the terminal any more.
	job := newJob(openTerminal(r.In, r.Out))
	defer job.close()
	if err := r.Provider.Check(ctx, r.Spec); err != nil {
		return exit, err
	}
	if r.Checked != nil {
		if err := r.Checked(); err != nil {
			return exit, err
		}
	}
	plan := r.Spec.Plan()
	dir, err := rundir.New(r.State, uses(plan))
	if err != nil {
		return exit, &DirError{r.State, err}
	}
	clearAway := sync.OnceValue(dir.Close)
	defer func() { err = errors.Join(err, clearAway()) }()
	if r.Spec, err = r.makeHome(); err != nil {
		return exit, err
	}
	if r.Spec, err = r.makeAbsent(plan, dir); err != nil {
		return exit, err
	}
	streams, err := newStdio(r.In, r.Out, r.Err)
	if err != nil {
		return exit, err
	}
	defer streams.finish()
	job.listen()
	heard := &listener{dir: dir}
	defer heard.tell(r.Note)
	box, err := r.Provider.Open(ctx, r.Spec, sandbox.Site{
		Dir: dir.Path, Keep: dir.Files(), Report: heard.hear, Deadline: deadline(r.Spec.Timeout),
		Terminal: terminalOf(r.In, r.Out, r.Err), Vacated: func() { go clearAway() },
	})
	if err != nil {
		return exit, err
	}
	defer func() { err = errors.Join(err, box.Close(ctx)) }()
	occupant, err := box.Admit(ctx, sandbox.Agent{Cwd: r.Spec.Cwd})
	if err != nil {
		return exit, err
	}
	defer func() { err = errors.Join(err, occupant.Release(ctx)) }()
	command, err := occupant.Launch(sandbox.Process{Argv: r.Command, Timeout: r.Spec.Timeout})
	if err != nil {
		return exit, err
	}
	return r.attend(ctx, command, streams, job)
}

// deadline is the box's last moment, for a command that does not end in its
// time: it holds where this process cannot see to it, having been stopped.
func deadline(timeout time.Duration) time.Time {
	if timeout <= 0 {
		return time.Time{}
	}
	return time.Now().Add(timeout + 2*KillAfter)
}

// uses are the paths that must stay while the run lives.
func uses(plan sandbox.Plan) (list []string) {
	for _, m := range plan.Mounts {
		if !m.Own && !sandbox.Builtin(m.Path) {
			list = append(list, m.Path)
		}
	}
	return list
}

// makeHome makes the role's home, if it is granted one. The home is identified
// from then on.
func (r Run) makeHome() (sandbox.Spec, error) {
	i := slices.IndexFunc(r.Spec.Write, func(g sandbox.Grant) bool { return g.Part == sandbox.Home })
	if i < 0 {
		return r.Spec, nil
	}
	var seed homes.Seed
	if r.Seed != nil {
		seed = r.Seed()
	}
	id, notes, err := homes.Make(r.State, r.Spec.Write[i].Path, seed)
	if err != nil {
		return r.Spec, err
	}
	for _, note := range notes {
		r.Note("%s", note)
	}
	r.Spec.Write = slices.Clone(r.Spec.Write)
	r.Spec.Write[i].ID = id
	return r.Spec, nil
}

// makeAbsent makes what the plan mounts and is not there: granted paths, or
// they would silently grant nothing (LX-5), and directories that a role could
// otherwise make and so have open.
//
// What a run made is not identified: it may have gone with one run and come
// with another since the spec was made.
func (r Run) makeAbsent(plan sandbox.Plan, dir *rundir.Dir) (sandbox.Spec, error) {
	untold := map[string]bool{} // what tools keep outside the repository comes and goes
	for _, g := range r.Spec.Write {
		untold[g.Path] = g.Part == sandbox.Scratch
	}
	for _, g := range r.Spec.Hidden {
		untold[g.Path] = g.Part == sandbox.Credentials
	}
	var wanted []rundir.Wanted
	var rules []string
	for _, m := range plan.Mounts {
		granted := m.Mode == sandbox.Writable && !m.Own && !m.Pin
		if sandbox.Builtin(m.Path) || !granted && m.Gone != sandbox.StandIn || m.Own {
			continue
		}
		wanted, rules = append(wanted, rundir.Wanted{Path: m.Path, Dir: m.Kind == sandbox.Dir}), append(rules, m.Rule)
	}
	made, failed, err := dir.EnsureAll(wanted)
	for i, names := range made {
		if untold[wanted[i].Path] {
			continue
		}
		for _, p := range names {
			r.Note("made %s for this run: %s", p, rules[i])
		}
	}
	if err != nil {
		if failed < len(rules) {
			err = fmt.Errorf("%s does not exist and could not be made: %w", rules[failed], err)
		}
		return r.Spec, err
	}
	transient, err := dir.Transient(uses(plan))
	if err != nil {
		return r.Spec, err
	}
	return r.Spec.Unidentified(func(p string) bool { return transient[p] }), nil
}

// A listener hears what a box reports of itself.
type listener struct {
	dir *rundir.Dir

	mu      sync.Mutex
	refused []string // sockets, each once
	blind   string
}

func (l *listener) hear(e sandbox.Event) {
	switch e.Kind {
	case "stand-in": // a protected name was removed
		_ = l.dir.StandIn(e.Path) // the box ends if it does not come
	case "denied":
		l.mu.Lock()
		l.refused = append(l.refused, e.Path)
		l.mu.Unlock()
	case "blind":
		l.mu.Lock()
		l.blind = e.Rule
		l.mu.Unlock()
	}
}

// tell says at the end what was refused, so that the person learns which line
// the policy lacks.
func (l *listener) tell(note func(format string, args ...any)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.refused {
		note("refused to connect to the unix socket %s, which no sockets = [...] of the role names", p)
	}
	if l.blind != "" {
		note("refused to connect to unix sockets that were made in the box, too: %s", l.blind)
	}
}

// attend starts the command and stays with it.
func (r Run) attend(ctx context.Context, command sandbox.Command, streams *stdio, job *job) (sandbox.Exit, error) {
	<-job.listening // before the start, so that no signal is lost between
	streams.Foreground = job.tty.offer()
	started, err := command.Start(ctx, streams.Stdio)
	streams.started()
	if err != nil {
		return sandbox.Exit{}, err
	}
	exit, err := r.wait(started, command.Timeout, job)
	job.tty.restore() // before a word is said: it may be raw
	r.reap(ctx, command)
	return exit, err
}

// reap ends what the command left behind inside. One that takes too long is
// abandoned: the command's result stands (B-1).
func (r Run) reap(ctx context.Context, command sandbox.Command) {
	if command.Reap == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sandbox.ReapGrace)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- command.Reap(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		r.Note("what the command left behind: %v", err)
	}
}

type ending struct {
	exit sandbox.Exit
	err  error
}

func (r Run) wait(started sandbox.Running, timeout time.Duration, job *job) (sandbox.Exit, error) {
	ended := make(chan ending, 1)
	go func() {
		exit, err := started.Wait()
		ended <- ending{exit, err}
	}()
	var due, killed <-chan time.Time
	if timeout > 0 {
		due = time.After(timeout)
	}
	var late error
	for {
		select {
		case e := <-ended:
			if late != nil && e.err == nil {
				return e.exit, late
			}
			return e.exit, e.err
		case s := <-job.signals:
			job.pass(started, s)
		case s := <-job.continued:
			job.pass(started, s)
		case by := <-started.Stopped():
			job.stopped(started, by)
		case <-due:
			late = fmt.Errorf("%w: %v", ErrTimeout, timeout)
			_ = started.Signal(syscall.SIGTERM)
			killed = time.After(KillAfter)
		case <-killed:
			_ = started.Signal(syscall.SIGKILL)
		}
	}
}
