package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// What is sent to the supervisor is the command's (UA-8). Each signal is sent
// while the command starts: none is lost between.
func TestSignalsArePassedOn(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2} {
		t.Run(unix.SignalName(sig), func(t *testing.T) {
			// Whoever started the test may have had it ignored, as nohup does,
			// and then it would not be passed on.
			heard := make(chan os.Signal, 1)
			signal.Notify(heard, sig)
			defer signal.Stop(heard)
			g := newGround(t)
			f := &fake{
				starting: func() {
					if err := syscall.Kill(os.Getpid(), sig); err != nil {
						t.Error(err)
					}
				},
				command: func(c *command) (sandbox.Exit, error) {
					if got := <-c.signals; got != sig {
						t.Errorf("got %v, want %v", got, sig)
					}
					return sandbox.Exit{Signal: int(sig)}, nil
				},
			}
			exit, err := g.run(t, f, "write a").Do(t.Context())
			if exit.Signal != int(sig) || err != nil {
				t.Errorf("got %+v, %v, want the signal", exit, err)
			}
			wantTree(t, g.work)
			g.wantNoRun(t)
		})
	}
}

// stops is a supervisor whose command stops once, when it was passed a Ctrl-Z,
// and ends when it was let go on.
func stops() {
	f := &fake{command: func(c *command) (sandbox.Exit, error) {
		fmt.Println("started")
		for s := range c.signals {
			if s == syscall.SIGTSTP {
				break
			}
		}
		c.stopped <- syscall.SIGTSTP
		if <-c.continued {
			return sandbox.Exit{Code: 1}, nil // there is no terminal to be in front of
		}
		return sandbox.Exit{Code: 42}, nil
	}}
	spec := sandbox.Spec{Role: "dev", Root: os.Args[1], Cwd: os.Args[1]}
	spec.Normalize()
	exit, err := Run{Provider: f, Spec: spec, State: os.Args[2], Command: []string{"true"}}.Do(context.Background())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(exit.Code)
}

// Ctrl-Z stops the command; its supervisor, and git above it, stop with it and
// go on with it, or the shell would wait for ever.
func TestTheSupervisorStopsWithItsCommand(t *testing.T) {
	g := newGround(t)
	cmd := exec.Command("launch-stops", g.work, g.state)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it stops its whole group
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "started\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	if status := wait(t, cmd.Process.Pid, unix.WUNTRACED); !status.Stopped() || status.StopSignal() != syscall.SIGSTOP {
		t.Fatalf("got status %#x, want that it stopped", status)
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if status := wait(t, cmd.Process.Pid, 0); !status.Exited() || status.ExitStatus() != 42 {
		t.Errorf("got status %#x, want exit 42", status)
	}
	if runs, _ := filepath.Glob(g.state + "/run/????????"); len(runs) > 0 {
		t.Errorf("left: %q", runs)
	}
}

// A command that stops itself stops nothing outside: this process is the
// supervisor and would not go on.
func TestACommandStopsItself(t *testing.T) {
	g := newGround(t)
	f := &fake{command: func(c *command) (sandbox.Exit, error) {
		for _, s := range []os.Signal{syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU} {
			c.stopped <- s
		}
		return sandbox.Exit{Code: 42}, nil
	}}
	if exit, err := g.run(t, f, "write a").Do(t.Context()); exit.Code != 42 || err != nil {
		t.Errorf("got %+v, %v", exit, err)
	}
}

func wait(t *testing.T, pid, options int) (status syscall.WaitStatus) {
	t.Helper()
	for {
		_, err := syscall.Wait4(pid, &status, options, nil)
		if err == nil {
			return status
		}
		if !errors.Is(err, syscall.EINTR) {
			t.Fatal(err)
		}
	}
}
