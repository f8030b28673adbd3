package native

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// F31: a caller with another root, which it has in a namespace of its own, is
// answered from there, and no link leads out.
func TestViewWithAnotherRoot(t *testing.T) {
	root := shortDir(t)
	outside := filepath.Join(shortDir(t), "outside")
	in := func(name string) string { return filepath.Join(root, name) }
	mustMake := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	mustMake(os.Mkdir(in("sub"), 0o755))
	mustMake(os.WriteFile(in("file"), nil, 0o600))
	mustMake(os.WriteFile(in("sub/file"), nil, 0o600))
	mustMake(os.WriteFile(outside, nil, 0o600))
	mustMake(os.Symlink("/file", in("abs")))
	mustMake(os.Symlink("/file", in("sub/abs")))
	mustMake(os.Symlink(outside, in("out")))
	v := view{root: openPath(t, root), cwd: openPath(t, in("sub")), fd: openPath(t, in("sub")), rest: "file"}
	for _, tt := range []struct {
		name string
		want string // path, or empty
		err  error
	}{
		{"/file", in("file"), nil},
		{"/abs", in("file"), nil},
		{"/../../file", in("file"), nil},
		{"/out", "", unix.ENOENT},
		{outside, "", unix.ENOENT},
		{"file", in("sub/file"), nil},
		{"../sub/file", "", unix.EXDEV},
		{"abs", "", unix.EXDEV},
		{"../out", "", unix.EXDEV},
		{"/proc/self/fd/3/file", "", unix.ENOENT}, // that is another /proc
	} {
		v.name = tt.name
		fd, err := v.open(nil)
		if tt.err != nil {
			if !errors.Is(err, tt.err) {
				t.Errorf("%q: got %v, want %v", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", tt.name, err)
			continue
		}
		var got, want unix.Stat_t
		if err := errors.Join(unix.Fstat(fd, &got), unix.Stat(tt.want, &want), unix.Close(fd)); err != nil || got.Ino != want.Ino {
			t.Errorf("%q: got another file than %q, %v", tt.name, tt.want, err)
		}
	}
}

func openPath(t *testing.T, name string) int {
	t.Helper()
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

// The rights are back afterwards.
func TestWithoutCapabilities(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	effective := func() uint32 {
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var have [2]unix.CapUserData
		if err := unix.Capget(&head, &have[0]); err != nil {
			t.Fatal(err)
		}
		return have[0].Effective
	}
	before := effective()
	if got := withoutCapabilities(func() unix.Errno {
		if e := effective(); e != 0 {
			t.Errorf("inside: got %#x, want 0", e)
		}
		return unix.EHOSTDOWN
	}); got != unix.EHOSTDOWN {
		t.Errorf("got %v, want EHOSTDOWN", got)
	}
	if after := effective(); after != before {
		t.Errorf("after: got %#x, want %#x", after, before)
	}
}

func TestSocketName(t *testing.T) {
	pad := make([]byte, 200)
	for _, tt := range []struct {
		name string
		addr []byte
		want string
		ok   bool
	}{
		{"A name", sockaddr("/x"), "/x", true},
		{"Without a NUL", sockaddr("/x")[:4], "/x", true},
		{"More after the NUL", append(sockaddr("/x"), 'y'), "/x", true},
		{"As long as can be", append(sockaddr("/x"), pad...)[:110], "/x", true},
		{"Longer", append(sockaddr("/x"), pad...)[:111], "", false},
		{"Abstract", sockaddr("\x00x"), "", false},
		{"Empty", sockaddr("")[:2], "", false},
		{"Another family", inetAddr(0x2f2f), "", false},
		{"Nothing", nil, "", false},
	} {
		if got, ok := socketName(tt.addr); got != tt.want || ok != tt.ok {
			t.Errorf("%s: got %q, %v, want %q, %v", tt.name, got, ok, tt.want, tt.ok)
		}
	}
}
