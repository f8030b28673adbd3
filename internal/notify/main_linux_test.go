package notify

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Main(m, nil, stage)
}

// The names this test binary has as a caller: first it installs the filter on
// one thread, then it executes itself, so that all threads have it.
const (
	filterArg = "notify-filter"
	callerArg = "notify-caller"
	floodArg  = "notify-flood"
)

func stage() {
	switch os.Args[0] {
	case filterArg:
		runtime.LockOSThread()
		installFilter(3)
		must(syscall.Exec("/proc/self/exe", []string{callerArg}, os.Environ()))
	case callerArg:
		act()
		syscall.Exit(0)
	case floodArg:
		flood()
	}
}

func must(err error) {
	if err != nil {
		println(os.Args[0], err.Error())
		syscall.Exit(99)
	}
}

// installFilter has connect(2) of this thread notified, and sends the
// listener over the socket at descriptor wire.
func installFilter(wire int) {
	must(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
	prog := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_CONNECT},
		{Code: unix.BPF_RET, K: unix.SECCOMP_RET_USER_NOTIF},
		{Code: unix.BPF_RET, K: unix.SECCOMP_RET_ALLOW},
	}
	p := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, uintptr(unsafe.Pointer(&p)))
	if errno != 0 {
		must(errno)
	}
	must(unix.Sendmsg(wire, []byte{0}, unix.UnixRights(int(fd)), nil, 0))
	must(unix.Close(int(fd)))
	must(unix.Close(wire))
}

// A try is what a caller is told to do, and what came of it.
type try struct {
	Op     string
	Fd     int
	Text   string
	N      int
	Every  time.Duration // of signals
	Tally  map[string]int
	Number int
}

func act() {
	runtime.LockOSThread() // so that the leader of the process makes the calls
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var a try
		if in.Decode(&a) != nil {
			return
		}
		a.Tally = map[string]int{}
		switch a.Op {
		case "connect":
			a.Tally[connectText(a.Fd, a.Text)]++
		case "unmapped":
			_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(a.Fd), 8, 16)
			a.Tally[name(errno)]++
		case "chdir":
			must(unix.Chdir(a.Text))
		case "many":
			a.Tally = many(a.N, a.Fd, a.Text)
		case "otherfiles":
			a.Tally[otherFiles(a)]++
		case "signals":
			a.Tally = signals(a)
		case "flood":
			cmd := exec.Command("/proc/self/exe", a.Text)
			cmd.Args[0] = floodArg
			_ = cmd.Run() // it kills itself
		}
		must(out.Encode(a))
	}
}

func name(errno syscall.Errno) string {
	if errno == 0 {
		return "ok"
	}
	return unix.ErrnoName(errno)
}

// connectText calls connect with text and a NUL for an address, which end at
// the end of the readable memory.
func connectText(fd int, text string) string {
	page := os.Getpagesize()
	mem, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	must(err)
	defer func() { _ = unix.Munmap(mem) }()
	must(unix.Mprotect(mem[2*page:], unix.PROT_NONE))
	at := 2*page - len(text) - 1
	copy(mem[at:], text)
	r, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&mem[at])), uintptr(len(text)+1))
	if errno == 0 && r != 0 {
		return "value"
	}
	return name(errno)
}

func many(n, fd int, text string) map[string]int {
	tally := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			got := connectText(fd, text)
			mu.Lock()
			defer mu.Unlock()
			tally[got]++
		})
	}
	all.Wait()
	return tally
}

func flood() {
	var begun sync.WaitGroup
	for range MaxBlocking {
		begun.Add(1)
		go func() {
			begun.Done()
			connectText(0, os.Args[1])
		}()
	}
	begun.Wait()
	time.Sleep(30 * time.Millisecond)
	_ = unix.Kill(unix.Getpid(), unix.SIGKILL)
}

// otherFiles connects a descriptor from a thread with a table of its own, in
// which the number is another file.
func otherFiles(a try) string {
	got := make(chan string)
	go func() {
		runtime.LockOSThread()
		must(unix.Unshare(unix.CLONE_FILES))
		f, err := unix.Open(a.Text, unix.O_RDONLY, 0)
		must(err)
		must(unix.Dup3(f, a.Fd, 0))
		got <- connectText(a.Fd, "")
	}()
	return <-got
}

// signals connects N times while the thread gets a signal, whose handler has
// SA_RESTART, again and again.
func signals(a try) map[string]int {
	tally := map[string]int{}
	tid, stop := unix.Gettid(), make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		for tick := time.NewTicker(a.Every); ; {
			select {
			case <-stop:
				return
			case <-tick.C:
				_ = unix.Tgkill(unix.Getpid(), tid, unix.SIGURG)
			}
		}
	})
	for range a.N {
		tally[connectText(0, a.Text)]++
	}
	close(stop)
	ended.Wait()
	return tally
}

// A caller is a process under the filter.
type caller struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  *json.Encoder
	in   *json.Decoder
	stop func()
}

// start runs a caller and returns the listener over its filter.
func start(t *testing.T) (*caller, *Listener) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "theirs")
	c := &caller{t: t, cmd: exec.Command("/proc/self/exe")}
	c.cmd.Args[0] = filterArg
	c.cmd.ExtraFiles, c.cmd.Stderr = []*os.File{theirs}, os.Stderr
	c.out, c.in = sandboxtest.Talk(t, c.cmd)
	_ = theirs.Close()
	c.stop = sync.OnceFunc(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	t.Cleanup(c.stop)
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[0], make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Close(pair[0])
	control, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(control) != 1 {
		t.Fatalf("the caller sent no listener: %v", err)
	}
	fds, err := unix.ParseUnixRights(&control[0])
	if err != nil {
		t.Fatal(err)
	}
	proc, err := unix.Open("/proc", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(proc) })
	l, err := New(os.NewFile(uintptr(fds[0]), "listener"), proc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return c, l
}

// do has the caller try something, and returns what came of it.
func (c *caller) do(a try) map[string]int {
	c.t.Helper()
	c.tell(a)
	return c.hear()
}

func (c *caller) tell(a try) {
	c.t.Helper()
	if err := c.out.Encode(a); err != nil {
		c.t.Fatal(err)
	}
}

func (c *caller) hear() map[string]int {
	c.t.Helper()
	var a try
	if err := c.in.Decode(&a); err != nil {
		c.t.Fatalf("%v of the caller: %v", a.Op, err)
	}
	return a.Tally
}

// serve runs Serve, and returns what it returned.
func serve(l *Listener, handle func(*Call)) <-chan error {
	done := make(chan error, 1)
	go func() { done <- l.Serve(handle) }()
	return done
}
