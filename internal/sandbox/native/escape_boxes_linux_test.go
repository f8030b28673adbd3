package native_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
	"seisin/internal/settings"
)

// meeting is where two boxes could meet.
type meeting struct {
	Files    []string // written by one, looked for by the other
	Key      int      // of SysV shared memory, messages and semaphores
	Abstract string   // name of a socket
	Socket   string   // path of a socket, in a directory that both see
	Port     int
}

// keepForOthers makes all that, and keeps it for as long as the process lives.
func keepForOthers(a act, o *outcome) error {
	var m meeting
	if err := json.Unmarshal([]byte(a.Text), &m); err != nil {
		return err
	}
	for _, f := range m.Files {
		if err := os.WriteFile(f, []byte("mine\n"), 0o666); err != nil {
			return err
		}
	}
	for _, call := range sysvCalls {
		if _, errno := sysv(call, m.Key, unix.IPC_CREAT|0o666); errno != 0 {
			return errno
		}
	}
	for _, name := range []string{"@" + m.Abstract, m.Socket} {
		l, err := net.Listen("unix", name)
		if err != nil {
			return err
		}
		kept = append(kept, l)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(m.Port))
	if err != nil {
		return err
	}
	kept = append(kept, l)
	_, port, err := net.SplitHostPort(l.Addr().String())
	o.Text = port
	return err
}

var kept []net.Listener

// findOfOthers lists what of it is found.
func findOfOthers(a act, o *outcome) error {
	var m meeting
	if err := json.Unmarshal([]byte(a.Text), &m); err != nil {
		return err
	}
	for _, f := range m.Files {
		if text, err := os.ReadFile(f); err == nil && string(text) == "mine\n" {
			o.Names = append(o.Names, "file "+filepath.Base(f))
		}
	}
	for _, call := range sysvCalls {
		if id, errno := sysv(call, m.Key, 0); errno == 0 {
			o.Names = append(o.Names, call.name+" "+removed(call, id, a.N))
		}
	}
	for _, dial := range []struct{ network, address string }{
		{"unix", "@" + m.Abstract}, {"unix", m.Socket}, {"tcp", "127.0.0.1:" + strconv.Itoa(m.Port)},
	} {
		if c, err := net.DialTimeout(dial.network, dial.address, 5*time.Second); err == nil {
			o.Names = append(o.Names, dial.network+" "+dial.address[:1])
			_ = c.Close()
		}
	}
	return nil
}

// A sysvCall looks up, or makes, something that SysV processes share by a key.
type sysvCall struct {
	name     string
	get, ctl uintptr
	size     uintptr // the argument between key and flags, if it has one
}

var sysvCalls = []sysvCall{
	{"shared memory", unix.SYS_SHMGET, unix.SYS_SHMCTL, 4096},
	{"semaphore", unix.SYS_SEMGET, unix.SYS_SEMCTL, 1},
	{"messages", unix.SYS_MSGGET, unix.SYS_MSGCTL, 0},
}

func sysv(c sysvCall, key, flags int) (int, unix.Errno) {
	args := []uintptr{uintptr(key), c.size, uintptr(flags)}
	if c.size == 0 {
		args = []uintptr{uintptr(key), uintptr(flags), 0}
	}
	id, _, errno := unix.Syscall(c.get, args[0], args[1], args[2])
	return int(id), errno
}

// removed removes it if n says so, since the host's outlive the test.
func removed(c sysvCall, id, n int) string {
	if n == 0 {
		return "found"
	}
	var arg [256]byte
	third := uintptr(unix.IPC_RMID)
	var errno unix.Errno
	if c.size == 1 { // semctl has a number in between
		_, _, errno = unix.Syscall6(c.ctl, uintptr(id), 0, third, uintptr(unsafe.Pointer(&arg)), 0, 0)
	} else {
		_, _, errno = unix.Syscall(c.ctl, uintptr(id), third, uintptr(unsafe.Pointer(&arg)))
	}
	if errno != 0 {
		return errno.Error()
	}
	return "found"
}

func (m meeting) act(t *testing.T, op string) act {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return act{Op: op, Text: string(text)}
}

// everything is what the box that made it finds itself: the control.
const everything = 3 + 3 + 3 // files, SysV, sockets

// A box meets another one, of the same role, of another, of another
// repository: in /tmp, in shared memory of both kinds, by messages, by sockets
// with and without a path, on the loopback, in the other's run directory
// (P-11, P-12, P-26, SD-7). It meets nobody.
func TestBoxesAreApart(t *testing.T) {
	home := sandboxtest.Home(t)
	const policy = "[roles.dev]\nwrites = [\"src/**\"]\n[roles.docs]\nwrites = [\"docs/**\"]\n"
	files := map[string]string{"src/a": "a\n", "docs/a": "a\n"}
	root, elsewhere := sandboxtest.Repo(t, files), sandboxtest.Repo(t, files)
	open := func(root string, role int) *openBox {
		spec, err := specOf(t, root, policy, role)
		if err != nil {
			t.Fatal(err)
		}
		b := openWithActor(t, native.New(), spec)
		t.Cleanup(func() { _ = b.close() })
		return b
	}
	first := open(root, 0)
	m := meeting{
		Files: []string{"/tmp/mark", "/var/tmp/mark", "/dev/shm/mark"}, Key: 0x5e151, Abstract: "seisin-mark",
		Socket: filepath.Join(root, "src/mark.sock"),
	}
	if _, err := fmt.Sscan(first.ok(t, m.act(t, "keep")).Text, &m.Port); err != nil {
		t.Fatal(err)
	}
	if got := first.ok(t, m.act(t, "find")).Names; len(got) != everything {
		t.Errorf("the control: the box finds %q of its own", got)
	}
	m2, err := settings.Here()
	if err != nil {
		t.Fatal(err)
	}
	runs, err := filepath.Glob(filepath.Join(m2.State(), "run", "????????"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("the control: run directories %q, %v", runs, err)
	}
	for _, tt := range []struct {
		name string
		box  *openBox
	}{
		{"SameRole", open(root, 0)}, {"AnotherRole", open(root, 1)}, {"AnotherRepository", open(elsewhere, 0)},
	} {
		if got := tt.box.ok(t, m.act(t, "find")).Names; len(got) > 0 {
			t.Errorf("%s: found %q", tt.name, got)
		}
		tt.box.refusedBy(t, tt.name+": socket", act{Op: "connect", Path: m.Socket}, unix.EACCES)
		for _, p := range []string{runs[0], filepath.Join(m2.State(), "run")} {
			tt.box.refusedBy(t, tt.name+": "+p, act{Op: "list", Path: p}, unix.ENOENT, unix.EACCES)
			tt.box.refusedBy(t, tt.name+": into "+p, act{Op: "create", Path: filepath.Join(p, "planted")}, append(walls, unix.ENOENT)...)
		}
		// Its own are apart as well.
		own := m
		own.Socket = filepath.Join("/tmp", "mark.sock")
		tt.box.ok(t, own.act(t, "keep"))
	}
	if got := first.ok(t, m.act(t, "find")).Names; len(got) != everything {
		t.Errorf("afterwards the box finds %q of its own", got)
	}

	// The host's, of the same user, are found by nobody in a box either (P-26).
	host := meeting{
		Files: []string{filepath.Join(home, "mark")}, Key: 0x5e152 + os.Getpid()<<8, Abstract: "seisin-host-" + strconv.Itoa(os.Getpid()),
		Socket: filepath.Join(home, "mark.sock"),
	}
	o := host.act(t, "keep").do()
	if _, err := fmt.Sscan(o.Text, &host.Port); err != nil {
		t.Fatalf("%v: %v", o, err)
	}
	if got := first.ok(t, host.act(t, "find")).Names; len(got) != 1 { // a file of the home can be read
		t.Errorf("of the host's: found %q, want the file", got)
	}
	clean := host.act(t, "find")
	clean.N = 1
	if got := clean.do().Names; len(got) != everything-2 {
		t.Errorf("the control: the host finds %q", got)
	}
	for _, l := range kept {
		_ = l.Close()
	}
}
