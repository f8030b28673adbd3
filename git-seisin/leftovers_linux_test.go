package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// command is argv in the place, without a terminal.
func (p testPlace) command(t *testing.T, argv ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Path, cmd.Err = lookUp(t, argv[0], p.env), nil
	cmd.Dir, cmd.Env = p.repo, p.env
	return cmd
}

// output runs argv in the place, and returns what it said and its status.
func (p testPlace) output(t *testing.T, argv ...string) (string, int) {
	t.Helper()
	cmd := p.command(t, argv...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// grantAbsent gives the role a territory that is not there.
func (p testPlace) grantAbsent(t *testing.T) {
	t.Helper()
	policy := "[roles.dev]\nwrites = [\"src/**\", \"made/**\"]\n"
	if err := os.WriteFile(filepath.Join(p.repo, "seisin.toml"), []byte(policy), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantNothingLeft looks for what runs make on the host.
func (p testPlace) wantNothingLeft(t *testing.T) {
	t.Helper()
	home := strings.TrimPrefix(p.env[0], "HOME=")
	if runs, err := filepath.Glob(filepath.Join(home, ".local/state/seisin/run/????????")); err != nil || len(runs) > 0 {
		t.Errorf("left run directories %q, %v", runs, err)
	}
	if _, err := os.Lstat(filepath.Join(p.repo, "made")); err == nil {
		t.Error("left what was made for an absent grant")
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || bytes.Contains(mounts, []byte(home)) || bytes.Contains(mounts, []byte(p.repo)) {
		t.Errorf("left mounts, or %v:\n%s", err, mounts)
	}
}

// alive are those of pids that still run.
func alive(pids []int) []int {
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		p, ok := readProcess(pid)
		return !ok || p.state == "Z"
	})
}

func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// Whoever is killed, every process of the run ends, those that left their
// session too, and what it made on the host is gone when the next run has been.
func TestKilled(t *testing.T) {
	place := newTestPlace(t)
	place.grantAbsent(t)
	for _, tt := range []struct {
		name    string
		victims []int // from git on: 0 is git, 1 the supervisor, 2 the keeper, 3 the init
	}{
		{"Git", []int{0}}, {"Supervisor", []int{1}}, {"Keeper", []int{2}}, {"Init", []int{3}},
		{"SupervisorAndKeeper", []int{1, 2}}, {"All", []int{0, 1, 2, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := place.command(t, "git", "seisin", "run", "--quiet", "dev", "--", "sh", "-c",
				"(setsid sleep 1000 &); touch made/by; rm made/by; touch src/ready; exec sleep 1000")
			ready := filepath.Join(place.repo, "src/ready")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the command", func() bool { return os.Remove(ready) == nil })
			if _, err := os.Lstat(filepath.Join(place.repo, "made")); err != nil {
				t.Fatalf("what the run made is not there: %v", err)
			}
			all := append([]int{cmd.Process.Pid}, descendants(cmd.Process.Pid)...)
			if len(all) < 6 { // git, the four of a run, and a child in the background
				t.Fatalf("got processes %v, want six at least", all)
			}
			var kill []int
			for pid, depth := cmd.Process.Pid, 0; depth < 4; depth++ {
				if slices.Contains(tt.victims, depth) {
					kill = append(kill, pid)
				}
				if below := children(pid); len(below) > 0 {
					pid = below[0]
				}
			}
			for _, pid := range kill {
				if err := unix.Kill(pid, unix.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait()
			eventually(t, fmt.Sprintf("the end of %v", all), func() bool { return len(alive(all)) == 0 })
			if out, code := place.output(t, "git-seisin", "run", "--quiet", "dev", "--", "true"); code != 0 {
				t.Errorf("the next run: exit %d: %s", code, out)
			}
			place.wantNothingLeft(t)
		})
	}
}

// UA-8: a command's own end is the run's, at once, and takes with it what runs
// in the background, however it got away. Outside it stays.
func TestBackgroundChildrenEnd(t *testing.T) {
	place := newTestPlace(t)
	mark := "1000." + strconv.FormatInt(time.Now().UnixNano(), 10)
	text := fmt.Sprintf("(setsid sleep %[1]s &); (sh -c 'sleep %[1]s &' &); nohup sleep %[1]s & sleep 0.2; exit 7", mark)
	sleeping := func() (pids []int) {
		names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, name := range names {
			if b, err := os.ReadFile(name); err == nil && string(b) == "sleep\x00"+mark+"\x00" {
				pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
				pids = append(pids, pid)
			}
		}
		return pids
	}
	control := place.command(t, "sh", "-c", text)
	err := control.Run() // to no pipe, which they would hold
	left := sleeping()
	for _, pid := range left {
		_ = unix.Kill(pid, unix.SIGKILL) // of this test's own, by their mark
	}
	if len(left) != 3 {
		t.Fatalf("outside: got processes %v, %v, want three in the background", left, err)
	}
	eventually(t, "the end of the control", func() bool { return len(alive(left)) == 0 })
	for _, start := range starts {
		run := append(strings.Fields(start), "run", "--quiet", "dev", "--", "sh", "-c", text)
		if out, code := place.output(t, run...); code != 7 {
			t.Errorf("%s: got exit %d: %s", start, code, out)
		}
		if left := sleeping(); len(left) > 0 {
			t.Errorf("%s: left processes %v", start, left)
		}
	}
}

// F13: shared memory and semaphores of System V that are made inside are not
// seen outside, nor by the next run. Outside they outlive who made them.
func TestSysVObjectsEnd(t *testing.T) {
	place := newTestPlace(t)
	const makeAll = "ipcmk -M 4242432 && ipcmk -S 4243 && ipcmk -Q"
	const list = "cat /proc/sysvipc/shm /proc/sysvipc/sem"
	ours := func(text string) (n int) {
		for line := range strings.Lines(text) {
			if f := strings.Fields(line); slices.Contains(f, "4242432") || slices.Contains(f, "4243") {
				n++
			}
		}
		return n
	}
	out, code := place.output(t, "sh", "-c", "ipcmk -M 4242432; "+list)
	id := strings.TrimPrefix(strings.SplitN(out, "\n", 2)[0], "Shared memory id: ")
	if removed, code := place.output(t, "ipcrm", "-m", id); code != 0 {
		t.Fatalf("ipcrm -m %s: %s", id, removed)
	}
	if code != 0 || ours(out) != 1 {
		t.Fatalf("outside: got exit %d and %s, want a segment that stays", code, out)
	}
	inside := []string{"git-seisin", "run", "--quiet", "dev", "--", "sh", "-c"}
	if out, code := place.output(t, append(inside, makeAll+" && "+list)...); code != 0 || ours(out) != 2 {
		t.Fatalf("inside: got exit %d and %s, want that they are made", code, out)
	}
	if out, _ := place.output(t, "sh", "-c", list); ours(out) != 0 {
		t.Errorf("outside, after it: got\n%s", out)
	}
	if out, code := place.output(t, append(inside, "cat /proc/sysvipc/* | grep -vc key")...); out != "0\n" {
		t.Errorf("in the next run: got %q and exit %d, want no object", out, code)
	}
}

// 100 starts at once in one work tree, of which each needs what is not there.
func TestManyStartsAtOnce(t *testing.T) {
	place := newTestPlace(t)
	place.grantAbsent(t)
	var wg sync.WaitGroup
	for i := range 100 {
		cmd := place.command(t, "git-seisin", "run", "--quiet", "dev", "--", "sh", "-c", fmt.Sprintf("test -d made && echo %d > src/n%[1]d", i))
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("start %d: %v: %s", i, err, out)
			}
		})
	}
	wg.Wait()
	if written, err := filepath.Glob(filepath.Join(place.repo, "src/n*")); err != nil || len(written) != 100 {
		t.Errorf("got %d files, %v, want one of each", len(written), err)
	}
	place.wantNothingLeft(t)
}
