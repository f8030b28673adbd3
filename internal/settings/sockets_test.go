package settings

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"seisin/internal/sandbox"
)

func listen(t *testing.T, network, p string) {
	t.Helper()
	if network == "unixgram" {
		c, err := net.ListenUnixgram(network, &net.UnixAddr{Name: p, Net: network})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return
	}
	l, err := net.Listen(network, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
}

// What the notes and the box say of a socket, wherever it is: one in a place
// of the box's own is shown by its directory, or alone (LX-8, A-37).
func TestSocketsShown(t *testing.T) {
	tmp, err := os.MkdirTemp("/tmp", "seisin")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	top := filepath.Join("/tmp", filepath.Base(tmp)+".sock")
	listen(t, "unix", top)
	listen(t, "unix", tmp+"/there")
	for _, tt := range []struct {
		name, socket, shown, note string
	}{
		{"Absent", "$OUT/none/s", "", "is not there: it can be connected to once it is"},
		{"AbsentInShown", tmp + "/none", tmp, "is not there: it can be connected to once it is"},
		{"Shown", tmp + "/there", tmp, ""},
		{"AbsentDirectly", "/tmp/seisin-none.sock", "", "/tmp is the box's own: it is not found later, so start what listens before the run"},
		{"AbsentInAbsent", tmp + "/no/s", "", "/tmp is the box's own: it is not found later, so start what listens before the run"},
		{"AbsentInRun", "/run/seisin-none.sock", "", "/run is the box's own: it is not found later"},
		{"Directly", top, top, "one that is made anew during a run is not found there"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			a := g.answer(t, asPolicy(`sockets = ["`+tt.socket+`"]`))
			var shown string
			for _, s := range a.Spec.Shown {
				if s.Part == sandbox.Socket {
					shown += s.Path
				}
			}
			if shown != tt.shown {
				t.Errorf("got shown %q, want %q", shown, tt.shown)
			}
			var notes string
			for _, n := range a.Notes {
				if strings.HasPrefix(n.What, "socket ") {
					notes += n.What
					if n.Hint != "" || n.Line == 0 {
						t.Errorf("got hint %q, line %d: want none, and its line", n.Hint, n.Line)
					}
				}
			}
			if !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
				t.Errorf("got note %q, want %q", notes, tt.note)
			}
		})
	}
}

// A socket that stands where isolation leaves a skeleton is shown alone, and is
// not found when it is made anew: the box has what stood there (LX-8, F2).
func TestSocketInASkeleton(t *testing.T) {
	g := newGround(t)
	listen(t, "unix", g.home+"/s")
	a := g.answer(t, credentialsClosed+"sockets = ['~/s', '~/later']\n")
	wantLines(t, "shown", g.grants(a.Spec.Shown, sandbox.Socket), []string{"$HOME/s file absent"})
	wantLines(t, "notes", g.notes(a), []string{
		"5: socket ~/s stands in $HOME, which is the box's own: one that is made anew during a run is not found there",
		"5: socket ~/later is not there, and $HOME is the box's own: it is not found later, so start what listens before the run",
	})
}

// The filter of a box makes no datagram sockets of the unix family, so that a
// line which names one would be a promise that nothing keeps (A-37).
func TestDatagramSocketRefused(t *testing.T) {
	g := newGround(t)
	listen(t, "unixgram", g.out+"/log")
	_, err := g.resolve(t, asPolicy(`sockets = ["$OUT/log"]`))
	if err == nil || !strings.Contains(err.Error(), "is a datagram socket") {
		t.Errorf("got %v, want that it is a datagram socket", err)
	}
	for _, network := range []string{"unix", "unixpacket"} {
		listen(t, network, g.out+"/"+network)
		g.answer(t, asPolicy(`sockets = ["$OUT/`+network+`"]`))
	}
}

func TestListsDatagram(t *testing.T) {
	const head = "Num       RefCount Protocol Flags    Type St Inode Path\n"
	line := func(kind, name string) string {
		return "0000000000000000: 00000002 00000000 00010000 " + kind + " 01    77 " + name + "\n"
	}
	for _, tt := range []struct {
		name, list string
		want       bool
	}{
		{"Nothing", head, false},
		{"Stream", head + line("0001", "/x/a b"), false},
		{"Datagram", head + line("0002", "/x/a b"), true},
		{"Other", head + line("0002", "/x/a"), false},
		{"Longer", head + line("0002", "/x/a b c"), false},
		{"Unnamed", "0000000000000000: 00000002 00000000 00010000 0002 01 77\n", false},
		{"Anew", head + line("0002", "/x/a b") + line("0001", "/x/a b"), false},
		{"Packets", head + line("0005", "/x/a b"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := listsDatagram(tt.list, "/x/a b"); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
