package notify

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func one(what string) map[string]int { return map[string]int{what: 1} }

func check(t *testing.T, what string, got, want map[string]int) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestAnswer(t *testing.T) {
	c, l := start(t)
	answers := make(chan func(*Call), 1)
	serve(l, func(call *Call) { (<-answers)(call) })
	for _, tt := range []struct {
		name   string
		answer func(*Call)
		want   string
	}{
		{"Errno", func(call *Call) { _ = call.Answer(0, unix.EHOSTDOWN) }, "EHOSTDOWN"},
		{"Zero", func(call *Call) { _ = call.Answer(0, 0) }, "ok"},
		{"Value", func(call *Call) { _ = call.Answer(42, 0) }, "value"},
		{"A handler that forgets", func(*Call) {}, "ENOSYS"},
	} {
		answers <- tt.answer
		check(t, tt.name, c.do(try{Op: "connect"}), one(tt.want))
	}
}

func TestCall(t *testing.T) {
	c, l := start(t)
	got := make(chan *Call, 1)
	serve(l, func(call *Call) {
		got <- call
		_ = call.Answer(0, 0)
	})
	c.do(try{Op: "connect", Fd: 7, Text: "1234"})
	call := <-got
	if call.Thread != c.cmd.Process.Pid || call.Number != unix.SYS_CONNECT || call.Arch == 0 || call.Args[0] != 7 || call.Args[2] != 5 {
		t.Errorf("got thread %d, number %d, args %v, want thread %d, number %d, descriptor 7, length 5",
			call.Thread, call.Number, call.Args, c.cmd.Process.Pid, unix.SYS_CONNECT)
	}
}

// The text ends where the caller's memory ends.
func TestMemory(t *testing.T) {
	long := strings.Repeat("x", os.Getpagesize()+100)
	for _, tt := range []struct {
		name string
		text string
		read func(*Call) (string, error)
		want string
		err  error
	}{
		{"A string", "hello", func(c *Call) (string, error) { return c.String(c.Args[1], 100) }, "hello", nil},
		{"A string over two pages", long, func(c *Call) (string, error) { return c.String(c.Args[1], 1<<20) }, long, nil},
		{"No room", "hello", func(c *Call) (string, error) { return c.String(c.Args[1], 5) }, "", unix.ENAMETOOLONG},
		{"No end", "hello", func(c *Call) (string, error) { return c.String(c.Args[1]+6, 5) }, "", unix.EFAULT},
		{"Bytes", "hello", func(c *Call) (string, error) { b, err := c.Bytes(c.Args[1], 4); return string(b), err }, "hell", nil},
		{"Bytes beyond", "hello", func(c *Call) (string, error) { b, err := c.Bytes(c.Args[1], 7); return string(b), err }, "", unix.EFAULT},
		{"No bytes", "hello", func(c *Call) (string, error) { b, err := c.Bytes(8, 0); return string(b), err }, "", nil},
		{"Nowhere", "hello", func(c *Call) (string, error) { return c.String(8, 5) }, "", unix.EFAULT},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, l := start(t)
			done := make(chan struct{})
			serve(l, func(call *Call) {
				defer close(done)
				if got, err := tt.read(call); got != tt.want || !errors.Is(err, tt.err) {
					t.Errorf("got %q, %v, want %q, %v", got, err, tt.want, tt.err)
				}
				_ = call.Answer(0, 0)
			})
			c.do(try{Op: "connect", Text: tt.text})
			<-done
		})
	}
}

// What is taken from a thread that does not wait any more may be another's.
func TestTakenAfterTheAnswerIsNothing(t *testing.T) {
	c, l := start(t)
	var errs []error // read after Close, which waits for the handlers
	serve(l, func(call *Call) {
		_ = call.Answer(0, 0)
		_, err := call.Bytes(call.Args[1], 1)
		errs = append(errs, err)
		for _, take := range []func() (int, error){call.Cwd, call.Root, func() (int, error) { return call.Fd(0) }} {
			_, err := take()
			errs = append(errs, err)
		}
	})
	c.do(try{Op: "connect", Text: "x"})
	c.stop()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for i, err := range errs {
		if !errors.Is(err, unix.ESRCH) {
			t.Errorf("%d: got %v, want ESRCH", i, err)
		}
	}
}

func TestPlaces(t *testing.T) {
	c, l := start(t)
	dir := t.TempDir()
	same := func(fd int, err error, name string) bool {
		if err != nil {
			t.Error(err)
			return false
		}
		defer func() { _ = unix.Close(fd) }()
		var a, b unix.Stat_t
		return unix.Fstat(fd, &a) == nil && unix.Stat(name, &b) == nil && a.Dev == b.Dev && a.Ino == b.Ino
	}
	serve(l, func(call *Call) {
		if fd, err := call.Cwd(); !same(fd, err, dir) {
			t.Errorf("the working directory is not %q", dir)
		}
		if fd, err := call.Root(); !same(fd, err, "/") {
			t.Errorf("the root is not /")
		}
		_ = call.Answer(0, 0)
	})
	c.do(try{Op: "chdir", Text: dir})
	c.do(try{Op: "connect"})
}

// F12: a number is a file of the thread's table, not of its leader's. Where
// the kernel takes descriptors through the leader only, another table is
// refused.
func TestFdOfTheThread(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		leader bool
		try    try
		want   string
	}{
		{"Own", false, try{Op: "connect", Fd: 0}, "pipe"},
		{"Own table", false, try{Op: "otherfiles", Text: other}, "other"},
		{"Not open", false, try{Op: "connect", Fd: 99}, "EBADF"},
		{"Leader", true, try{Op: "connect", Fd: 0}, "pipe"},
		{"A thread, through the leader", true, try{Op: "many", N: 1, Fd: 0}, "pipe"},
		{"Own table, through the leader", true, try{Op: "otherfiles", Text: other}, "EACCES"},
		{"Not open, through the leader", true, try{Op: "connect", Fd: 99}, "EBADF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, l := start(t)
			l.leaderOnly = tt.leader
			got := make(chan string, 1)
			serve(l, func(call *Call) {
				defer func() { _ = call.Answer(0, 0) }()
				fd, err := call.Fd(int(int32(call.Args[0])))
				if err != nil {
					errno, _ := errors.AsType[syscall.Errno](err)
					got <- unix.ErrnoName(errno)
					return
				}
				defer func() { _ = unix.Close(fd) }()
				to, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
				if to == other {
					got <- "other"
					return
				}
				got <- "pipe"
			})
			c.do(tt.try)
			if got := <-got; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// F12: with WAIT_KILLABLE_RECV no signal takes a call back that was received.
// What the kernel may restart all the same (before 6.18) is a call that was
// answered: connect's handler is to answer it the same way again.
func TestSignals(t *testing.T) {
	for _, every := range []time.Duration{300 * time.Microsecond, 3 * time.Millisecond} {
		c, l := start(t)
		serve(l, func(call *Call) {
			time.Sleep(time.Millisecond)
			_ = call.Answer(0, 0)
		})
		check(t, every.String(), c.do(try{Op: "signals", N: 200, Every: every}), map[string]int{"ok": 200})
	}
}

// block waits until it is interrupted, in a system call that nothing else
// ends.
func block(call *Call) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		panic(err)
	}
	defer func() { _, _ = unix.Close(p[0]), unix.Close(p[1]) }()
	for {
		_, err := unix.Read(p[0], make([]byte, 1))
		if why := call.Interrupted(); errors.Is(err, unix.EINTR) && why != 0 {
			_ = call.Answer(0, why)
			return
		}
	}
}

// A process that is gone ends Serve, and what its calls were blocked in.
func TestServeEndsWithTheCallers(t *testing.T) {
	c, l := start(t)
	var running atomic.Int64
	done := serve(l, func(call *Call) {
		running.Add(1)
		block(call)
		running.Add(-1)
	})
	c.tell(try{Op: "many", N: 20})
	until(t, "20 calls are handled", func() bool { return running.Load() == 20 })
	c.stop()
	if err := <-done; err != nil {
		t.Errorf("Serve: got %v, want nil", err)
	}
	if n := running.Load(); n != 0 {
		t.Errorf("%d handlers are left", n)
	}
	if err := l.Serve(block); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Serve once more: got %v, want ErrClosed", err)
	}
}

// F12: whoever waits when the listener is closed gets ENOSYS, and nothing
// hangs.
func TestClose(t *testing.T) {
	c, l := start(t)
	var running atomic.Int64
	done := serve(l, func(call *Call) {
		running.Add(1)
		block(call)
	})
	c.tell(try{Op: "many", N: 10})
	until(t, "10 calls are handled", func() bool { return running.Load() == 10 })
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, os.ErrClosed) {
		t.Errorf("Serve: got %v, want ErrClosed", err)
	}
	check(t, "those that waited", c.hear(), map[string]int{"ENOSYS": 10})
	check(t, "later", c.do(try{Op: "connect"}), one("ENOSYS"))
	if err := l.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Close once more: got %v, want ErrClosed", err)
	}
}

// F20: 64 calls may wait. What comes then is tried, and given up with EAGAIN:
// the box is not locked out of what it waits for.
func TestAtMost64Wait(t *testing.T) {
	c, l := start(t)
	release := make(chan struct{})
	letGo := sync.OnceFunc(func() { close(release) })
	t.Cleanup(letGo) // before the listener is closed, which waits for them
	var blocked atomic.Int64
	serve(l, func(call *Call) {
		text, _ := call.String(call.Args[1], 10)
		if text == "quick" {
			_ = call.Answer(0, 0)
			return
		}
		call.mu.Lock()
		crowded := !call.deadline.IsZero()
		call.mu.Unlock()
		blocked.Add(1)
		if crowded { // one more that waited without end would leave nobody to receive
			block(call)
			return
		}
		<-release
		_ = call.Answer(0, 0)
	})
	c.tell(try{Op: "many", N: MaxBlocking + 3, Text: "wait"})
	until(t, "all are received", func() bool { return blocked.Load() >= MaxBlocking+3 })
	letGo()
	check(t, "67 that wait", c.hear(), map[string]int{"ok": MaxBlocking, "EAGAIN": 3})
	check(t, "one more", c.do(try{Op: "connect", Text: "quick"}), one("ok"))
}

// A program that handles a signal shall get it, although the kernel holds
// back all that do not kill.
func TestHandledSignalInterrupts(t *testing.T) {
	c, l := start(t)
	serve(l, block)
	check(t, "a blocked call", c.do(try{Op: "signals", N: 1, Every: 10 * time.Millisecond}), one("EINTR"))
}

// F20: calls that wait for ever, of callers that are killed, leave nothing.
func TestKilledCallersLeaveNothing(t *testing.T) {
	rounds := 8
	if os.Getenv("SEISIN_FULL") != "" {
		rounds = 10_000*4/3/MaxBlocking + 1 // some are killed before they call
	}
	c, l := start(t)
	var running, total atomic.Int64
	serve(l, func(call *Call) {
		running.Add(1)
		total.Add(1)
		block(call)
		running.Add(-1)
	})
	c.do(try{Op: "flood"})
	none := func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return running.Load() == 0 && len(l.threads) == l.idle && l.idle <= keepIdle
	}
	until(t, "the first flood is gone", none)
	goroutines, threads, fds := runtime.NumGoroutine(), entries(t, "task"), entries(t, "fd")
	for range rounds {
		c.do(try{Op: "flood"})
	}
	until(t, "the last flood is gone", none)
	if got, want := total.Load(), int64(rounds*MaxBlocking*3/4); got < want {
		t.Errorf("got %d calls, want at least %d", got, want)
	}
	// The runtime keeps threads of its own, more of them on a busy machine.
	const ofTheRuntime = 16
	for what, n := range map[string]struct {
		now  func() int
		most int
	}{
		"goroutines":  {runtime.NumGoroutine, goroutines},
		"threads":     {func() int { return entries(t, "task") }, threads + ofTheRuntime},
		"descriptors": {func() int { return entries(t, "fd") }, fds},
	} {
		until(t, fmt.Sprintf("%d %s at most", n.most, what), func() bool { return n.now() <= n.most })
	}
}

func entries(t *testing.T, name string) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 10 s not yet: %s", what)
		}
	}
}
