package native_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/launch"
	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
	"seisin/internal/settings"
)

// script runs sh -c text in a box of policy's role, and returns what it wrote
// and how it ended.
func script(t *testing.T, root, policy, text string, in *os.File) (string, sandbox.Exit) {
	t.Helper()
	spec, err := specFor(t, root, policy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := settings.Here()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(r)
		said <- string(b)
	}()
	exit, err := launch.Run{
		Provider: native.New(), Spec: spec, State: m.State(), Command: []string{"sh", "-c", text},
		In: in, Out: w, Err: w, Note: func(string, ...any) {},
	}.Do(context.Background())
	_ = w.Close()
	out := <-said
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out, exit
}

const srcPolicy = "[roles.dev]\nwrites = [\"src/**\"]\n"

// What a command finds of itself: no capability, no way to get one, a pid
// namespace of its own, three descriptors, its own /dev, /run, /tmp, loopback.
func TestInside(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	outside, err := os.CreateTemp("", "outside")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(outside.Name()) }()
	// A descriptor that leads out, as a shell may leave one open (F14's kind).
	leak, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(leak) }()
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, script, want string }{
		{"Capabilities", `grep -c -E '^Cap(Inh|Prm|Eff|Bnd|Amb):	0000000000000000$' /proc/self/status`, "5"},
		{"NoNewPrivileges", `grep -c '^NoNewPrivs:	1$' /proc/self/status`, "1"},
		{"Processes", `ls /proc | grep -c '^[0-9]*$' | xargs test 8 -gt && echo few`, "few"}, // SD-13, LX-11
		{"Descriptors", `ls /proc/self/fd | tr '\n' ' '`, "0 1 2 3"},                         // 3 is ls's own
		{"Devices", `ls /dev | tr '\n' ' '`, "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero"},
		{"DeviceMode", `chmod 600 /dev/null 2>/dev/null || echo refused`, "refused"},
		{"DeviceModeByDescriptor", `chmod 600 /proc/self/fd/0 2>/dev/null || echo refused`, "refused"},
		{"Run", `ls /run`, "seisin"},
		{"RunIsReadOnly", `touch /run/x /run/seisin/x 2>/dev/null || echo refused`, "refused"},
		{"Temporary", `ls -A /var/tmp; echo x > /tmp/x && cat /tmp/x`, "x"},
		{"HostsTemporaryIsNotThere", `ls ` + outside.Name() + ` 2>/dev/null || echo absent`, "absent"},
		{"KernelSettings", `test -w /proc/sys/kernel/hostname && echo writable || echo closed`, "closed"},
		{"OwnProcWorks", `echo 0 > /proc/self/oom_score_adj && echo ok`, "ok"},
		{"Loopback", `cat /sys/class/net/lo/operstate /proc/net/dev | grep -c lo:`, "1"},
		{"Interfaces", `grep -c : /proc/net/dev`, "1"},
		{"Init", `kill -9 1; kill -TERM 1; sleep .1; echo alive`, "alive"},
		{"InitIsHidden", `readlink /proc/1/fd/3 || cat /proc/1/environ || (: < /proc/1/fd/3) || echo closed`, "closed"}, // F14
		{"MountingIsRefused", `mount -t tmpfs t /tmp 2>/dev/null || echo refused`, "refused"},
		{"UnmountingIsRefused", `umount -l ` + root + `/src 2>/dev/null || echo refused`, "refused"},
		{"UserNamespaces", `unshare -Ur true 2>/dev/null || echo refused`, "refused"},
		{"MountNamespaces", `unshare -Um true 2>/dev/null || echo refused`, "refused"},
		{"ArgumentsAreBytes", `printf '%s' "$(printf 'src/caf\351')" | od -An -tx1 | tr -d ' \n'`, "7372632f636166e9"},
		{"SharedMemory", `echo x > /dev/shm/x && cat /dev/shm/x`, "x"},
		{"Timers", `cat /proc/self/timerslack_ns`, strconv.Itoa(slack)}, // ours are put off
		{"Role", `echo $SEISIN_ROLE`, "dev"},
		{"Marker", `cat /run/seisin/box`, "dev"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := script(t, root, srcPolicy, tt.script, nil)
			if got = strings.TrimSpace(got); !strings.Contains(got+"\n", tt.want+"\n") && got != tt.want {
				t.Errorf("%s\ngot  %q\nwant %q", tt.script, got, tt.want)
			}
		})
	}
}

// A file that the person opened for reading cannot be written through
// /proc/self/fd, and a directory is no standard input at all: descriptors
// carry the mount they were opened on.
func TestStandardInputIsNoWayOut(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n", "other/f": "secret\n"})
	in, err := os.Open(filepath.Join(root, "other/f"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	// The control: outside, the descriptor opens the file for writing.
	again, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", in.Fd()), os.O_WRONLY, 0)
	if err != nil {
		t.Fatalf("the control: %v", err)
	}
	_ = again.Close()
	out, _ := script(t, root, srcPolicy, `cat; echo pwned > /proc/self/fd/0; echo pwned > /dev/stdin; true`, in)
	if !strings.HasPrefix(out, "secret\n") {
		t.Errorf("reading standard input: %q", out)
	}
	if text, err := os.ReadFile(filepath.Join(root, "other/f")); err != nil || string(text) != "secret\n" {
		t.Errorf("other/f is %q, %v", text, err)
	}
	dir, err := os.Open("/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dir.Close() }()
	spec, err := specFor(t, root, srcPolicy)
	if err != nil {
		t.Fatal(err)
	}
	m, err := settings.Here()
	if err != nil {
		t.Fatal(err)
	}
	_, err = launch.Run{
		Provider: native.New(), Spec: spec, State: m.State(), Command: []string{"true"}, In: dir, Note: func(string, ...any) {},
	}.Do(context.Background())
	if err == nil || !strings.Contains(err.Error(), "standard input is a directory") {
		t.Errorf("a directory as standard input: %v", err)
	}
}

// A FIFO outside the repository cannot be written to: read-only mounts say
// nothing of it, Landlock does (F4). One in the territory can.
func TestFIFOs(t *testing.T) {
	home := sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	outside := filepath.Join(filepath.Dir(home), "fifo-outside")
	inside := filepath.Join(root, "src/fifo")
	for _, p := range []string{outside, inside} {
		if err := unix.Mkfifo(p, 0o666); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Remove(p) }()
		reader, err := os.OpenFile(p, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = reader.Close() }()
		// The control: with a reader there, it can be written from outside.
		w, err := os.OpenFile(p, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			t.Fatalf("the control: %v", err)
		}
		_ = w.Close()
	}
	b := boxAt(t, root, srcPolicy)
	if o, _ := b.do(act{Op: "write", Path: outside, Text: "x"}); o.Errno != int(unix.EACCES) {
		t.Errorf("writing a FIFO outside: got %v, want EACCES", o)
	}
	b.ok(t, act{Op: "write", Path: inside, Text: "x"})
}

// A second mount over the territory's neighbours does not help root, nor does
// a device node: the tree is nodev (F4).
func TestDeviceNodes(t *testing.T) {
	if os.Getuid() != 0 {
		return // only root can make one; as another user there is nothing to try
	}
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	node := filepath.Join(root, "src", "null")
	if err := unix.Mknod(node, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(node, []byte("x"), 0); err != nil {
		t.Fatalf("the control: %v", err)
	}
	b := boxAt(t, root, srcPolicy)
	if o, _ := b.do(act{Op: "write", Path: node, Text: "x"}); o.Errno != int(unix.EACCES) {
		t.Errorf("opening a device node: got %v, want EACCES", o)
	}
}

// Background children end with the run (LX-11), and what a box leaves on the
// host is nothing.
func TestNothingIsLeft(t *testing.T) {
	home := sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	before := treeOf(t, home)
	_, exit := script(t, root, srcPolicy, `(setsid sleep 300 &) ; (sleep 0.3; touch src/late) & mkdir -p "/tmp/a b/c"; chmod 0 "/tmp/a b"; exit 6`, nil)
	if exit.Status() != 6 {
		t.Errorf("status: got %d, want 6", exit.Status())
	}
	if left := slices.DeleteFunc(treeOf(t, home), func(p string) bool {
		return slices.Contains(before, p) || strings.HasPrefix(p, ".local")
	}); len(left) > 0 {
		t.Errorf("left in the home: %q", left)
	}
	runs, err := filepath.Glob(filepath.Join(home, ".local/state/seisin/run/????????"))
	if err != nil || len(runs) > 0 {
		t.Errorf("left run directories: %q, %v", runs, err)
	}
	if _, err := os.Lstat(filepath.Join(root, "src/late")); err == nil {
		t.Error("a background child outlived the run")
	}
}

func treeOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		names = append(names, strings.TrimPrefix(p, dir+"/"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Arguments, environment and names are bytes, whatever JSON thinks of them.
func TestBytesAreKept(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	const name = "caf\351"
	script(t, root, srcPolicy, ": > src/"+name, nil)
	entries, err := os.ReadDir(filepath.Join(root, "src"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name }) {
		t.Errorf("got %v in src, want %q", entries, name)
	}
}

// $TMPDIR may lie anywhere beside the repository.
func TestTemporaryDirectories(t *testing.T) {
	for _, tt := range []struct{ name, tmpdir, repo string }{
		{"BeforeTheRepository", "a", "z/r"},
		{"AfterTheRepository", "z", "a/r"},
		{"BesideTheRepository", "p/aa", "p/r"},
		{"AboveTheRepository", "p", "p/r"},
		{"InTheRepository", "r/tmp", "r"},
		{"NamedAsAnother", "var-tmp", "r"},
		{"LongName", strings.Repeat("d/", 120) + "d", "r"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sandboxtest.Home(t)
			base, err := os.MkdirTemp("/tmp", "seisin")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(base) })
			root, tmpdir := filepath.Join(base, tt.repo), filepath.Join(base, tt.tmpdir)
			shell(t, base, "mkdir -p "+root+"/src "+tmpdir+" && git init -q "+root+" && echo a > "+root+"/src/a")
			t.Setenv("TMPDIR", tmpdir)
			got, _ := script(t, root, srcPolicy, `echo b > src/a && echo x > "$TMPDIR/x" && echo y > /tmp/y && touch other 2>/dev/null || echo ok`, nil)
			if strings.TrimSpace(got) != "ok" {
				t.Errorf("got %q", got)
			}
			b, err := os.ReadFile(filepath.Join(root, "src/a"))
			if err != nil || string(b) != "b\n" {
				t.Errorf("the territory has %q (%v)", b, err)
			}
		})
	}
}

// A pipe is a file that its reader can open for writing. What a box writes into
// its standard input, the shell outside that has it too must not read.
func TestStandardInputIsTheBoxesOwn(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	got, _ := script(t, root, srcPolicy, `echo evil 1<> /proc/self/fd/0 && read -r x && echo "got $x"`, r)
	if got != "got evil\n" { // the control: it can be opened
		t.Fatalf("got %q", got)
	}
	fd := int(r.Fd()) // which makes it block
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 16)
	if n, err := unix.Read(fd, b); !errors.Is(err, unix.EAGAIN) {
		t.Errorf("outside, %q (%v) can be read", b[:max(n, 0)], err)
	}
}
