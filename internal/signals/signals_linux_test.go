package signals

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const childArg = "signals-child"

func init() {
	if os.Args[0] != childArg {
		return
	}
	sig := unix.SIGPIPE
	if os.Args[1] == "default" {
		if err := Default(sig); err != nil {
			panic(err)
		}
	}
	_ = unix.Kill(os.Getpid(), sig)
	os.Exit(42)
}

// A process dies of a signal that has its default back; the control goes on,
// as Go has it for SIGPIPE.
func TestDefault(t *testing.T) {
	for arg, want := range map[string]string{"default": "signal: broken pipe", "control": "exit status 42"} {
		cmd := exec.Command("/proc/self/exe", arg)
		cmd.Args[0] = childArg
		if err := cmd.Run(); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", arg, err, want)
		}
	}
	if err := Default(unix.SIGKILL); err == nil {
		t.Error("SIGKILL: got no error")
	}
}

// SIGTTOU is blocked while the function runs, for this thread, and neither
// before nor after; it is never ignored.
func TestHoldTTOU(t *testing.T) {
	blocked := func() bool {
		var set unix.Sigset_t
		if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &set); err != nil {
			t.Fatal(err)
		}
		return set.Val[0]&(1<<(unix.SIGTTOU-1)) != 0
	}
	called := false
	HoldTTOU(func() {
		called = true
		if !blocked() {
			t.Error("it is not blocked")
		}
		if signal.Ignored(syscall.SIGTTOU) {
			t.Error("it is ignored")
		}
	})
	if !called || blocked() {
		t.Errorf("called: %t, blocked afterwards: %t; want true, false", called, blocked())
	}
}
