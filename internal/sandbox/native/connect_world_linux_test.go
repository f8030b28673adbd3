package native

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/notify"
	"seisin/internal/sandbox/sandboxtest"
)

// The parts of a small box, which has of a box what connect(2) meets: the
// namespaces, a keeper outside of the pid namespace, and a caller without
// capabilities under a filter. Each is this test binary again.
const (
	smallKeeperArg = "connect-keeper"
	smallFilterArg = "connect-filter"
	smallCallerArg = "connect-caller"
)

func init() {
	switch os.Args[0] {
	case smallKeeperArg:
		smallKeeper(os.Args[1], os.Args[2:])
	case smallFilterArg:
		smallFilter()
	case smallCallerArg:
		smallCaller()
	default:
		return
	}
	syscall.Exit(0)
}

func mustWork(err error) {
	if err != nil {
		println(os.Args[0], err.Error())
		syscall.Exit(99)
	}
}

// told is what the keeper says to the test: a refused path, or that it knows
// no sockets, or what it holds.
type told struct {
	Refused    string
	Unknown    string
	Closed     bool
	Goroutines int
	Threads    int
	Fds        int
}

// smallKeeper serves one caller. Over cover it mounts a file system of the
// box's own.
func smallKeeper(cover string, named []string) {
	mustWork(undumpable())
	mustWork(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	if cover != "" {
		mustWork(unix.Mount("tmpfs", cover, "tmpfs", 0, "mode=0755"))
	}
	mustWork(unix.Chdir("/proc"))
	mustWork(raiseLoopback())
	test := os.NewFile(3, "test")
	say := json.NewEncoder(test)
	var mu sync.Mutex
	tell := func(t told) {
		mu.Lock()
		defer mu.Unlock()
		_ = say.Encode(t)
	}
	c, err := newConnector(named,
		func(path string) { tell(told{Refused: path}) },
		func(err error) { tell(told{Unknown: err.Error()}) })
	mustWork(err)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	mustWork(err)
	theirs := os.NewFile(uintptr(pair[1]), "theirs")
	cmd := exec.Command("/proc/self/exe")
	cmd.Args[0], cmd.Dir = smallFilterArg, "/"
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdin, os.Stdout, os.Stderr, []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWPID,
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP},
	}
	mustWork(cmd.Start())
	mustWork(theirs.Close())
	mustWork(os.Stdin.Close())
	mustWork(os.Stdout.Close())
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[0], make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
	mustWork(err)
	control, err := unix.ParseSocketControlMessage(oob[:n])
	mustWork(err)
	fds, err := unix.ParseUnixRights(&control[0])
	mustWork(err)
	l, err := notify.New(os.NewFile(uintptr(fds[0]), "listener"), unix.AT_FDCWD)
	mustWork(err)
	go func() {
		b := make([]byte, 1)
		for {
			if _, err := test.Read(b); err != nil {
				syscall.Exit(1) // the test is gone
			}
			switch b[0] {
			case 'u':
				c.own.mu.Lock()
				mustWork(unix.Close(c.own.fd))
				c.own.fd = -1 // as where the module is missing
				c.own.mu.Unlock()
			case 'c':
				mustWork(l.Close())
				tell(told{Closed: true})
			}
			tell(told{Goroutines: runtime.NumGoroutine(), Threads: count("self/task"), Fds: count("self/fd")})
		}
	}()
	_ = l.Serve(c.answer)
	_ = cmd.Wait()
}

func count(dir string) int {
	list, err := os.ReadDir(dir)
	mustWork(err)
	return len(list)
}

// smallFilter mounts the box's /proc, has connect(2) notified, and gives up
// all capabilities.
func smallFilter() {
	runtime.LockOSThread()
	mustWork(mountProc())
	mustWork(noNewPrivileges())
	prog := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_CONNECT},
		{Code: unix.BPF_RET, K: unix.SECCOMP_RET_USER_NOTIF},
		{Code: unix.BPF_RET, K: unix.SECCOMP_RET_ALLOW},
	}
	p := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, uintptr(unsafe.Pointer(&p)))
	mustWork(errnoError("seccomp", errno))
	mustWork(unix.Sendmsg(3, []byte{0}, unix.UnixRights(int(fd)), nil, 0))
	mustWork(closeFrom(3))
	mustWork(dropBoundingSet())
	mustWork(dropCapabilities())
	mustWork(syscall.Exec("/proc/self/exe", []string{smallCallerArg}, os.Environ()))
}

// smallBox is a small box, seen from the test.
type smallBox struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  *json.Encoder
	in   *json.Decoder
	wire net.Conn

	mu      sync.Mutex
	refused []string
	unknown []string
	counts  chan told
}

func openSmallBox(t *testing.T, cover string, named ...string) *smallBox {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	b := &smallBox{t: t, counts: make(chan told, 8)}
	if b.wire, err = net.FileConn(ours); err != nil {
		t.Fatal(err)
	}
	_ = ours.Close()
	b.cmd = exec.Command("/proc/self/exe", append([]string{cover}, named...)...)
	b.cmd.Args[0] = smallKeeperArg
	b.cmd.Stderr, b.cmd.ExtraFiles = os.Stderr, []*os.File{theirs}
	b.cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}},
		// What a keeper has, of which the caller must have no use.
		AmbientCaps: []uintptr{
			unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP,
			unix.CAP_DAC_READ_SEARCH, unix.CAP_SYS_PTRACE,
		},
	}
	b.out, b.in = sandboxtest.Talk(t, b.cmd)
	_ = theirs.Close()
	heard := make(chan struct{})
	go b.hear(heard)
	t.Cleanup(func() {
		_ = b.cmd.Process.Kill() // the kernel kills the box's pid 1 with its parent's end of stdin
		_ = b.cmd.Wait()
		_ = b.wire.Close()
		<-heard
	})
	return b
}

func (b *smallBox) hear(done chan<- struct{}) {
	defer close(done)
	for in := json.NewDecoder(b.wire); ; {
		var t told
		if in.Decode(&t) != nil {
			return
		}
		b.mu.Lock()
		switch {
		case t.Refused != "":
			b.refused = append(b.refused, t.Refused)
		case t.Unknown != "":
			b.unknown = append(b.unknown, t.Unknown)
		case !t.Closed:
			b.counts <- t
		}
		b.mu.Unlock()
	}
}

// ask has the keeper do something, and returns what it holds after that. All
// that it told before has been heard then.
func (b *smallBox) ask(what byte) told {
	b.t.Helper()
	if _, err := b.wire.Write([]byte{what}); err != nil {
		b.t.Fatal(err)
	}
	select {
	case t := <-b.counts:
		return t
	case <-time.After(10 * time.Second):
		b.t.Fatal("the keeper does not answer")
		return told{}
	}
}

// takeRefused returns what was told since the last time.
func (b *smallBox) takeRefused() []string {
	b.t.Helper()
	b.ask('?')
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.refused
	b.refused = nil
	return list
}

// do has the caller do something, and returns what came of it.
func (b *smallBox) do(d deed) deed {
	b.t.Helper()
	if err := b.out.Encode(d); err != nil {
		b.t.Fatal(err)
	}
	var got deed
	if err := b.in.Decode(&got); err != nil {
		b.t.Fatalf("%s: the caller: %v", d.Op, err)
	}
	return got
}

// want does it and compares the answer.
func (b *smallBox) want(want string, d deed) {
	b.t.Helper()
	if got := b.do(d).Got; got != want {
		b.t.Errorf("%s %q: got %s, want %s", d.Op, d.Path, got, want)
	}
}

// hostSocket is a listener outside that counts who comes and what is said.
type hostSocket struct {
	path  string
	came  atomic.Int64
	bytes atomic.Int64
}

func listenOutside(t *testing.T, path string) *hostSocket {
	t.Helper()
	return listenOutsideAs(t, "unix", path)
}

func listenOutsideAs(t *testing.T, network, path string) *hostSocket {
	t.Helper()
	l, err := net.Listen(network, path)
	if err != nil {
		t.Fatal(err)
	}
	h := &hostSocket{path: path}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			h.came.Add(1)
			go func() {
				n, _ := io.Copy(io.Discard, conn)
				h.bytes.Add(n)
				_ = conn.Close()
			}()
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return h
}

// untouched fails the test if somebody came.
func (h *hostSocket) untouched(t *testing.T) {
	t.Helper()
	time.Sleep(20 * time.Millisecond) // Accept is another goroutine's
	if n := h.came.Load(); n != 0 {
		t.Errorf("%q outside was connected to %d times, and got %d bytes", h.path, n, h.bytes.Load())
	}
}

// shortDir is a directory whose sockets have short names.
func shortDir(t *testing.T) string {
	t.Helper()
	return sandboxtest.Home(t)
}

// sockaddr is the address of a socket with a name.
func sockaddr(name string) []byte {
	return append(append(binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX), name...), 0)
}

func errnoText(err error) string {
	if err == nil {
		return "ok"
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	switch {
	case !ok:
		return err.Error()
	case errno == 0:
		return "ok"
	}
	return unix.ErrnoName(errno)
}

// smallCaller does what it reads, one deed a line.
func smallCaller() {
	runtime.LockOSThread()
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var d deed
		if in.Decode(&d) != nil {
			return
		}
		do, ok := deeds[d.Op]
		if !ok {
			mustWork(errors.New("no such deed: " + d.Op))
		}
		d.Got = do(&d)
		mustWork(out.Encode(d))
	}
}
