package native_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

// By the time that a box says that it is vacated nothing runs in it, and no
// process of it has the descriptors that it was to keep: what the run left on
// disk can be cleared away then (B-1). While it is open it says nothing.
func TestVacated(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	spec, err := specFor(t, root, srcPolicy)
	if err != nil {
		t.Fatal(err)
	}
	keptR, kept := pipe(t)
	outR, out := pipe(t)
	vacated := make(chan [2]error, 1)
	box, err := native.New().Open(t.Context(), spec, sandbox.Site{
		Dir: t.TempDir(), Keep: []*os.File{kept},
		Vacated: func() { vacated <- [2]error{atEnd(keptR), atEnd(outR)} },
	})
	if err != nil {
		t.Fatal(err)
	}
	occupant, err := box.Admit(t.Context(), sandbox.Agent{Cwd: root})
	if err != nil {
		t.Fatal(err)
	}
	command, err := occupant.Launch(sandbox.Process{Argv: []string{"sh", "-c", "echo; sleep 1000"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := command.Start(t.Context(), sandbox.Stdio{Out: out}); err != nil {
		t.Fatal(err)
	}
	_, _ = kept.Close(), out.Close()
	if _, err := outR.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if kept, out := atEnd(keptR), atEnd(outR); kept == nil || out == nil || len(vacated) > 0 {
		t.Errorf("the control: while the box is open, got %v and %v of what it holds, and vacated %d times", kept, out, len(vacated))
	}
	if err := box.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case errs := <-vacated:
		if err := errors.Join(errs[:]...); err != nil {
			t.Error(err)
		}
	default:
		t.Error("the box was closed and did not say that it was vacated")
	}
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

// atEnd says why r is not at its end.
func atEnd(r *os.File) error {
	fds := []unix.PollFd{{Fd: int32(r.Fd()), Events: unix.POLLIN}}
	if _, err := unix.Poll(fds, 0); err != nil {
		return err
	}
	if fds[0].Revents != unix.POLLHUP {
		return fmt.Errorf("somebody has the other end: %#x", fds[0].Revents)
	}
	return nil
}
