package launch

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A descriptor is a way round the mounts: no file and no directory of the
// person's goes into a box, on whichever stream.
func TestStdio(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/file", []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	open := func(name string, flags int) *os.File {
		f, err := os.OpenFile(name, flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	closed := open(dir+"/file", os.O_RDONLY)
	_ = closed.Close()
	fifo := dir + "/fifo"
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	socket := os.NewFile(uintptr(pair[0]), "socket")
	t.Cleanup(func() { _, _ = socket.Close(), unix.Close(pair[1]) })
	nameless := func(fd int, err error) *os.File {
		if err != nil {
			t.Fatal(err)
		}
		f := os.NewFile(uintptr(fd), "nameless")
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	for _, tt := range []struct {
		name    string
		f       *os.File
		want    string // "same", "none" or "pipe"
		wantErr string
	}{
		{name: "None", f: nil, want: "none"},
		{name: "Closed", f: closed, want: "none"},
		{name: "Null", f: open(os.DevNull, os.O_RDWR), want: "none"},
		{name: "Pipe", f: r, want: "pipe"},
		{name: "Device", f: open("/dev/zero", os.O_RDWR), want: "pipe"},
		{name: "NamedPipe", f: open(fifo, os.O_RDWR), want: "pipe"},
		{name: "Socket", f: socket, want: "pipe"},
		{name: "TheTerminalsOfMany", f: open("/dev/ptmx", os.O_RDWR), want: "pipe"},
		{name: "FileForReading", f: open(dir+"/file", os.O_RDONLY), want: "pipe"},
		{name: "FileForWriting", f: open(dir+"/file", os.O_RDWR), want: "pipe"},
		{name: "FileForAppending", f: open(dir+"/file", os.O_WRONLY|os.O_APPEND), want: "pipe"},
		{name: "Directory", f: open(dir, os.O_RDONLY), wantErr: "is a directory"},
		{name: "Reference", f: open(dir+"/file", unix.O_PATH), wantErr: "O_PATH"},
		{name: "ReferenceToADirectory", f: open(dir, unix.O_PATH), wantErr: "O_PATH"},
		{name: "Event", f: nameless(unix.Eventfd(0, unix.EFD_CLOEXEC)), wantErr: `is "anon_inode:[eventfd]"`},
		{name: "Timer", f: nameless(unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC)), wantErr: "[timerfd]"},
		{name: "Epoll", f: nameless(unix.EpollCreate1(unix.EPOLL_CLOEXEC)), wantErr: "[eventpoll]"},
		{name: "Process", f: nameless(unix.PidfdOpen(os.Getpid(), 0)), wantErr: "neither a file nor a stream"},
		{name: "Memory", f: nameless(unix.MemfdCreate("memory", unix.MFD_CLOEXEC)), want: "pipe"},
	} {
		for i, stream := range []string{"input", "output", "error"} {
			given := [3]*os.File{}
			given[i] = tt.f
			s, err := newStdio(given[0], given[1], given[2])
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), "standard "+stream) || !strings.Contains(err.Error(), tt.wantErr) {
					t.Errorf("%s on standard %s: got «%v», want %q", tt.name, stream, err, tt.wantErr)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s on standard %s: %v", tt.name, stream, err)
				continue
			}
			got := [3]*os.File{s.In, s.Out, s.Err}[i]
			if what := whatIs(got, tt.f); what != tt.want {
				t.Errorf("%s on standard %s: got %s, want %s", tt.name, stream, what, tt.want)
			}
			s.finish()
		}
	}
	if _, err := r.Stat(); err != nil {
		t.Errorf("the person's own descriptor was closed: %v", err)
	}
}

func whatIs(got, given *os.File) string {
	var st unix.Stat_t
	switch {
	case got == nil:
		return "none"
	case got == given:
		return "same"
	case unix.Fstat(int(got.Fd()), &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO:
		return "pipe"
	}
	return "something else"
}

// A file that is read comes from where the person's own descriptor stands, and
// one that the command does not read to its end is not waited for.
func TestInputFile(t *testing.T) {
	name := t.TempDir() + "/file"
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // more than a pipe holds
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, all := range []bool{true, false} {
		in, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close() }()
		if _, err := in.Seek(16, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		s, err := newStdio(in, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if all {
			read, err := io.ReadAll(s.In)
			if err != nil || !bytes.Equal(read, text[16:]) {
				t.Errorf("read %d bytes, %v, want the %d after the first 16", len(read), err, len(text)-16)
			}
		}
		s.finish()
	}
}

// A file that gives nothing, and no end, does not keep a run from ending.
func TestInputThatBlocks(t *testing.T) {
	in, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = in.Close(), writer.Close() }()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	f, err := newReading(in, 0, r, w)
	if err != nil {
		t.Fatal(err)
	}
	f.grace = 10 * time.Millisecond
	ended := make(chan bool)
	go func() {
		f.finish()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("it waits for what is not to come")
	}
}

// What the command wrote to one file by two streams arrives whole, at the end
// of the file, in the order in which it was written.
func TestOutputFile(t *testing.T) {
	name := t.TempDir() + "/file"
	if err := os.WriteFile(name, []byte("old\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	s, err := newStdio(nil, out, out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if _, err := []*os.File{s.Out, s.Err}[i%2].WriteString(string(rune('a'+i%26)) + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	s.finish()
	text, err := os.ReadFile(name)
	if err != nil || len(text) != 4+2000 || !strings.HasPrefix(string(text), "old\na\nb\nc\n") {
		t.Errorf("got %d bytes that begin %q, %v", len(text), text[:min(len(text), 12)], err)
	}
}

// A run is refused before its command starts, and nothing is left.
func TestStdinIsADirectory(t *testing.T) {
	g := newGround(t)
	in, err := os.Open(g.work)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	f := &fake{}
	r := g.run(t, f, "write a")
	r.In = in
	if _, err := r.Do(t.Context()); err == nil || !strings.Contains(err.Error(), "standard input is a directory") {
		t.Errorf("got «%v», want that standard input is a directory", err)
	}
	for _, call := range f.called() {
		if call == "Start" {
			t.Error("the command was started")
		}
	}
	wantTree(t, g.work)
	g.wantNoRun(t)
}

// What the command did not read of a file is left for who reads it next.
func TestTheRestOfAFileIsLeft(t *testing.T) {
	name := t.TempDir() + "/list"
	if err := os.WriteFile(name, bytes.Repeat([]byte("0123456789abcdef"), 64<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, read := range []int64{0, 1, 100, 70_000, 1 << 20} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		const before = 10
		if _, err := f.Seek(before, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		s, err := newStdio(f, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		command, err := again(s.In)
		if err != nil {
			t.Fatal(err)
		}
		s.started()
		n, _ := io.CopyN(io.Discard, command, read)
		_ = command.Close()
		s.finish()
		if at, err := f.Seek(0, io.SeekCurrent); err != nil || at != before+n {
			t.Errorf("after %d bytes: the file stands at %d (%v), want %d", n, at, err, before+n)
		}
		_ = f.Close()
	}
}
