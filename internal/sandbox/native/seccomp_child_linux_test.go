//go:build amd64 || arm64

package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A filter cannot be taken off, so what is tried under one is tried in a
// process of its own: this test binary by another name.
const filteredArg = "seccomp-child"

// filteredTasks are what such a process can be told to do.
var filteredTasks = map[string]func(args []string) error{
	"trials":   runTrials,
	"exec":     func(args []string) error { return unix.Exec(args[0], args, os.Environ()) },
	"listener": hearConnect,
	"unknown":  askUnknown,
	"owner":    ownTerminal,
	"async":    signalTerminal,
}

func init() {
	if os.Args[0] != filteredArg {
		return
	}
	runtime.LockOSThread() // a filter is a thread's
	err := filteredTask(os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		syscall.Exit(1)
	}
	syscall.Exit(0)
}

func filteredTask(task, filter string, args []string) error {
	if filter == "filter" {
		if err := filterWithoutListener(filterOptions{}); err != nil {
			return err
		}
	}
	return filteredTasks[task](args)
}

// filterWithoutListener puts this thread under the filter, but for what is
// notified: a call that nobody answers never returns.
func filterWithoutListener(o filterOptions) error {
	o.NoNotify = true
	filter, err := filterProgram(o)
	if err != nil {
		return err
	}
	return installOnThread(filter)
}

func installOnThread(filter []unix.SockFilter) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, errno := seccomp(unix.SECCOMP_SET_MODE_FILTER, 0, &program); errno != 0 {
		return errno
	}
	return nil
}

// filtered is a process that does a task, under the filter or not.
func filtered(t *testing.T, task string, under bool, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	word := "control"
	if under {
		word = "filter"
	}
	cmd := exec.Command(exe)
	cmd.Args = append([]string{filteredArg, task, word}, args...)
	cmd.Dir = t.TempDir()
	return cmd
}

// inNamespaces gives a process every capability over namespaces of its own,
// and so nothing over the machine: without the filter the calls must be able
// to succeed, and do no harm.
func inNamespaces(cmd *exec.Cmd, spaces uintptr) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | spaces,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

const allSpaces = syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS

// runTrials tries each of trials and writes what the kernel said.
func runTrials([]string) error {
	said := map[string]int{}
	for _, tr := range trials() {
		err := tr.try()
		errno, ok := errors.AsType[syscall.Errno](err)
		if err != nil && !ok {
			return fmt.Errorf("%s: %w", tr.name, err)
		}
		if _, twice := said[tr.name]; twice {
			return fmt.Errorf("two trials are called %q", tr.name)
		}
		said[tr.name] = int(errno)
	}
	return json.NewEncoder(os.Stdout).Encode(said)
}

func tried(t *testing.T, under bool) map[string]int {
	t.Helper()
	cmd := filtered(t, "trials", under)
	inNamespaces(cmd, allSpaces)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var said map[string]int
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatal(err)
	}
	return said
}

// On the real kernel each call is refused as the table says, and is not where
// the filter is out; what stands beside it goes on as if there were none.
func TestFilterInKernel(t *testing.T) {
	free, boxed := tried(t, false), tried(t, true)
	for _, tr := range trials() {
		got, control := unix.Errno(boxed[tr.name]), unix.Errno(free[tr.name])
		switch {
		case tr.want == 0 && (got != 0 || control != 0):
			t.Errorf("%s: got %v, and %v without the filter, want both to succeed", tr.name, got, control)
		case tr.want != 0 && got != tr.want:
			t.Errorf("%s: got %v, want %v", tr.name, got, tr.want)
		case tr.want != 0 && control == tr.want:
			t.Errorf("%s: the control: %v without the filter too", tr.name, control)
		}
	}
}

// Programs fork, make threads and start others under the filter.
func TestFilterLetsProgramsWork(t *testing.T) {
	for _, tt := range []struct{ name, script string }{
		{"Shell", `a=$(echo x | cat) && (sleep 0 & wait) && test "$a" = x`},
		{"Git", `git init -q r && cd r && echo x > f && git add f && git -c user.name=n -c user.email=e commit -qm m && git gc -q && git status --short`},
		{"Go", `go version`}, // threads
		{"Modes", `mkdir d && chmod 1777 d && touch d/f && chmod 755 d/f && cp -p d/f d/g`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cmd := filtered(t, "exec", true, "/bin/sh", "-c", tt.script)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", tt.script, err, out)
			}
		})
	}
}
