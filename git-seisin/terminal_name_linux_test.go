package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// named is what programs do with the name of the terminal that they are on.
// COMMAND is run on it, and shows "yes" if it worked.
var named = []struct{ name, command, want string }{
	{"Name", "tty", "TTY\r\n"},
	{"OutputsName", "tty <&1", "TTY\r\n"},
	{"Processes", "ps -o tty= -p $$", "SHORT\r\n"},
	{"OpenedAnew", "echo yes > TTY", "yes\r\n"},
	{"OpenedAnewAsControlling", "echo yes > /dev/tty", "yes\r\n"},
	{"ReadAnew", "stty -F TTY size", "41 93\r\n"},
	{"IsTheSame", "test TTY -ef /dev/stdin && echo y\"\"es", "yes\r\n"},
	{"NewOnes", "script -qec 'tty; stty size' /dev/null", "/dev/pts/NEW\r\n"},
	{"NewOnesHaveJobs", "script -qec \"bash --norc -ic 'sleep 0.1 & fg; echo y\"\"es'\" /dev/null", "yes\r\n"},
	{"Multiplexer", "rm -f src/t; SHELL=/bin/sh tmux -S src/t -f /dev/null new-session 'tty > src/out'; grep -q /dev/pts/ src/out && rm src/out && echo y\"\"es", "yes\r\n"},
}

// F25: the person's own terminal has its name inside, and works by it; the
// same is so outside. New ones come from the box's own instance, also where the
// terminal's number is not the lowest.
func TestTerminalHasItsName(t *testing.T) {
	place := newTestPlace(t)
	for _, tt := range named {
		for _, where := range []struct{ name, start string }{
			{"Outside", ""}, {"Inside", "git-seisin run --quiet dev -- "},
		} {
			t.Run(tt.name+"/"+where.name, func(t *testing.T) {
				s := place.start(t, "sh", "-c", "read go; exec "+where.start+"sh -c \"$go\"")
				name := slaveName(t, s.pty)
				expand := strings.NewReplacer("TTY", name, "SHORT", strings.TrimPrefix(name, "/dev/")).Replace
				want, isNew := strings.CutSuffix(expand(tt.want), "NEW\r\n")
				s.send(expand(tt.command) + "\n")
				s.expect(expand(tt.command)) // its echo
				s.expect(want)
				if isNew && strings.HasSuffix(s.all(), name+"\n") {
					t.Errorf("got the terminal's own name for a new one")
				}
				if status := s.ended(); status != 0 {
					t.Errorf("got %#x, want 0; shown:\n%s", status, s.all())
				}
			})
		}
	}
}

// F25: another terminal of the person's is not there, by its name or by making
// one of its number: what is in the box's instance is the box's.
func TestOtherTerminalsAreAbsent(t *testing.T) {
	place := newTestPlace(t)
	other, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = other.Close(), slave.Close() }()
	// The sound of it: what is written to the name is read at the other end.
	if out, err := exec.Command("sh", "-c", "echo heard > "+slave.Name()).CombinedOutput(); err != nil {
		t.Fatalf("outside: %v: %s", err, out)
	}
	heard := make([]byte, 64)
	if n, err := other.Read(heard); err != nil || string(heard[:n]) != "heard\r\n" {
		t.Fatalf("got %q, %v, want that the terminal can be written to outside", heard[:n], err)
	}
	s := place.start(t, "git-seisin", "run", "--quiet", "dev", "--", "sh", "-c", "echo /dev/pts/*; echo told > "+slave.Name()+" || echo refused")
	s.expect("/dev/pts/ptmx")
	s.expect("refused")
	s.ended()
	if shown, want := s.all(), slaveName(t, s.pty)+" /dev/pts/ptmx"; !strings.HasPrefix(shown, want) {
		t.Errorf("got %q, want %q", shown, want)
	}
}

// A stream that is another terminal than the session's has its name, and one
// that is none has nothing.
func TestTerminalOfOneStream(t *testing.T) {
	place := newTestPlace(t)
	for _, tt := range []struct{ name, with string }{
		{"OnlyErrors", "</dev/null | cat"}, {"OnlyInput", "2>/dev/null | cat"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := place.start(t, "bash", "-c", "git-seisin run --quiet dev -- sh -c 'echo /dev/pts/[0-9]*' "+tt.with)
			s.expect(slaveName(t, s.pty) + "\r\n")
			s.ended()
		})
	}
	s := place.start(t, "bash", "-c", "git-seisin run --quiet dev -- sh -c 'echo /dev/pts/*' </dev/null 2>/dev/null | cat")
	s.ended()
	if got := s.all(); got != "/dev/pts/ptmx\n" {
		t.Errorf("got %q, want that no terminal has a name", got)
	}
}

// A terminal whose number is over the bound has no name, and works.
func TestTerminalOverTheBound(t *testing.T) {
	place := newTestPlace(t)
	var low []*os.File
	defer func() {
		for _, f := range low {
			_ = f.Close()
		}
	}()
	for {
		master, slave, err := pty.Open()
		if err != nil {
			t.Fatalf("%v after %d terminals", err, len(low)/2)
		}
		low = append(low, master, slave)
		if slave.Name() == "/dev/pts/512" {
			break
		}
		if len(low) > 2*600 {
			t.Fatalf("got %s, want /dev/pts/512 by now", slave.Name())
		}
	}
	// The highest that has a name was opened just now; the next has none.
	s := place.start(t, "git-seisin", "run", "--quiet", "dev", "--", "sh", "-c", "tty; stty size; echo /dev/pts/*")
	if got := slaveName(t, s.pty); got != "/dev/pts/513" {
		t.Fatalf("got %s, want /dev/pts/513", got)
	}
	s.expect("not a tty")
	s.expect("41 93")
	s.expect("/dev/pts/ptmx")
	s.ended()

	last := low[len(low)-1]
	_ = last.Close()
	_ = low[len(low)-2].Close()
	s = place.start(t, "git-seisin", "run", "--quiet", "dev", "--", "tty")
	s.expect(slaveName(t, s.pty))
	if status := s.ended(); status != 0 {
		t.Errorf("got %#x, want 0", status)
	}
}
