//go:build unix

package launch

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// A job is what a shell takes the supervisor and its command for: one thing
// that it stops and lets go on. The command is in a process group of its own,
// which no shell knows (F1), so that each has to be told of the other.
type job struct {
	tty       *terminal
	signals   chan os.Signal // for the command
	continued chan os.Signal // SIGCONT, likewise, and what ends a stop of our own
	listening chan struct{}  // closed when they come
	asked     asked
}

// asked is what became of a Ctrl-Z that came to us since it was not the
// command's.
type asked int

const (
	notAsked asked = iota
	toStop         // it was passed on
	toGoOn         // SIGCONT came after it
)

// passedOn are the signals for the command that may come to the supervisor:
// from the terminal while it is not lent, or from anybody.
var passedOn = []os.Signal{
	syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
	syscall.SIGWINCH, syscall.SIGTSTP,
}

func newJob(tty *terminal) *job {
	return &job{tty: tty, signals: make(chan os.Signal, 16), continued: make(chan os.Signal, 1)}
}

// listen begins to receive signals. It takes Go milliseconds to arrange. Who
// started us with one ignored, as nohup does SIGHUP and a shell SIGINT of what
// it starts in the background, means the command.
func (j *job) listen() {
	j.listening = make(chan struct{})
	go func() {
		defer close(j.listening)
		heeded := slices.DeleteFunc(slices.Clone(passedOn), signal.Ignored)
		signal.Notify(j.signals, heeded...)
		signal.Notify(j.continued, syscall.SIGCONT)
	}()
}

// close ends what the command had: the terminal is as it was, whatever became
// of the processes that held it.
func (j *job) close() {
	j.tty.restore()
	j.tty.close()
	if j.listening == nil {
		return
	}
	<-j.listening
	signal.Stop(j.signals)
	signal.Stop(j.continued)
}

// pass gives the command a signal that came to us.
func (j *job) pass(c sandbox.Running, s os.Signal) {
	switch {
	case s == syscall.SIGTSTP && orphaned():
		return // nobody would let it go on, so that the kernel stops no such group
	case s == syscall.SIGTSTP:
		j.asked = toStop
	case s == syscall.SIGCONT && j.asked == toStop:
		j.asked = toGoOn
	}
	_ = c.Signal(s)
}

// stopped does what a stop of the command asks for, and lets it go on when it
// may. A stop that neither the terminal nor anybody outside asked for is no
// business of ours: a command must not stop what is not in its box.
func (j *job) stopped(c sandbox.Running, by os.Signal) {
	asked, lent := j.asked, j.tty.isLent()
	j.asked = notAsked
	switch alone := orphaned(); {
	case asked == toGoOn:
		_ = c.Continue(false)
	case asked == notAsked && !lent && (j.tty == nil || by != syscall.SIGTTIN && by != syscall.SIGTTOU):
		// Whoever stopped it may let it go on.
	case asked == notAsked && !lent && j.tty.lend():
		// It used the terminal from the background, and we are in front.
		_ = c.Continue(true)
	case alone && lent:
		_ = c.Continue(true)
	case alone && j.tty != nil:
		// What the kernel does to a stopped group that is left alone.
		_ = c.Signal(syscall.SIGHUP)
		_ = c.Continue(false)
	case asked == toStop && !isShells():
		// What the shell waits for has stopped by itself, and it may have let
		// us go on by now: a stop of our own could come after that. SIGCONT is
		// passed on.
		j.tty.pause()
	default:
		theirs := j.tty.pause()
		j.stop(asked)
		_ = c.Continue(j.tty.resume(theirs))
	}
}

// stop stops us until SIGCONT comes. Our whole group stops: git waits for us,
// and the shell for git. After a Ctrl-Z of theirs the others have stopped
// already.
func (j *job) stop(asked asked) {
	whom := os.Getpid()
	if asked == notAsked {
		whom = 0
	}
	select {
	case <-j.continued:
		if asked == toStop {
			return
		}
		// It came before the command stopped, and tells nothing.
	default:
	}
	_ = unix.Kill(whom, unix.SIGSTOP)
	// The kernel may stop another thread first: only SIGCONT says that we were
	// stopped and are no more.
	<-j.continued
}

// isShells reports whether the shell that stops jobs is our parent, and no git
// or script of our own group stands between.
func isShells() bool {
	group, err := unix.Getpgid(os.Getppid())
	return err != nil || group != unix.Getpgrp()
}

func (t *terminal) isLent() bool { return t != nil && t.lent }

// orphaned reports whether nobody above us in this session could let our group
// go on, as setsid(1), cron and terminals start a program.
func orphaned() bool {
	group := unix.Getpgrp()
	session, err := unix.Getsid(0)
	if err != nil {
		return true
	}
	for pid := os.Getppid(); pid > 0; pid = parentOf(pid) {
		if s, err := unix.Getsid(pid); err != nil || s != session {
			return true
		}
		if g, err := unix.Getpgid(pid); err != nil || g != group {
			return err != nil
		}
	}
	return true
}
