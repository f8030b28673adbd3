package native_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

// signalWays are the ways to a process by its number. All use signal 0, which
// looks for the process and does nothing to it.
var signalWays = map[string]func(pid int) error{
	"kill":   func(pid int) error { return unix.Kill(pid, 0) },
	"tgkill": func(pid int) error { return unix.Tgkill(pid, pid, 0) },
	"tkill": func(pid int) error {
		_, _, errno := unix.Syscall(unix.SYS_TKILL, uintptr(pid), 0, 0)
		return errnoOrNil(errno)
	},
	"sigqueue": func(pid int) error {
		var info [128]byte // siginfo_t: SI_QUEUE, as sigqueue(3) fills it
		*(*int32)(unsafe.Pointer(&info[8])) = -1
		_, _, errno := unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(pid), 0, uintptr(unsafe.Pointer(&info)))
		return errnoOrNil(errno)
	},
	"pidfd": func(pid int) error {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	},
	"own": func(pid int) error {
		var p [2]int
		if err := unix.Pipe(p[:]); err != nil {
			return err
		}
		defer func() { _, _ = unix.Close(p[0]), unix.Close(p[1]) }()
		_, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETOWN, pid)
		return err
	},
	"priority": func(pid int) error { _, err := unix.Getpriority(unix.PRIO_PROCESS, pid); return err },
	"limits":   func(pid int) error { return unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &unix.Rlimit{}) },
}

func errnoOrNil(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// ownGroup reports the process group, which is 0 where its leader is outside.
func ownGroup(_ act, o *outcome) error {
	pgid, err := unix.Getpgid(0)
	o.Text = fmt.Sprint(pgid)
	return err
}

// A command looks for the processes outside by their numbers: who started it,
// the keeper of its box and of another, a mate in the pipeline, the shell. None
// is found, in no way that takes a number (F1, P-8). The control finds them all.
func TestNobodyOutsideCanBeSignalled(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	mate := exec.Command("sleep", "300")
	if err := mate.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = mate.Process.Kill(), mate.Wait() }()
	b, another := boxAt(t, root, srcPolicy), boxAt(t, root, srcPolicy)
	another.ok(t, act{Op: "list", Path: "/"})
	targets := map[string]int{"supervisor": os.Getpid(), "mate": mate.Process.Pid, "shell": os.Getppid()}
	for i, pid := range childrenOf(t, os.Getpid()) {
		if pid != mate.Process.Pid {
			targets[fmt.Sprintf("keeper or init %d", i)] = pid
		}
	}
	if len(targets) < 5 {
		t.Fatalf("got %v, want the keepers of two boxes too", targets)
	}
	for target, pid := range targets {
		for how := range signalWays {
			a := act{Op: "signal", Text: how, N: pid}
			if o := a.do(); o.Errno == int(unix.ESRCH) { // EPERM where it is another user's has found it
				t.Errorf("%s of the %s: the control: %v", how, target, o)
			}
			b.refusedBy(t, how+" of the "+target, a, unix.ESRCH)
		}
	}
	// Everybody but itself and pid 1; in a box, nobody.
	everybody := act{Op: "signal", Text: "kill", N: -1}
	b.refusedOnly(t, "kill of everybody", everybody, unix.ESRCH)
	for _, how := range []string{"kill", "tgkill", "pidfd"} {
		b.ok(t, act{Op: "signal", Text: how, N: 1}) // found, and not harmed: TestInside
	}
}

// A socket that signals its own process, as nginx has them, works where
// Landlock keeps signals inside; elsewhere the filter refuses it.
func TestSocketSignalsItsOwner(t *testing.T) {
	sandboxtest.Home(t)
	b := boxAt(t, sandboxtest.Repo(t, map[string]string{"src/a": "a\n"}), srcPolicy)
	if a := (act{Op: "signalSelf"}); native.HasScope() {
		b.ok(t, a)
	} else {
		b.refusedOnly(t, "a socket that signals", a, unix.EPERM)
	}
}

// childrenOf lists the processes that a thread of pid started.
func childrenOf(t *testing.T, pid int) (pids []int) {
	t.Helper()
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))
		if err != nil {
			continue // it has ended
		}
		for _, f := range strings.Fields(string(text)) {
			var child int
			if _, err := fmt.Sscan(f, &child); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// kill(0) goes to a process group, across pid namespaces. THIS TEST VERIFIES
// that a mate in the pipeline, of the supervisor's group, does not hear it, and
// the control that one does of a command that has a pid namespace and no group
// of its own (F1). The signal is SIGWINCH, which who does not ask for it ignores.
func TestGroupSignalStaysInside(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	mate := exec.Command("sh", "-c", `trap 'echo heard' WINCH; echo ready; while :; do sleep .05; done`)
	out, err := mate.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := mate.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = mate.Process.Kill(), mate.Wait() }()
	said := make(chan string, 100)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			said <- lines.Text()
		}
	}()
	if got := <-said; got != "ready" {
		t.Fatalf("the mate said %q", got)
	}
	b, loose := boxAt(t, root, srcPolicy), actorOutside(t, syscall.CLONE_NEWPID)
	if o := b.ok(t, act{Op: "group"}); o.Text == "0" {
		t.Error("the command is in a group from outside")
	}
	if o := loose.ok(t, act{Op: "group"}); o.Text != "0" {
		t.Errorf("the control: the group is %s", o.Text)
	}
	for range 3 {
		b.ok(t, act{Op: "winch", N: 0})
	}
	select {
	case got := <-said:
		t.Errorf("the mate said %q", got)
	case <-time.After(500 * time.Millisecond):
	}
	loose.ok(t, act{Op: "winch", N: 0})
	select {
	case <-said:
	case <-time.After(10 * time.Second):
		t.Error("the control: the mate did not hear it")
	}
}
