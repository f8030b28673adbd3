package native

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// launches are the commands that run in the box, by process id.
type launches struct {
	wire *wire

	mu   sync.Mutex // guards the fields below, and is held while forking
	byID map[int]int
	ids  map[int]int // launch IDs by pid
}

// serveLaunches does what the supervisor asks until the supervisor is gone.
// It stays on the thread that has given everything up.
func serveLaunches(w *wire) int {
	l := &launches{wire: w, byID: map[int]int{}, ids: map[int]int{}}
	children := make(chan struct{}, 1)
	go l.reap(children)
	for {
		var m toInit
		files, err := w.receive(&m)
		if err != nil {
			return 0 // pid 1 leaves, and the kernel kills all that is left
		}
		switch {
		case m.Launch != nil:
			if r := l.start(m.Launch, files); r != nil {
				_ = w.send(&fromInit{Refused: r})
				break
			}
			select {
			case children <- struct{}{}:
			default:
			}
		case m.Signal != nil:
			l.signal(m.Signal.ID, unix.Signal(m.Signal.Signal))
		case m.Continue != nil:
			l.goOn(m.Continue)
		}
		for _, f := range files {
			_ = f.Close()
		}
	}
}

func (l *launches) start(m *launch, files []*os.File) *refused {
	files, err := streams(m, files)
	if err != nil {
		return &refused{ID: m.ID, Why: err.Error()}
	}
	dir, argv, env := m.Dir, m.Argv, m.Env
	if err := unix.Access(dir, unix.X_OK); err != nil {
		return &refused{ID: m.ID, Why: "directory " + dir + ": " + err.Error()}
	}
	file, err := lookUp(argv[0], dir, env)
	if err != nil {
		return refusal(m.ID, err)
	}
	attr := &syscall.ProcAttr{
		Dir: dir,
		Env: env,
		Sys: &syscall.SysProcAttr{Setpgid: true, Foreground: m.Foreground, Ctty: int(files[0].Fd())},
	}
	for _, f := range files {
		attr.Files = append(attr.Files, f.Fd())
	}
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	l.mu.Lock()
	defer l.mu.Unlock()
	pid, err := syscall.ForkExec(file, argv, attr)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) {
		err = &interpreterError{interpreter(join(dir, file)), err} // the file itself was looked at
	}
	if err != nil {
		return refusal(m.ID, err)
	}
	l.byID[m.ID], l.ids[pid] = pid, m.ID
	// Told under the lock, so that no end is told before its start.
	_ = l.wire.send(&fromInit{Started: m.ID})
	return nil
}

// streams are the command's three: those that came, and the box's own
// /dev/null. The host's node could have its mode changed through a descriptor,
// and the flags that a command sets on one stay for who has it outside: a
// terminal is opened anew, where its name is there.
func streams(m *launch, came []*os.File) ([]*os.File, error) {
	var files []*os.File
	for i, given := range m.Given {
		if given && len(came) > 0 {
			f := came[0]
			came = came[1:]
			if name := m.Anew[i]; name != "" {
				if anew, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0); err == nil {
					_ = f.Close()
					f = anew
				}
			}
			files = append(files, f)
			continue
		}
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, null)
	}
	if len(came) > 0 || len(m.Argv) == 0 {
		return nil, errors.New("a launch takes a command and the descriptors it names")
	}
	return files, nil
}

func refusal(id int, err error) *refused {
	r := &refused{ID: id, Why: err.Error()}
	switch _, isInterpreter := errors.AsType[*interpreterError](err); {
	case isInterpreter:
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		r.NotFound, r.Why = true, "command not found"
	case errors.Is(err, unix.EISDIR):
		r.Why = "is a directory"
	case errors.Is(err, unix.ENOEXEC):
		r.Why = "not a program this system can run (no #! line?)"
	case errors.Is(err, unix.EACCES):
		r.Why = "permission denied"
	}
	return r
}

// An interpreterError reports a file that is there, can be executed, and names
// a program to be run by that is not or cannot.
type interpreterError struct {
	name string // "" where the file says none that we can read
	err  error
}

func (e *interpreterError) Unwrap() error { return e.err }
func (e *interpreterError) Error() string {
	what := "is not there"
	if errors.Is(e.err, unix.EACCES) {
		what = "cannot be executed"
	}
	if e.name == "" {
		return "its interpreter " + what
	}
	return fmt.Sprintf("its interpreter %q %s", e.name, what)
}

// interpreter returns what the first line of a script names. That line is an
// agent's to write: no more is read than the kernel reads.
func interpreter(file string) string {
	fd, err := unix.Open(file, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = unix.Close(fd) }()
	var b [256]byte
	n, _ := unix.Read(fd, b[:])
	line, _, _ := strings.Cut(string(b[:max(n, 0)]), "\n")
	words, isScript := strings.CutPrefix(line, "#!")
	if first := strings.Fields(words); isScript && len(first) > 0 {
		return first[0]
	}
	return ""
}

// lookUp finds a command as execvp would, with the PATH and directory that the
// command itself will have.
func lookUp(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, executable(join(dir, name))
	}
	err := error(exec.ErrNotFound)
	for _, d := range strings.Split(sandbox.Variable(env, "PATH"), ":") {
		if d == "" {
			d = "."
		}
		p := join(dir, path.Join(d, name))
		switch e := executable(p); {
		case e == nil:
			return p, nil
		case errors.Is(e, unix.EACCES) && unix.Access(d, unix.X_OK) == nil:
			err = e // it is there: remembered, and the search goes on, as in a shell
		}
	}
	return "", err
}

func executable(p string) error {
	var st unix.Stat_t
	if err := unix.Stat(p, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return unix.EISDIR
	}
	return unix.Faccessat(unix.AT_FDCWD, p, unix.X_OK, unix.AT_EACCESS)
}

func join(dir, name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(dir, name)
}

// reap waits for every process that ends in the box, since orphans become
// pid 1's children.
func (l *launches) reap(children <-chan struct{}) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ECHILD):
			<-children
		case err == nil:
			l.report(pid, status)
		}
	}
}

func (l *launches) report(pid int, status unix.WaitStatus) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ours := l.ids[pid]
	if !ours {
		return
	}
	if status.Stopped() {
		_ = l.wire.send(&fromInit{Stopped: &signalTo{ID: id, Signal: int(status.StopSignal())}})
		return
	}
	delete(l.ids, pid)
	delete(l.byID, id)
	e := &exitOf{ID: id, Code: status.ExitStatus()}
	if status.Signaled() {
		e.Code, e.Signal = 0, int(status.Signal())
	}
	_ = l.wire.send(&fromInit{Exited: e})
}

func (l *launches) signal(id int, sig unix.Signal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if pid := l.byID[id]; pid > 1 {
		_ = unix.Kill(-pid, sig)
	}
}

// goOn continues a stopped command, in the terminal's foreground if it shall.
func (l *launches) goOn(m *goOn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pid := l.byID[m.ID]
	if pid <= 1 {
		return
	}
	if m.Foreground {
		_ = foreground(pid)
	}
	_ = unix.Kill(-pid, unix.SIGCONT)
}

// foreground makes group the foreground of the session's terminal. This
// process is in the background then, so that SIGTTOU is held off meanwhile.
func foreground(group int) error {
	tty, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(tty) }()
	var old, block unix.Sigset_t
	block.Val[0] = 1 << (unix.SIGTTOU - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &block, &old); err != nil {
		return err
	}
	defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil) }()
	return unix.IoctlSetPointerInt(tty, unix.TIOCSPGRP, group)
}
