package native

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A deed is what a caller is told to do, and what came of it: "ok", an errno,
// or a count of each.
type deed struct {
	Op    string
	Path  string
	To    string
	Type  int    // of a socket; 0 is a stream
	Fam   int    // its family; 0 is unix
	Addr  []byte // instead of Path
	Len   int    // of the address, where it is not its own
	N     int
	Every time.Duration
	Got   string
}

func (d *deed) socket() (int, error) {
	fam, typ := d.Fam, d.Type
	if fam == 0 {
		fam = unix.AF_UNIX
	}
	if typ == 0 {
		typ = unix.SOCK_STREAM
	}
	return unix.Socket(fam, typ|unix.SOCK_CLOEXEC, 0)
}

func (d *deed) addr() []byte {
	if d.Addr != nil {
		return d.Addr
	}
	return sockaddr(d.Path)
}

// rawConnect is connect(2) and nothing else.
func rawConnect(fd int, addr []byte, n int) error {
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(addr))), uintptr(n))
	if errno != 0 {
		return errno
	}
	return nil
}

// listening are the caller's listeners by the name they were made with.
var listening = map[string]int{}

var deeds = map[string]func(*deed) string{
	"capabilities": func(*deed) string {
		b, err := os.ReadFile("/proc/self/status")
		mustWork(err)
		for line := range strings.Lines(string(b)) {
			if eff, ok := strings.CutPrefix(line, "CapEff:"); ok {
				return strings.TrimSpace(eff)
			}
		}
		return "?"
	},
	"chdir":   func(d *deed) string { return errnoText(unix.Chdir(d.Path)) },
	"mkdir":   func(d *deed) string { return errnoText(unix.Mkdir(d.Path, 0o755)) },
	"rename":  func(d *deed) string { return errnoText(unix.Rename(d.Path, d.To)) },
	"link":    func(d *deed) string { return errnoText(unix.Link(d.Path, d.To)) },
	"symlink": func(d *deed) string { return errnoText(unix.Symlink(d.Path, d.To)) },
	"chmod":   func(d *deed) string { return errnoText(unix.Chmod(d.Path, uint32(d.N))) },
	"stat":    func(d *deed) string { var st unix.Stat_t; return errnoText(unix.Stat(d.Path, &st)) },
	"opened": func(d *deed) string {
		fd, err := unix.Open(d.Path, unix.O_PATH|unix.O_CLOEXEC, 0)
		mustWork(err)
		return fmt.Sprint(fd)
	},
	"hide":     func(*deed) string { return errnoText(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)) },
	"listen":   listenInside,
	"close":    func(d *deed) string { return errnoText(unix.Close(listening[d.Path])) },
	"dial":     dial,
	"hold":     hold,
	"talk":     talk,
	"twice":    twice,
	"unmapped": func(d *deed) string { fd, err := d.socket(); mustWork(err); return badAddress(fd) },
	"badfd":    func(d *deed) string { return errnoText(rawConnect(d.N, d.addr(), len(d.addr()))) },
	"file": func(d *deed) string {
		fd, err := unix.Open(d.Path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		mustWork(err)
		defer func() { _ = unix.Close(fd) }()
		return errnoText(rawConnect(fd, d.addr(), len(d.addr())))
	},
	"inherit":  inherit,
	"race":     race,
	"signals":  signalled,
	"datagram": datagram,
	"killed":   killed,
	"blocked":  blocked,
	"loopback": loopback,
}

// listenInside binds a socket, and listens with a backlog of N, if N is not
// negative; 0 has what comes accepted and answered.
func listenInside(d *deed) string {
	fd, err := d.socket()
	mustWork(err)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: d.Path}); err != nil {
		return errnoText(err)
	}
	listening[d.Path] = fd
	if d.N < 0 {
		return "ok"
	}
	if err := unix.Listen(fd, max(d.N-1, 0)+100*b2i(d.N == 0)); err != nil {
		return errnoText(err)
	}
	if d.N == 0 {
		go func() {
			for {
				conn, _, err := unix.Accept(fd)
				if err != nil {
					if errors.Is(err, unix.EINTR) {
						continue
					}
					return
				}
				_, _ = unix.Write(conn, []byte("hello"))
				_ = unix.Close(conn)
			}
		}()
	}
	return "ok"
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func dial(d *deed) string {
	fd, err := d.socket()
	mustWork(err)
	defer func() { _ = unix.Close(fd) }()
	n := len(d.addr())
	if d.Len != 0 {
		n = d.Len
	}
	return errnoText(rawConnect(fd, d.addr(), n))
}

// hold dials and does not close.
func hold(d *deed) string {
	fd, err := d.socket()
	mustWork(err)
	return errnoText(rawConnect(fd, d.addr(), len(d.addr())))
}

// talk dials and hears what the other side says.
func talk(d *deed) string {
	fd, err := d.socket()
	mustWork(err)
	defer func() { _ = unix.Close(fd) }()
	if err := rawConnect(fd, d.addr(), len(d.addr())); err != nil {
		return errnoText(err)
	}
	b := make([]byte, 16)
	n, err := unix.Read(fd, b)
	if err != nil {
		return errnoText(err)
	}
	return string(b[:n])
}

// twice connects one socket to Path, and once more to To.
func twice(d *deed) string {
	fd, err := d.socket()
	mustWork(err)
	defer func() { _ = unix.Close(fd) }()
	first := errnoText(rawConnect(fd, sockaddr(d.Path), len(sockaddr(d.Path))))
	return first + " " + errnoText(rawConnect(fd, sockaddr(d.To), len(sockaddr(d.To))))
}

func badAddress(fd int) string {
	defer func() { _ = unix.Close(fd) }()
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), 8, 16)
	return errnoText(errno)
}

// inherit gives a listener to a child process and closes it here.
func inherit(d *deed) string {
	fd := listening[d.Path]
	cmd := exec.Command("/bin/sleep", "100")
	cmd.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "listener")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	mustWork(cmd.Start())
	mustWork(cmd.ExtraFiles[0].Close())
	return "ok"
}

// race connects N times, while another thread rewrites the address between
// Path and To, and a third one speaks on the socket.
func race(d *deed) string {
	own, host := sockaddr(d.Path), sockaddr(d.To)
	n := max(len(own), len(host))
	own, host = append(own, make([]byte, n-len(own))...), append(host, make([]byte, n-len(host))...)
	mem, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	mustWork(err)
	addr := unsafe.Pointer(unsafe.SliceData(mem))
	var stop atomic.Bool
	var socket atomic.Int64
	socket.Store(-1)
	var others sync.WaitGroup
	others.Go(func() {
		// Written as words, so that an address is hardly ever half of each.
		for !stop.Load() {
			for range 50 {
				copy(mem, host)
				copy(mem, own)
			}
			runtime.Gosched()
		}
	})
	others.Go(func() {
		for !stop.Load() {
			if fd := socket.Load(); fd >= 0 {
				_ = unix.Send(int(fd), []byte("PAYLOAD"), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
			}
			runtime.Gosched()
		}
	})
	tally := map[string]int{}
	for range d.N {
		fd, err := d.socket()
		mustWork(err)
		socket.Store(int64(fd))
		_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(addr), uintptr(n))
		socket.Store(-1)
		tally[errnoText(errno)]++
		_ = unix.Close(fd)
	}
	stop.Store(true)
	others.Wait()
	return fmt.Sprint(tally)
}

// signalled connects N times, while this thread gets a signal whose handler
// has SA_RESTART.
func signalled(d *deed) string {
	tid, stop := unix.Gettid(), make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		for tick := time.NewTicker(d.Every); ; {
			select {
			case <-stop:
				return
			case <-tick.C:
				_ = unix.Tgkill(unix.Getpid(), tid, unix.SIGURG)
			}
		}
	})
	tally := map[string]int{}
	for range d.N {
		tally[dial(d)]++
	}
	close(stop)
	ended.Wait()
	return fmt.Sprint(tally)
}

// datagram connects a datagram socket of the loopback, and takes it back.
func datagram(d *deed) string {
	fd, err := unix.Socket(d.Fam, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	mustWork(err)
	defer func() { _ = unix.Close(fd) }()
	first := errnoText(rawConnect(fd, d.Addr, len(d.Addr)))
	_, err = unix.Getpeername(fd)
	first += " " + errnoText(err)
	first += " " + errnoText(rawConnect(fd, make([]byte, 16), 16)) // AF_UNSPEC
	_, err = unix.Getpeername(fd)
	return first + " " + errnoText(err)
}

// killed has N processes started, each of which blocks in 60 connects to Path
// and kills itself.
func killed(d *deed) string {
	for range d.N {
		cmd := exec.Command("/proc/self/exe")
		cmd.Args[0] = smallCallerArg
		in, err := cmd.StdinPipe()
		mustWork(err)
		mustWork(cmd.Start())
		_, err = fmt.Fprintf(in, "{\"Op\":\"blocked\",\"Path\":%q,\"N\":60}\n", d.Path)
		mustWork(err)
		_ = cmd.Wait()
	}
	return "ok"
}

func blocked(d *deed) string {
	var begun sync.WaitGroup
	for range d.N {
		begun.Add(1)
		go func() {
			begun.Done()
			dial(d)
		}()
	}
	begun.Wait()
	time.Sleep(20 * time.Millisecond)
	_ = unix.Kill(unix.Getpid(), unix.SIGKILL)
	return ""
}

// loopback listens on the box's 127.0.0.1 and connects there, blocking and
// not, and to a port where nobody is.
func loopback(*deed) string {
	ls, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	mustWork(err)
	defer func() { _ = unix.Close(ls) }()
	mustWork(unix.Bind(ls, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	mustWork(unix.Listen(ls, 8))
	sa, err := unix.Getsockname(ls)
	mustWork(err)
	to := func(port int, flags int) string {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|flags, 0)
		mustWork(err)
		defer func() { _ = unix.Close(fd) }()
		addr := inetAddr(port)
		got := errnoText(rawConnect(fd, addr, len(addr)))
		if got == "EINPROGRESS" {
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 1000)
			n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
			mustWork(err)
			got += "+" + errnoText(syscall.Errno(n))
		}
		return got
	}
	port := sa.(*unix.SockaddrInet4).Port
	return strings.Join([]string{to(port, 0), to(port, unix.SOCK_NONBLOCK), to(1, 0)}, " ")
}

// inetAddr is 127.0.0.1 with a port.
func inetAddr(port int) []byte {
	return []byte{unix.AF_INET, 0, byte(port >> 8), byte(port), 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}
}
