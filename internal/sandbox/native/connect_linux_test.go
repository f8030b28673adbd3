package native

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Rule 7, LX-8, F6: a unix socket of the host is reached by no name, one of
// the box's own by all, and one that is named by its path.
func TestConnectByName(t *testing.T) {
	for _, typ := range []struct {
		name    string
		typ     int
		network string
	}{{"stream", unix.SOCK_STREAM, "unix"}, {"seqpacket", unix.SOCK_SEQPACKET, "unixpacket"}} {
		t.Run(typ.name, func(t *testing.T) {
			dir := shortDir(t)
			host := listenOutsideAs(t, typ.network, filepath.Join(dir, "host"))
			allowed := listenOutsideAs(t, typ.network, filepath.Join(dir, "allowed"))
			b := openSmallBox(t, "", allowed.path)
			b.want("0000000000000000", deed{Op: "capabilities"})
			in := func(name string) string { return filepath.Join(dir, name) }
			for _, step := range []struct {
				name string
				want string
				do   deed
			}{
				{"its own, to begin with", "ok", deed{Op: "listen", Path: in("own")}},
				{"", "ok", deed{Op: "dial", Path: in("own")}},
				{"what it hears is its own's", "hello", deed{Op: "talk", Path: in("own")}},
				{"the host's", "EACCES", deed{Op: "dial", Path: in("host")}},
				{"the named one", "ok", deed{Op: "dial", Path: in("allowed")}},
				{"nobody", "ENOENT", deed{Op: "dial", Path: in("nobody")}},
				{"through a file", "ENOTDIR", deed{Op: "dial", Path: in("own") + "/x"}},
				{"the host's by a symlink", "ok", deed{Op: "symlink", Path: in("host"), To: in("sym")}},
				{"", "EACCES", deed{Op: "dial", Path: in("sym")}},
				{"its own by a symlink", "ok", deed{Op: "symlink", Path: in("own"), To: in("osym")}},
				{"", "ok", deed{Op: "dial", Path: in("osym")}},
				{"the host's by a hard link", "ok", deed{Op: "link", Path: in("host"), To: in("hard")}},
				{"", "EACCES", deed{Op: "dial", Path: in("hard")}},
				{"its own by a hard link", "ok", deed{Op: "link", Path: in("own"), To: in("ohard")}},
				{"", "ok", deed{Op: "dial", Path: in("ohard")}},
				{"relative names", "ok", deed{Op: "chdir", Path: dir}},
				{"", "ok", deed{Op: "dial", Path: "own"}},
				{"", "ok", deed{Op: "dial", Path: "./../" + filepath.Base(dir) + "/own"}},
				{"", "EACCES", deed{Op: "dial", Path: "host"}},
				{"", "ok", deed{Op: "dial", Path: "allowed"}},
				{"its own, bound by a relative name", "ok", deed{Op: "listen", Path: "rel"}},
				{"", "ok", deed{Op: "dial", Path: in("rel")}},
				{"its own, renamed", "ok", deed{Op: "rename", Path: in("own"), To: in("renamed")}},
				{"", "ok", deed{Op: "dial", Path: in("renamed")}},
				{"the host's, renamed to its own's old name", "ok", deed{Op: "rename", Path: in("host"), To: in("own")}},
				{"", "EACCES", deed{Op: "dial", Path: in("own")}},
				{"a link in place of the named one", "ok", deed{Op: "rename", Path: in("allowed"), To: in("a2")}},
				{"", "ok", deed{Op: "symlink", Path: in("own"), To: in("allowed")}},
				{"", "EACCES", deed{Op: "dial", Path: in("allowed")}},
				{"inherited by a child, closed here", "ok", deed{Op: "listen", Path: in("child"), N: 5}},
				{"", "ok", deed{Op: "inherit", Path: in("child")}},
				{"", "ok", deed{Op: "dial", Path: in("child")}},
				{"bound, and not listening", "ok", deed{Op: "listen", Path: in("mute"), N: -1}},
				{"", "ECONNREFUSED", deed{Op: "dial", Path: in("mute")}},
				{"its own, ended", "ok", deed{Op: "close", Path: in("mute")}},
				{"", "ECONNREFUSED", deed{Op: "dial", Path: in("mute")}},
				{"no socket", "ECONNREFUSED", deed{Op: "dial", Path: "/etc/hostname"}},
			} {
				step.do.Type = typ.typ
				if got := b.do(step.do).Got; got != step.want {
					if !(step.do.Path == "/etc/hostname" && got == "EACCES") { // an ordinary user may not write there
						t.Errorf("%s: %s %q: got %s, want %s", step.name, step.do.Op, step.do.Path, got, step.want)
					}
				}
			}
			host.untouched(t)
			until(t, "the named socket was connected to twice", func() bool { return allowed.came.Load() == 2 })
			want := []string{in("host"), in("hard"), in("own")}
			if got := b.takeRefused(); !slices.Equal(got, want) {
				t.Errorf("told: got %q, want %q", got, want)
			}
		})
	}
}

// A daemon that restarts is at the same name, and another file.
func TestNamedSocketIsLookedUpEachTime(t *testing.T) {
	dir := shortDir(t)
	path := filepath.Join(dir, "d")
	b := openSmallBox(t, "", path)
	b.want("ENOENT", deed{Op: "dial", Path: path})
	for range 2 {
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		b.want("ok", deed{Op: "dial", Path: path})
		_ = l.Close()
	}
}

// The socket that a listener of the host's accepts is made in the box's
// network namespace, with the listener's file. That makes the listener no
// socket of the box's.
func TestConnectionMakesNoSocketOwn(t *testing.T) {
	dir := shortDir(t)
	host := listenOutside(t, filepath.Join(dir, "host"))
	b := openSmallBox(t, "", host.path)
	b.want("ok", deed{Op: "hold", Path: host.path})
	until(t, "the host's socket was connected to", func() bool { return host.came.Load() == 1 })
	b.want("ok", deed{Op: "rename", Path: host.path, To: host.path + "2"}) // so that no name allows it
	b.want("EACCES", deed{Op: "dial", Path: host.path + "2"})
}

// Addresses that are none get what the kernel says to them.
func TestConnectBadAddress(t *testing.T) {
	dir := shortDir(t)
	host := listenOutside(t, filepath.Join(dir, "h"))
	b := openSmallBox(t, "")
	own := filepath.Join(dir, "own")
	b.want("ok", deed{Op: "listen", Path: own})
	inet := append([]byte{unix.AF_INET, 0}, sockaddr(host.path)[2:]...)
	long := append(sockaddr(own), make([]byte, 200)...)
	for _, tt := range []struct {
		name string
		want string
		do   deed
	}{
		{"Good", "ok", deed{Op: "dial", Path: own}},
		{"No NUL", "ok", deed{Op: "dial", Path: own, Len: len(own) + 2}},
		{"All of sun_path", "ok", deed{Op: "dial", Addr: long, Len: 110}},
		{"Beyond sun_path", "EINVAL", deed{Op: "dial", Addr: long, Len: 111}},
		{"Beyond any address", "EINVAL", deed{Op: "dial", Addr: long, Len: 129}},
		{"Negative", "EINVAL", deed{Op: "dial", Addr: long, Len: -1}},
		{"Family only", "EINVAL", deed{Op: "dial", Path: own, Len: 2}},
		{"One byte", "EINVAL", deed{Op: "dial", Path: own, Len: 1}},
		{"Another family's", "EINVAL", deed{Op: "dial", Addr: inet}},
		{"A name to an inet socket", "EAFNOSUPPORT", deed{Op: "dial", Fam: unix.AF_INET, Path: own}},
		{"Nowhere", "EFAULT", deed{Op: "unmapped"}},
		{"Not open", "EBADF", deed{Op: "badfd", N: 99, Path: own}},
		{"No socket", "ENOTSOCK", deed{Op: "file", Path: dir}},
		{"Another type", "EPROTOTYPE", deed{Op: "dial", Path: own, Type: unix.SOCK_SEQPACKET}},
	} {
		if got := b.do(tt.do).Got; got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	host.untouched(t)
}

// The box's network is its own: abstract names, the loopback, netlink.
func TestConnectInTheBoxsNetwork(t *testing.T) {
	name := "@seisin-test-" + filepath.Base(shortDir(t))
	abstract := listenOutside(t, name)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tcp.Close() }()
	b := openSmallBox(t, "")
	addr := sockaddr(strings.Replace(name, "@", "\x00", 1))
	addr = addr[:len(addr)-1]
	b.want("ECONNREFUSED", deed{Op: "dial", Addr: addr})
	b.want("ok", deed{Op: "listen", Path: name})
	b.want("hello", deed{Op: "talk", Addr: addr})
	abstract.untouched(t)
	b.want("ECONNREFUSED", deed{Op: "dial", Fam: unix.AF_INET, Addr: inetAddr(tcp.Addr().(*net.TCPAddr).Port)})
	b.want("ok EINPROGRESS+ok ECONNREFUSED", deed{Op: "loopback"})
	b.want("ok ok ok ENOTCONN", deed{Op: "datagram", Fam: unix.AF_INET, Addr: inetAddr(9)})
	netlink := make([]byte, 12)
	netlink[0] = unix.AF_NETLINK
	b.want("ok", deed{Op: "dial", Fam: unix.AF_NETLINK, Type: unix.SOCK_RAW, Addr: netlink})
	netlink[8] = 1 // a group: that takes CAP_NET_ADMIN, which the keeper has
	b.want("EPERM", deed{Op: "dial", Fam: unix.AF_NETLINK, Type: unix.SOCK_RAW, Addr: netlink})
}

// F12: the answer to a call that the kernel restarts is the answer it had.
func TestConnectIsIdempotent(t *testing.T) {
	dir := shortDir(t)
	a, c := filepath.Join(dir, "a"), filepath.Join(dir, "c")
	b := openSmallBox(t, "")
	b.want("ok", deed{Op: "listen", Path: a})
	b.want("ok", deed{Op: "listen", Path: c})
	b.want("ok ok", deed{Op: "twice", Path: a, To: a})
	b.want("ok EISCONN", deed{Op: "twice", Path: a, To: c})
	for _, every := range []time.Duration{300 * time.Microsecond, 3 * time.Millisecond} {
		b.want("map[ok:200]", deed{Op: "signals", Path: a, N: 200, Every: every})
	}
}

// A socket that does not block is told so, and its flag is left alone.
func TestConnectWithoutBlocking(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	b := openSmallBox(t, "")
	b.want("ok", deed{Op: "listen", Path: path, N: 1})
	b.want("ok", deed{Op: "hold", Path: path})
	b.want("EAGAIN", deed{Op: "dial", Path: path, Type: unix.SOCK_STREAM | unix.SOCK_NONBLOCK})
}

// F6: another thread rewrites the address, a third one speaks on the socket.
// The host's socket never sees a byte.
func TestConnectRace(t *testing.T) {
	tries := 1000
	if os.Getenv("SEISIN_FULL") != "" {
		tries = 10_000
	}
	dir := shortDir(t)
	host := listenOutside(t, filepath.Join(dir, "host"))
	own := filepath.Join(dir, "inns")
	b := openSmallBox(t, "")
	b.want("ok", deed{Op: "listen", Path: own})
	got := b.do(deed{Op: "race", Path: own, To: host.path, N: tries}).Got
	if !strings.Contains(got, "ok:") || !strings.Contains(got, "EACCES:") {
		t.Errorf("got %s, want some of each: ok, EACCES", got)
	}
	host.untouched(t)
}

// F20: connects that never end, of callers that are killed, leave nothing in
// the keeper.
func TestConnectLeavesNothing(t *testing.T) {
	rounds := 6
	if os.Getenv("SEISIN_FULL") != "" {
		rounds = 10_000 / 60
	}
	path := filepath.Join(shortDir(t), "s")
	b := openSmallBox(t, "")
	b.want("ok", deed{Op: "listen", Path: path, N: 1})
	b.want("ok", deed{Op: "hold", Path: path}) // the one that the backlog takes
	b.want("ok", deed{Op: "killed", Path: path, N: 1})
	var before told
	until(t, "the first are gone", func() bool { before = b.ask('?'); return before.Threads < 30 })
	b.want("ok", deed{Op: "killed", Path: path, N: rounds})
	var after told
	until(t, "all are gone", func() bool {
		after = b.ask('?')
		return after.Goroutines <= before.Goroutines && after.Threads <= before.Threads+4 && after.Fds <= before.Fds
	})
	b.want("EAGAIN", deed{Op: "dial", Path: path, Type: unix.SOCK_STREAM | unix.SOCK_NONBLOCK}) // and it still answers
}

// A kernel without unix_diag cannot tell what is the box's own: that is
// refused, and said once.
func TestConnectWithoutUnixDiag(t *testing.T) {
	dir := shortDir(t)
	named := listenOutside(t, filepath.Join(dir, "named"))
	b := openSmallBox(t, "", named.path)
	own := filepath.Join(dir, "own")
	b.want("ok", deed{Op: "listen", Path: own})
	b.want("ok", deed{Op: "dial", Path: own})
	b.ask('u')
	b.want("EACCES", deed{Op: "dial", Path: own})
	b.want("EACCES", deed{Op: "dial", Path: own})
	b.want("ok", deed{Op: "dial", Path: named.path})
	b.ask('?')
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.unknown) != 1 || !strings.Contains(b.unknown[0], "unix_diag") {
		t.Errorf("told: got %q, want unix_diag, once", b.unknown)
	}
}

// F12: the end of the keeper's listener ends every wait.
func TestConnectAfterTheListener(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	b := openSmallBox(t, "")
	b.want("ok", deed{Op: "listen", Path: path, N: 1})
	b.want("ok", deed{Op: "hold", Path: path})
	got := make(chan string, 1)
	go func() { got <- b.do(deed{Op: "dial", Path: path}).Got }()
	select {
	case answer := <-got:
		t.Fatalf("a connect to a full backlog: got %s, want it to wait", answer)
	case <-time.After(100 * time.Millisecond):
	}
	b.ask('c')
	if answer := <-got; answer != "ENOSYS" {
		t.Errorf("got %s, want ENOSYS", answer)
	}
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 10 s not yet: %s", what)
		}
	}
}
