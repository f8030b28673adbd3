package main

import (
	"strings"
	"testing"
)

// /dev/tty as a standard stream is the terminal that it stands for: with that
// the shell of a script has one that is its own input, and reads from it. Where
// its node cannot be opened, which /dev/tty does not ask for, what is typed is
// copied: as it is after su(1), here for a user who is not root.
func TestStreamsOfTheControllingTerminal(t *testing.T) {
	place := newTestPlace(t)
	for _, tt := range []struct{ name, before, streams, want string }{
		{"Input", "", "</dev/tty", "TTY\r\n"},
		{"All", "", "</dev/tty >/dev/tty 2>/dev/tty", "TTY\r\n"},
		{"OfAnotherUser", "chmod 0 $(tty); ", "</dev/tty", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := place.start(t, "sh", "-c", tt.before+"read go; git-seisin run --quiet dev -- sh -i "+tt.streams+"; echo status=$?")
			s.send("\ntty; echo y\"\"es; exit 3\n")
			s.expect(strings.ReplaceAll(tt.want, "TTY", slaveName(t, s.pty)))
			s.expect("yes")
			s.expect("status=3")
			s.ended()
		})
	}
}

// The terminal is opened anew inside: flags that a command sets on its stream
// would else be those of the shell's own, whose next reading fails by EAGAIN.
// Its mode is the terminal's itself, and is restored. The control is the same
// command without a box.
func TestTerminalIsLeftAsItWas(t *testing.T) {
	place := newTestPlace(t)
	const flags, modes = "grep flags: /proc/$$/fdinfo/0", "stty -g"
	for _, tt := range []struct{ name, show, command string }{
		{"Flags", flags, "dd iflag=nonblock count=0 status=none"},
		{"Modes", modes, "stty raw -echo"},
	} {
		for _, where := range []struct {
			start string
			same  bool
		}{{"", false}, {"git-seisin run --quiet dev -- ", true}, {"git-seisin run --quiet dev -- sh -i </dev/tty -c ", true}} {
			t.Run(tt.name+"/"+where.start, func(t *testing.T) {
				command := tt.command
				if strings.HasSuffix(where.start, "-c ") {
					command = "'" + command + "'"
				}
				s := place.start(t, "sh", "-c", tt.show+"; "+where.start+command+"; "+tt.show+"; stty sane; echo end")
				s.expect("end")
				s.ended()
				lines := strings.Split(s.all(), "\n")
				before, after := strings.TrimSpace(lines[0]), strings.TrimSpace(lines[1])
				if before == "" || after == "" || (before == after) != where.same {
					t.Errorf("got %q before and %q after, want them the same: %t; shown:\n%s", before, after, where.same, s.all())
				}
			})
		}
	}
}
