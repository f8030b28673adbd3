package native_test

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/sandboxtest"
)

// sendDatagram sends a word to the socket at Path, by the call that Text says,
// from a socket of type N, or from one end of a pair where To is "pair". No
// connect is needed for it.
func sendDatagram(a act, _ *outcome) error {
	s, err := unix.Socket(unix.AF_UNIX, a.N, 0)
	if a.To == "pair" {
		var pair [2]int
		pair, err = unix.Socketpair(unix.AF_UNIX, a.N, 0)
		s = pair[0]
		if err == nil {
			defer func() { _ = unix.Close(pair[1]) }()
		}
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(s) }()
	word, to := []byte("from the box"), &unix.SockaddrUnix{Name: a.Path}
	switch a.Text {
	case "sendto":
		return unix.Sendto(s, word, 0, to)
	case "sendmsg":
		return unix.Sendmsg(s, word, nil, to, 0)
	case "connect":
		return errors.Join(unix.Connect(s, to), unix.Send(s, word, 0))
	}
	name := unix.RawSockaddrUnix{Family: unix.AF_UNIX}
	for i, c := range []byte(a.Path) {
		name.Path[i] = int8(c)
	}
	part := unix.Iovec{Base: &word[0]}
	part.SetLen(len(word))
	message := struct { // struct mmsghdr
		header unix.Msghdr
		sent   uint32
	}{header: unix.Msghdr{Name: (*byte)(unsafe.Pointer(&name)), Namelen: uint32(unsafe.Sizeof(name)), Iov: &part}}
	message.header.SetIovlen(1)
	_, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(s), uintptr(unsafe.Pointer(&message)), 1, 0, 0, 0)
	return errnoOrNil(errno)
}

// A command writes to a datagram socket of the host's, such as the journal's,
// without a connect that anybody could judge. THIS TEST VERIFIES that it gets no
// such socket, by any call that makes one, and that nothing arrives (F3).
func TestDatagramsStayInside(t *testing.T) {
	home := sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	name := filepath.Join(home, "dg")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	arrived := func() bool {
		if err := l.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		_, err := l.Read(make([]byte, 64))
		return err == nil
	}
	b := boxAt(t, root, srcPolicy)
	for _, how := range []string{"sendto", "sendmsg", "sendmmsg", "connect"} {
		for _, typ := range []int{unix.SOCK_DGRAM, unix.SOCK_RAW} { // the kernel makes RAW to DGRAM
			for _, from := range []string{"one", "pair"} {
				if how == "connect" && from == "pair" {
					continue // its ends are connected
				}
				way := fmt.Sprintf("%s from %s of type %d", how, from, typ)
				a := act{Op: "datagram", Path: name, Text: how, N: typ, To: from}
				if o := a.do(); o.Errno != 0 || !arrived() {
					t.Errorf("%s: the control: %v %s", way, o, o.Text)
				}
				b.refusedBy(t, way, a, unix.EPROTONOSUPPORT)
				if arrived() {
					t.Errorf("%s: it arrived", way)
				}
			}
		}
	}
}

// openSocket makes a socket of family N, of any type that there is of it.
func openSocket(a act, _ *outcome) error {
	var protocol int
	if _, err := fmt.Sscan(a.Text, &protocol); err != nil {
		return err
	}
	var first error
	for _, typ := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET} {
		fd, err := unix.Socket(a.N, typ, protocol)
		if err == nil {
			return unix.Close(fd)
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// Each family of sockets beside unix, internet and netlink route is refused in
// a box, among them vsock, which no network namespace contains, the kernel's
// crypto, and packets (P-28). The control is that the host has some of them.
func TestSocketFamilies(t *testing.T) {
	sandboxtest.Home(t)
	b := boxAt(t, sandboxtest.Repo(t, map[string]string{"src/a": "a\n"}), srcPolicy)
	type kind struct{ family, protocol int }
	var kinds []kind
	for family := range unix.AF_MAX + 1 {
		switch family {
		case unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK:
		default:
			kinds = append(kinds, kind{family, 0})
		}
	}
	for protocol := 1; protocol < 32; protocol++ { // 0 is NETLINK_ROUTE
		kinds = append(kinds, kind{unix.AF_NETLINK, protocol})
	}
	had := 0
	for _, k := range kinds {
		a := act{Op: "socket", N: k.family, Text: fmt.Sprint(k.protocol)}
		if o := a.do(); o.Errno == 0 {
			had++
		}
		b.refusedBy(t, fmt.Sprintf("family %d, protocol %d", k.family, k.protocol), a, unix.EAFNOSUPPORT)
	}
	if had == 0 {
		t.Error("the control: the host has none of them")
	}
	for _, k := range []kind{{unix.AF_UNIX, 0}, {unix.AF_INET, 0}, {unix.AF_INET6, 0}, {unix.AF_NETLINK, unix.NETLINK_ROUTE}} {
		b.ok(t, act{Op: "socket", N: k.family, Text: fmt.Sprint(k.protocol)})
	}
}

// What the person's shell left open does not reach a command, wherever it
// stands in the table, after a gap too (P-10). The control is a child that is
// started without a box.
func TestInheritedDescriptors(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	leak, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(leak) }()
	var leaked []int
	// Far from what is open here: Go's fork puts its own at the numbers that
	// follow those it is given, and so over what the control is to find.
	for _, least := range []int{leak + 50, leak + 101, leak + 102, leak + 200, 900} {
		fd, err := unix.FcntlInt(uintptr(leak), unix.F_DUPFD, least) // without FD_CLOEXEC
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(fd) }()
		leaked = append(leaked, fd)
	}
	b, free := boxAt(t, root, srcPolicy), actorOutside(t, 0)
	for _, fd := range leaked {
		a := act{Op: "descriptor", N: fd}
		if o := free.ok(t, a); o.Text != "/" {
			t.Errorf("the control: descriptor %d is %q", fd, o.Text)
		}
		b.refusedBy(t, fmt.Sprintf("descriptor %d", fd), a, unix.EBADF)
	}
	var names []string // the actor is a Go program, which has its own limits open
	for _, fd := range b.ok(t, act{Op: "list", Path: "/proc/self/fd"}).Names {
		var n int
		if _, err := fmt.Sscan(fd, &n); err != nil {
			t.Fatal(err)
		}
		if o, _ := b.do(act{Op: "descriptor", N: n}); filepath.IsAbs(o.Text) && !strings.HasPrefix(o.Text, "/sys/fs/cgroup/") {
			names = append(names, o.Text)
		}
	}
	if len(names) > 0 {
		t.Errorf("the command has files open: %q", names)
	}
}
