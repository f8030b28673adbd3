package native_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/sandboxtest"
)

// A command looks for another view of the files in /proc: its own root and
// directory by another name, those of pid 1, what pid 1 has open, its memory
// and environment (F14, P-7). The control of what it has itself is the same
// way outside, that of pid 1 another process of the same user's.
func TestProcLeadsNowhere(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n", "other/f": "f\n", ".secrets/k.key": "secret\n"})
	b := boxAt(t, root, "[keys]\ndir = \".secrets\"\n"+srcPolicy)
	for _, start := range []string{"/proc/self/root", "/proc/thread-self/root", "/proc/self/root/proc/self/root", "/proc/self/cwd" + upFrom(t, root)} {
		at := func(name string) string { return start + filepath.Join(root, name) }
		if !strings.Contains(start, "cwd") { // the control's cwd is another
			read := act{Op: "read", Path: at(".secrets/k.key")}
			if o := read.do(); o.Text != "secret\n" {
				t.Errorf("%s: the control: %v %q", start, o, o.Text)
			}
		}
		if o, _ := b.do(act{Op: "read", Path: at(".secrets/k.key")}); o.Errno == 0 {
			t.Errorf("%s: read a key: %q", start, o.Text)
		}
		b.refused(t, act{Op: "write", Path: at("other/f"), Text: "x"})
		b.refused(t, act{Op: "save", Path: at("seisin.toml"), Text: "x"})
		b.refused(t, act{Op: "rename", Path: at("src/a"), To: at("other/f")})
		b.ok(t, act{Op: "write", Path: at("src/a"), Text: "x"})
	}

	other := exec.Command("sleep", "300")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = other.Process.Kill(), other.Wait() }()
	of := func(pid int, name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }
	for _, name := range []string{"root/etc/passwd", "cwd/.", "environ", "mem", "maps", "fd/0", "fd/3", "task/1/root/etc/passwd", "ns/mnt", "stack", "io"} {
		a := act{Op: "read", Path: of(1, name)}
		outside := strings.Replace(name, "task/1", fmt.Sprintf("task/%d", other.Process.Pid), 1)
		if outside == "fd/3" {
			outside = "fd/0" // it has only three
		}
		_, err := os.Lstat(of(other.Process.Pid, outside))
		if err == nil && outside != "stack" {
			f, openErr := os.Open(of(other.Process.Pid, outside))
			if openErr != nil {
				t.Errorf("%s: the control: %v", name, openErr)
			} else {
				_ = f.Close()
			}
		}
		b.refusedBy(t, name, a, unix.EACCES, unix.EPERM, unix.ENOENT)
	}
	b.refusedBy(t, "mem", act{Op: "open", Path: of(1, "mem")}, walls...)
	// As root fd lists numbers. What they are is refused above.
	b.refusedBy(t, "map_files", act{Op: "list", Path: of(1, "map_files")}, walls...)
	// Nobody else is there to be asked: the host's processes have no number.
	for _, pid := range []int{os.Getpid(), os.Getppid(), other.Process.Pid} {
		if o := (act{Op: "read", Path: of(pid, "status")}).do(); o.Errno != 0 {
			t.Errorf("the control: %v", o)
		}
		b.refusedBy(t, "a host's process", act{Op: "read", Path: of(pid, "status")}, unix.ENOENT)
	}
	if text, err := os.ReadFile(filepath.Join(root, "other/f")); err != nil || string(text) != "f\n" {
		t.Errorf("other/f is %q, %v", text, err)
	}
}

// upFrom leads from dir to the root, and back down is left to who asks.
func upFrom(t *testing.T, dir string) string {
	t.Helper()
	return strings.Repeat("/..", strings.Count(dir, "/"))
}

// In a user namespace of its own, with every capability there, a command takes
// walls away or goes around them (P-23, P-24, F24). THIS TEST VERIFIES that a
// role with userns does no more in one than without, and the control is that
// it has the namespace and its capabilities.
func TestNestedNamespaces(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n", "other/f": "f\n", ".secrets/k.key": "secret\n"})
	const tries = `
grep -c 'CapEff:.0*[1-9a-f]' /proc/self/status
try() { "$@" >/dev/null 2>&1 && echo "DID: $*"; }
try mount -t tmpfs t src
try mount -t proc proc /proc
try mount --bind src other
try mount -o remount,rw,bind / 
try mount -o remount,rw,bind .
try umount -l .secrets
try umount .git
try umount -l src
try mount -t overlay -o lowerdir=other,upperdir=src,workdir=src o other
try pivot_root . src
try sh -c 'echo x > other/f'
try sh -c 'echo x > seisin.toml'
try cat .secrets/k.key
try chroot . /bin/cat .secrets/k.key
try mknod src/null c 1 3
try chmod u+s src/a
try sh -c ': > /proc/sys/kernel/core_pattern'
try sh -c ': > /proc/sys/kernel/hostname'
try nsenter -t 1 -U true
try nsenter -t 1 -m true
try unshare -m --propagation unchanged true
try unshare -u true
try unshare -Um --propagation unchanged true
try cat /proc/1/environ
try readlink /proc/1/fd/0 /proc/1/root /proc/1/cwd
try sh -c 'echo x > src/a' && echo end
`
	policy := "[keys]\ndir = \".secrets\"\n" + srcPolicy
	mapped := "-r"
	if os.Getuid() == 0 {
		mapped = "--keep-caps" // without CAP_SETFCAP, root maps itself nowhere
	}
	got, _ := script(t, root, policy+"userns = true\n", "unshare -U "+mapped+" -p -n -i -f --kill-child sh -c "+quoted(tries), nil)
	if want := "1\nDID: sh -c echo x > src/a\nend\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got, _ = script(t, root, policy, "unshare -U -r true 2>/dev/null || echo refused", nil)
	if got != "refused\n" {
		t.Errorf("without userns: got %q", got)
	}
	for name, want := range map[string]string{"other/f": "f\n", ".secrets/k.key": "secret\n"} {
		if text, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
