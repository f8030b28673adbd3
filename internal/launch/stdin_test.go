package launch

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A descriptor is a way round the mounts: what the person opened for reading
// stays for reading, and a directory leads to the whole of the host's tree.
func TestStdin(t *testing.T) {
	dir := t.TempDir()
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // more than a pipe holds
	if err := os.WriteFile(dir+"/file", text, 0o644); err != nil {
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

	for _, tt := range []struct {
		name  string
		in    *os.File
		same  bool // the command gets the very descriptor
		none  bool // the command gets /dev/null
		fails bool
	}{
		{name: "None", in: nil, none: true},
		{name: "Closed", in: closed, none: true},
		{name: "Directory", in: open(dir, os.O_RDONLY), fails: true},
		{name: "Pipe", in: r, same: true},
		{name: "Device", in: open(os.DevNull, os.O_RDONLY), same: true},
		{name: "FileForWriting", in: open(dir+"/file", os.O_RDWR), same: true},
		{name: "FileForAppending", in: open(dir+"/file", os.O_WRONLY|os.O_APPEND), same: true},
	} {
		got, done, err := stdin(tt.in)
		if (err != nil) != tt.fails || tt.fails && !strings.Contains(err.Error(), "standard input is a directory") {
			t.Errorf("%s: got «%v», want an error: %v", tt.name, err, tt.fails)
		}
		if (got == nil) != (tt.none || tt.fails) || tt.same && got != tt.in {
			t.Errorf("%s: got %v, want the same: %v, none: %v", tt.name, got, tt.same, tt.none)
		}
		done()
	}
	if _, err := r.Stat(); err != nil {
		t.Errorf("the person's own descriptor was closed: %v", err)
	}
}

// A file that is only read comes through a pipe, from where the person's own
// descriptor stands.
func TestStdinIsAFile(t *testing.T) {
	name := t.TempDir() + "/file"
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	if _, err := in.Seek(16, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	got, done, err := stdin(in)
	if err != nil {
		t.Fatal(err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(got.Fd()), &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		t.Errorf("got a descriptor of mode %#o, %v, want a pipe: a file could be opened anew for writing", st.Mode, err)
	}
	read, err := io.ReadAll(got)
	if err != nil || !bytes.Equal(read, text[16:]) {
		t.Errorf("read %d bytes, %v, want the %d after the first 16", len(read), err, len(text)-16)
	}
	done()
}

// A command that reads nothing of it is not waited for, and neither is the
// copying.
func TestStdinIsNotRead(t *testing.T) {
	name := t.TempDir() + "/file"
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	got, done, err := stdin(in)
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	if _, err := got.Read(one); err != nil {
		t.Fatal(err)
	}
	done()
	if _, err := got.Read(one); err == nil {
		t.Error("the pipe is still open")
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
