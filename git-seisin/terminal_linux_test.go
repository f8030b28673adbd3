package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/sandboxtest"
)

// patience is how long something may take that must come. It is no measure: a
// machine under load is slow.
const patience = 30 * time.Second

// A screen is a terminal of its own, the programs that run on it, and what they
// have shown.
type screen struct {
	t    *testing.T
	pty  *os.File
	pid  int // of the session's leader
	done chan struct{}

	mu     sync.Mutex // guards the fields below
	shown  []byte
	seen   int                // how much of it was asked for
	more   chan struct{}      // closed when there is more
	status syscall.WaitStatus // once done is closed
}

// A testPlace is where the terminal tests run git-seisin: a repository, and an
// environment with nothing of the developer's.
type testPlace struct {
	repo string
	env  []string
}

func newTestPlace(t *testing.T) testPlace {
	t.Helper()
	bin := filepath.Dir(sandboxtest.Binary(t))
	home := sandboxtest.Home(t)
	return testPlace{
		repo: sandboxtest.Repo(t, map[string]string{
			"seisin.toml": "[roles.dev]\nwrites = [\"src/**\"]\n",
			"src/a":       "a\n",
		}),
		env: []string{
			"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
			"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "PS1=outer> ", "HISTFILE=", "COLUMNS=93", "LINES=41",
		},
	}
}

// start runs a command as the leader of a session on a terminal of its own.
func (p testPlace) start(t *testing.T, argv ...string) *screen {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Path, cmd.Err = lookUp(t, argv[0], p.env), nil
	cmd.Dir, cmd.Env = p.repo, p.env
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 41, Cols: 93})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, pty: f, pid: cmd.Process.Pid, more: make(chan struct{}), done: make(chan struct{})}
	go s.read()
	go func() {
		_ = cmd.Wait()
		s.mu.Lock()
		s.status = cmd.ProcessState.Sys().(syscall.WaitStatus)
		s.mu.Unlock()
		close(s.done)
	}()
	t.Cleanup(s.end)
	return s
}

// lookUp finds a command on the PATH of env.
func lookUp(t *testing.T, name string, env []string) string {
	t.Helper()
	for _, kv := range env {
		path, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			if p := filepath.Join(dir, name); unix.Access(p, unix.X_OK) == nil {
				return p
			}
		}
	}
	t.Fatalf("no %s on PATH", name)
	return ""
}

func (s *screen) read() {
	b := make([]byte, 4096)
	for {
		n, err := s.pty.Read(b)
		s.mu.Lock()
		s.shown = append(s.shown, b[:n]...)
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return // the last process that held it has ended
		}
	}
}

// end hangs up, as when a person closes the window, and ends the leader. What
// else ran on this terminal ends by that.
func (s *screen) end() {
	select {
	case <-s.done:
	default:
		for _, pid := range append(descendants(s.pid), s.pid) {
			_ = unix.Kill(pid, unix.SIGKILL) // of the session that this test made
		}
		<-s.done
	}
	_ = s.pty.Close()
}

func (s *screen) send(text string) {
	s.t.Helper()
	if _, err := s.pty.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// expect waits until text is shown, after all that was expected before.
func (s *screen) expect(text string) {
	s.t.Helper()
	s.wait(fmt.Sprintf("%q on the screen", text), func() bool {
		i := bytes.Index(s.shown[s.seen:], []byte(text))
		if i >= 0 {
			s.seen += i + len(text)
		}
		return i >= 0
	})
}

// wait waits until something is so, and looks again whenever more is shown.
func (s *screen) wait(what string, so func() bool) {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		s.mu.Lock()
		ok, more, shown := so(), s.more, string(s.shown)
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-more:
		case <-time.After(20 * time.Millisecond):
		case <-deadline:
			s.t.Fatalf("waited for %s; shown:\n%s\nprocesses:\n%s", what, shown, s.processes())
		}
	}
}

// ended waits until the session's leader has ended, and all is shown.
func (s *screen) ended() syscall.WaitStatus {
	s.t.Helper()
	s.wait("the end of it", func() bool {
		select {
		case <-s.done:
			return true
		default:
			return false
		}
	})
	return s.status
}

// all is what was shown from the beginning on.
func (s *screen) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(string(s.shown), "\r\n", "\n")
}

// foreground is the process group that has the terminal's foreground.
func (s *screen) foreground() int {
	group, err := unix.IoctlGetInt(int(s.pty.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return -1
	}
	return group
}

// lent reports whether the foreground is with neither the leader, a shell, nor
// one of its jobs.
func (s *screen) lent() bool {
	front := s.foreground()
	for _, pid := range append([]int{s.pid}, children(s.pid)...) {
		if p, ok := readProcess(pid); ok && p.group == front {
			return false
		}
	}
	return front > 0
}

// cooked reports whether the terminal edits lines and heeds Ctrl-C.
func (s *screen) cooked() bool {
	t, err := unix.IoctlGetTermios(int(s.pty.Fd()), unix.TCGETS)
	const want = unix.ICANON | unix.ISIG | unix.ECHO
	return err == nil && t.Lflag&want == want
}

// A process is one line of ps.
type process struct {
	pid, parent, group int
	name, state        string
}

// readProcess returns the process of that number, and whether there is one.
func readProcess(pid int) (p process, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return p, false
	}
	head, rest, _ := strings.Cut(string(b), " (")
	i := strings.LastIndexByte(rest, ')')
	if i < 0 {
		return p, false
	}
	p.name = rest[:i]
	p.pid, _ = strconv.Atoi(head)
	_, err = fmt.Sscan(rest[i+1:], &p.state, &p.parent, &p.group)
	return p, err == nil
}

// children are the processes whose parent is pid.
func children(pid int) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := readProcess(n); ok && p.parent == pid {
			pids = append(pids, n)
		}
	}
	return pids
}

// descendants are the processes below pid.
func descendants(pid int) (pids []int) {
	for _, c := range children(pid) {
		pids = append(append(pids, c), descendants(c)...)
	}
	return pids
}

func (s *screen) processes() string {
	var b strings.Builder
	fmt.Fprintf(&b, "foreground %d\n", s.foreground())
	for _, pid := range append([]int{s.pid}, descendants(s.pid)...) {
		if p, ok := readProcess(pid); ok {
			fmt.Fprintf(&b, "%d of %d in group %d: %s %s\n", p.pid, p.parent, p.group, p.state, p.name)
		}
	}
	return b.String()
}

// supervisor is the git-seisin that runs on this terminal.
func (s *screen) supervisor() (pid int) {
	s.t.Helper()
	s.wait("a supervisor", func() bool {
		for _, d := range append([]int{s.pid}, descendants(s.pid)...) {
			if p, ok := readProcess(d); ok && p.name == "git-seisin" {
				pid = d
			}
		}
		return pid != 0
	})
	return pid
}

// slaveName names the terminal behind its master.
func slaveName(t *testing.T, master *os.File) string {
	t.Helper()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("/dev/pts/%d", n)
}
