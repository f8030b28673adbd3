package native_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/native"
)

// attacks are acts of which nothing may come in a box. Each can be done outside
// too, by the test's own process, where it succeeds and changes nothing but
// what the test made: that is the control, in the same run.
var attacks = map[string]func(a act, o *outcome) error{
	"signal":     func(a act, _ *outcome) error { return signalWays[a.Text](a.N) },
	"group":      ownGroup,
	"winch":      func(a act, _ *outcome) error { return unix.Kill(a.N, unix.SIGWINCH) },
	"signalSelf": func(act, *outcome) error { return native.SignalSelf() },
	"datagram":   sendDatagram,
	"socket":     openSocket,
	"descriptor": isOpen,
	"open":       func(a act, _ *outcome) error { return openOnly(a.Path, unix.O_WRONLY) },
	"reopen":     reopen,
	"chmodFD":    chmodReference,
	"createAt":   createAtReference,
	"linkFD":     linkReference,
	"linkEmpty":  linkEmptyPath,
	"exchange":   exchange,
	"xattr":      func(a act, _ *outcome) error { return unix.Setxattr(a.Path, a.Text, noCapability, 0) },
	"utimesNow":  func(a act, _ *outcome) error { return unix.Utimes(a.Path, nil) },
	"memfd":      runFromMemory,
	"keep":       keepForOthers,
	"find":       findOfOthers,
}

// refusedOnly fails the test unless each of acts succeeds outside, and is
// refused in the box by one of want.
func (b *openBox) refusedOnly(t *testing.T, name string, a act, want ...unix.Errno) {
	t.Helper()
	if o := a.do(); o.Errno != 0 {
		t.Errorf("%s: the control: %v %s", name, o, o.Text)
	}
	b.refusedBy(t, name, a, want...)
}

func (b *openBox) refusedBy(t *testing.T, name string, a act, want ...unix.Errno) {
	t.Helper()
	o, alive := b.do(a)
	if !alive {
		t.Fatalf("%s: the box is gone", name)
	}
	for _, w := range want {
		if o.Errno == int(w) {
			return
		}
	}
	t.Errorf("%s: got %v %s, want one of %v", name, o, o.Text, want)
}

// actorOutside starts the actor as an ordinary child of this process, in those
// new namespaces: what a box would be with nothing else to hold it.
func actorOutside(t *testing.T, spaces uintptr) *openBox {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, actorArg)
	cmd.Stderr = os.Stderr
	if spaces != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | spaces,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		}
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout = theirIn, theirOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = theirIn.Close(), theirOut.Close()
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the actor outside: %v", err)
		}
		_ = out.Close()
	})
	return &openBox{t: t, in: in, out: bufio.NewReader(out)}
}

// isOpen reports whether the descriptor N is open, and what it is.
func isOpen(a act, o *outcome) error {
	_, err := unix.FcntlInt(uintptr(a.N), unix.F_GETFD, 0)
	o.Text, _ = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", a.N))
	return err
}

// openOnly opens a file and writes nothing.
func openOnly(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// withReference opens Path for reference only, and names it by its descriptor.
func withReference(path string, do func(fd int, name string) error) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(do(fd, fmt.Sprintf("/proc/self/fd/%d", fd)), unix.Close(fd))
}

func reopen(a act, _ *outcome) error {
	return withReference(a.Path, func(_ int, name string) error { return openOnly(name, unix.O_WRONLY) })
}

func chmodReference(a act, _ *outcome) error {
	return withReference(a.Path, func(_ int, name string) error { return unix.Chmod(name, 0o644) })
}

func createAtReference(a act, _ *outcome) error {
	return withReference(a.Path, func(fd int, _ string) error {
		if err := unix.Mkdirat(fd, a.Text, 0o755); err != nil {
			return err
		}
		return unix.Unlinkat(fd, a.Text, unix.AT_REMOVEDIR)
	})
}

// linkReference gives an open file another name, as O_TMPFILE's are given one.
func linkReference(a act, _ *outcome) error {
	return withReference(a.Path, func(_ int, name string) error {
		if err := unix.Linkat(unix.AT_FDCWD, name, unix.AT_FDCWD, a.To, unix.AT_SYMLINK_FOLLOW); err != nil {
			return err
		}
		return unix.Unlink(a.To)
	})
}

func linkEmptyPath(a act, _ *outcome) error {
	return withReference(a.Path, func(fd int, _ string) error {
		if err := unix.Linkat(fd, "", unix.AT_FDCWD, a.To, unix.AT_EMPTY_PATH); err != nil {
			return err
		}
		return unix.Unlink(a.To)
	})
}

// exchange swaps two names, and swaps them back.
func exchange(a act, _ *outcome) error {
	swap := func() error { return unix.Renameat2(unix.AT_FDCWD, a.Path, unix.AT_FDCWD, a.To, unix.RENAME_EXCHANGE) }
	if err := swap(); err != nil {
		return err
	}
	return swap()
}

// noCapability is a security.capability of version 2 that gives none.
var noCapability = append([]byte{0, 0, 0, 2}, make([]byte, 16)...)

// runFromMemory starts a program that has no name anywhere, and reads its
// status.
func runFromMemory(_ act, o *outcome) error {
	cat, err := exec.LookPath("cat")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(cat)
	if err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("cat", 0)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "cat")
	defer func() { _ = f.Close() }()
	if _, err := f.Write(text); err != nil {
		return err
	}
	var said bytes.Buffer
	cmd := exec.Command(fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd), "/proc/self/status")
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	for line := range strings.Lines(said.String()) {
		if name, value, _ := strings.Cut(line, ":"); name == "NoNewPrivs" || name == "Seccomp" || name == "CapEff" {
			o.Names = append(o.Names, name+" "+strings.TrimSpace(value))
		}
	}
	return err
}
