package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// F31: names are looked up in the box's view, also where a link begins at the
// root.
func TestConnectInTheBoxsView(t *testing.T) {
	dir := shortDir(t)
	cover := filepath.Join(dir, "cover")
	if err := os.Mkdir(cover, 0o755); err != nil {
		t.Fatal(err)
	}
	host := listenOutside(t, filepath.Join(cover, "s"))
	if err := os.Symlink(host.path, filepath.Join(dir, "abs")); err != nil {
		t.Fatal(err)
	}
	b := openSmallBox(t, cover)
	b.want("ENOENT", deed{Op: "dial", Path: host.path})
	b.want("ENOENT", deed{Op: "dial", Path: filepath.Join(dir, "abs")})
	b.want("ok", deed{Op: "listen", Path: host.path})
	b.want("hello", deed{Op: "talk", Path: filepath.Join(dir, "abs")})
	host.untouched(t)
}

// /proc leads by magic links where this process may look. None is followed.
func TestConnectThroughProc(t *testing.T) {
	dir := shortDir(t)
	host := listenOutside(t, filepath.Join(dir, "host"))
	b := openSmallBox(t, "")
	b.want("ok", deed{Op: "listen", Path: filepath.Join(dir, "own")})
	b.want("ok", deed{Op: "chdir", Path: dir})
	for _, start := range []string{"/proc/1/root" + dir, "/proc/1/cwd", "/proc/1/task/1/root" + dir} {
		b.want("ok", deed{Op: "stat", Path: start + "/host"}) // the way is there
		b.want("ELOOP", deed{Op: "dial", Path: start + "/host"})
		b.want("ELOOP", deed{Op: "dial", Path: start + "/own"})
	}
	for _, start := range []string{"/proc/self/root" + dir, "/proc/thread-self/root" + dir, "/proc/self/cwd"} {
		b.want("ok", deed{Op: "stat", Path: start + "/host"})
		b.want("ELOOP", deed{Op: "dial", Path: start + "/host"})
	}
	if got := b.do(deed{Op: "dial", Path: "self/fd/0/host"}).Got; got == "ok" {
		t.Error("got ok, want an error")
	}
	host.untouched(t)
}

// A descriptor of the caller's own is where it says, as systemd and dbus have
// it for paths that are longer than an address; what is there is judged as by
// any other name.
func TestConnectThroughOwnDescriptor(t *testing.T) {
	dir := shortDir(t)
	host, named := listenOutside(t, filepath.Join(dir, "host")), listenOutside(t, filepath.Join(dir, "named"))
	long := filepath.Join(dir, strings.Repeat("a", 100))
	b := openSmallBox(t, "", named.path)
	b.want("ok", deed{Op: "mkdir", Path: long})
	opened := func(p string) string { return b.do(deed{Op: "opened", Path: p}).Got }
	at, deep := opened(dir), opened(long)
	b.want("ok", deed{Op: "listen", Path: "/proc/self/fd/" + deep + "/own"})
	b.want("ok", deed{Op: "symlink", Path: host.path, To: filepath.Join(dir, "link")})
	own, theirs := opened(long+"/own"), opened(host.path)
	for _, tt := range []struct{ path, want string }{
		{"/proc/self/fd/" + deep + "/own", "ok"},
		{"/proc/thread-self/fd/" + deep + "/own", "ok"},
		{"/dev/fd/" + deep + "/own", "ok"},
		{"/proc/self/fd/" + deep + "//./own", "ok"},
		{"/proc/self/fd/" + own, "ok"}, // the socket itself
		{"/proc/self/fd/" + at + "/named", "ok"},
		{"/proc/self/fd/" + at + "/host", "EACCES"},
		{"/proc/self/fd/" + at + "/link", "EACCES"},
		{"/proc/self/fd/" + deep + "/../host", "EACCES"},
		{"/proc/self/fd/" + theirs, "EACCES"},
		{"/proc/self/fd/" + at + "/none", "ENOENT"},
		{"/proc/self/fd/" + own + "/below", "ENOTDIR"},
		{"/proc/self/fd/" + at, "ECONNREFUSED"}, // a directory: the kernel's own word
		{"/proc/self/fd/999/own", "ENOENT"},
		{"/proc/self/fd/0" + at + "/named", "ENOENT"},
		{"/proc/self/fd/-1/named", "ENOENT"},
		{"/proc/self/fd/4294967296/named", "ENOENT"},
	} {
		b.want(tt.want, deed{Op: "dial", Path: tt.path})
	}
	b.want("ok", deed{Op: "hide"})
	b.want("ok", deed{Op: "dial", Path: "/proc/self/fd/" + deep + "/own"})
	host.untouched(t)
}

// The keeper's capabilities do not help a caller: neither to look into a
// directory that is closed to it, nor to write to a socket that is.
func TestConnectAsTheCaller(t *testing.T) {
	dir := shortDir(t)
	shut := filepath.Join(dir, "shut")
	b := openSmallBox(t, "")
	b.want("ok", deed{Op: "mkdir", Path: shut})
	b.want("ok", deed{Op: "listen", Path: shut + "/s"})
	b.want("ok", deed{Op: "dial", Path: shut + "/s"})
	b.want("ok", deed{Op: "chmod", Path: shut + "/s", N: 0o500})
	b.want("EACCES", deed{Op: "dial", Path: shut + "/s"})
	b.want("ok", deed{Op: "chmod", Path: shut + "/s", N: 0o700})
	b.want("ok", deed{Op: "chmod", Path: shut, N: 0})
	b.want("EACCES", deed{Op: "stat", Path: shut + "/s"})
	b.want("EACCES", deed{Op: "dial", Path: shut + "/s"})
	b.want("ok", deed{Op: "chmod", Path: shut, N: 0o700})
	b.want("ok", deed{Op: "dial", Path: shut + "/s"})
	if got := b.takeRefused(); len(got) != 0 {
		t.Errorf("told: got %q, want nothing: the kernel refused", got)
	}
}

// A program that hides its memory, as ssh-agent does, connects like others.
func TestConnectOfAHiddenCaller(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	b := openSmallBox(t, "")
	b.want("ok", deed{Op: "listen", Path: path})
	b.want("ok", deed{Op: "hide"})
	b.want("ok", deed{Op: "dial", Path: path})
}
