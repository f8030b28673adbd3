package rundir

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// many runs at once, with the same absent grants.
const many = 50

// oneRun is a whole run with absent grants: some that all have, one of its
// own. It calls step after each thing it did.
func oneRun(state, work string, number int, step func()) error {
	paths := map[string]bool{
		work + "/shared/a/b": true, work + "/shared/f": false, work + "/g": false,
		work + "/own-" + strconv.Itoa(number): true,
	}
	d, err := New(state, slices.Collect(maps.Keys(paths)))
	if err != nil {
		return err
	}
	step()
	for p, dir := range paths {
		if _, err := d.Ensure(p, dir); err != nil {
			return err
		}
		step()
	}
	for p := range paths {
		if !exists(p) {
			return fmt.Errorf("%s was taken away under a living run", p)
		}
	}
	if err := os.WriteFile(d.Path+"/file", nil, 0o600); err != nil {
		return fmt.Errorf("the run directory was taken away: %w", err)
	}
	return d.Close()
}

// steps is how often oneRun calls step.
const steps = 5

// once is oneRun as a process. It stops for good at the step that its last
// argument names, if it names one.
func once() {
	number, err := strconv.Atoi(os.Args[3])
	if err != nil {
		fail(err)
	}
	stop, err := strconv.Atoi(os.Args[4])
	if err != nil {
		fail(err)
	}
	step := func() {
		if stop--; stop == 0 {
			fmt.Println("stopped")
			select {}
		}
	}
	if err := oneRun(os.Args[1], os.Args[2], number, step); err != nil {
		fail(err)
	}
	os.Exit(0)
}

func onceCommand(state, work string, number, stop int) *exec.Cmd {
	return exec.Command("rundir-once", state, work, strconv.Itoa(number), strconv.Itoa(stop))
}

// 100 starts at once: none fails, and nothing is left.
func TestManyAtOnce(t *testing.T) {
	for name, run := range map[string]func(state, work string, number int) error{
		"Goroutines": func(state, work string, number int) error { return oneRun(state, work, number, func() {}) },
		"Processes": func(state, work string, number int) error {
			if out, err := onceCommand(state, work, number, 0).CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			state, work := t.TempDir(), t.TempDir()
			var all sync.WaitGroup
			for number := range many {
				all.Go(func() {
					if err := run(state, work, number); err != nil {
						t.Errorf("run %d: %v", number, err)
					}
				})
			}
			all.Wait()
			wantTree(t, work)
			wantRuns(t, state)
		})
	}
}

// Every other one is killed at some step. The others go on, and the next run
// after them finds what is left.
func TestManyAtOnceAndSomeAreKilled(t *testing.T) {
	state, work := t.TempDir(), t.TempDir()
	var all sync.WaitGroup
	for number := range many {
		all.Go(func() {
			stop := 0
			if number%2 == 0 {
				stop = 1 + number/2%steps
			}
			if err := runAndKill(onceCommand(state, work, number, stop), stop > 0); err != nil {
				t.Errorf("run %d: %v", number, err)
			}
		})
	}
	all.Wait()
	end(t, start(t, state))
	wantRuns(t, state)
	wantTree(t, work)
}

// runAndKill waits for cmd to end, or to stop, and kills it then.
func runAndKill(cmd *exec.Cmd, kill bool) error {
	if !kill {
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "stopped\n" {
		err = fmt.Errorf("it says %q, %v, want that it stopped", line, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return err
}
