package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A command is something to measure.
type command struct {
	name string
	path string // of the executable
	argv []string
	dir  string
}

// parse reads NAME=COMMAND arguments.
func parse(args []string, dir string) (commands []command, err error) {
	seen := map[string]bool{}
	for _, arg := range args {
		name, line, ok := strings.Cut(arg, "=")
		argv := strings.Fields(line)
		if !ok || name == "" || len(argv) == 0 {
			return nil, fmt.Errorf("%q: want NAME=COMMAND", arg)
		}
		if seen[name] {
			return nil, fmt.Errorf("two commands are named %q", name)
		}
		seen[name] = true
		path, err := exec.LookPath(argv[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		commands = append(commands, command{name, path, argv, dir})
	}
	if len(commands) == 0 {
		return nil, errors.New("no command: want NAME=COMMAND")
	}
	return commands, nil
}

// settle is the pause before each command. The kernel takes namespaces down when
// their last process has been waited for, and whatever is started meanwhile
// would pay for it on two CPUs: bubblewrap's for the command after it, and that
// one's for the next.
const settle = 50 * time.Millisecond

// measure runs the commands in turn and returns the times of each.
func measure(commands []command, rounds int) ([][]time.Duration, error) {
	for _, c := range commands {
		if err := c.try(); err != nil {
			return nil, err
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	times := make([][]time.Duration, len(commands))
	for round := range warmup + rounds {
		for i, c := range commands {
			time.Sleep(settle)
			took, err := c.time(null.Fd())
			if err != nil {
				return nil, err
			}
			if round >= warmup {
				times[i] = append(times[i], took)
			}
		}
	}
	return times, nil
}

// try runs c once and shows what it says if it fails. The measured runs have
// nowhere to say it, since a terminal would be measured too.
func (c command) try() error {
	cmd := exec.Command(c.path, c.argv[1:]...)
	cmd.Args[0], cmd.Dir = c.argv[0], c.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %s: %w\n%s", c.name, strings.Join(c.argv, " "), err, out)
	}
	return nil
}

// time returns how long c takes from fork to wait. It calls the kernel as a
// shell does: os/exec's goroutines and pidfds would be in every figure.
func (c command) time(null uintptr) (time.Duration, error) {
	attr := &syscall.ProcAttr{Dir: c.dir, Env: os.Environ(), Files: []uintptr{null, null, null}}
	start := time.Now()
	pid, err := syscall.ForkExec(c.path, c.argv, attr)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.name, err)
	}
	var status syscall.WaitStatus
	for {
		_, err = syscall.Wait4(pid, &status, 0, nil)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%s: wait: %w", c.name, err)
	}
	if !status.Exited() || status.ExitStatus() != 0 {
		return 0, fmt.Errorf("%s: wait status %#x in a measured run, and 0 when it was tried", c.name, int(status))
	}
	return took, nil
}
