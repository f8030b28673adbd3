package launch

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
	"seisin/internal/signals"
)

// What the supervisor does on a real terminal is tested with the real binary,
// in package main: a terminal controls a session, and this process has one.

// Who starts a run with SIGHUP ignored, as nohup does, means the command too:
// it is not passed on, as the supervisor itself does not die of it.
func TestIgnoredSignalsAreNotPassedOn(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	t.Cleanup(func() {
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGHUP)
		signal.Stop(c)
		if err := signals.Default(syscall.SIGHUP); err != nil { // Stop brings back what was
			t.Error(err)
		}
	})
	j := newJob(nil)
	j.listen()
	<-j.listening
	defer j.close()
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGUSR1} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-j.signals; got != syscall.SIGUSR1 {
		t.Errorf("got %v, want %v: the one before it is ignored", got, syscall.SIGUSR1)
	}
}

// SIGCONT may come before the command has stopped that a Ctrl-Z was passed on
// to. Then it goes on, and so do we: nobody would send another.
func TestContinuedBeforeItStopped(t *testing.T) {
	for _, arrived := range []bool{false, true} { // at us, or passed on already
		c := &command{signals: make(chan os.Signal, 1), continued: make(chan bool, 1)}
		j := newJob(nil)
		j.asked = toStop
		if arrived {
			j.pass(c, syscall.SIGCONT)
			if got := <-c.signals; got != syscall.SIGCONT {
				t.Errorf("got %v, want that SIGCONT is passed on", got)
			}
			j.stopped(c, syscall.SIGTSTP)
			if <-c.continued {
				t.Error("the command got a foreground that is not ours")
			}
			continue
		}
		j.continued <- syscall.SIGCONT
		j.stop(toStop) // returns
	}
}

// A shell that took the terminal from us keeps it: its group is told from those
// of a box, which may be dead by then.
func TestIsOutside(t *testing.T) {
	if got := pidNamespaces("self"); got < 1 {
		t.Fatalf("got %d pid namespaces, want this one at least", got)
	}
	// The greatest pid there can be, which the kernel gives to nobody.
	const dead = 1 << 22
	for _, tt := range []struct {
		name  string
		group int
		want  bool
	}{{"Ours", unix.Getpid(), true}, {"Above", unix.Getppid(), true}, {"Dead", dead, false}} {
		if got := isOutside(tt.group); got != tt.want {
			t.Errorf("%s: isOutside(%d): got %v, want %v", tt.name, tt.group, got, tt.want)
		}
	}
}

func TestParentOf(t *testing.T) {
	if got, want := parentOf(os.Getpid()), os.Getppid(); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
	if got := parentOf(1 << 22); got != 0 {
		t.Errorf("got %d for no process, want 0", got)
	}
}

// The nil terminal is none, and everything that is done to it is nothing.
func TestNoTerminal(t *testing.T) {
	var none *terminal
	if none.offer() || none.lend() || none.isLent() || none.resume(none.pause()) {
		t.Error("the terminal that is none was lent")
	}
	none.restore()
	none.close()
}

// Only what git is silent about, and shells heed, is died of. The others are a
// status, which does not end this process.
func TestDieOfNothing(t *testing.T) {
	for _, exit := range []sandbox.Exit{{}, {Code: 130}, {Signal: 9}, {Signal: 11}, {Signal: 15}} {
		if slices.Contains(fatal, syscall.Signal(exit.Signal)) {
			t.Fatalf("%+v would end the test", exit)
		}
		Die(exit, nil, nil)
	}
}
