package settings

import (
	"os"
	"path/filepath"
	"strings"
)

// isDatagram reports whether the unix socket at p, a real path, takes
// datagrams only, as far as the kernel tells: it lists a socket by the path
// that it was bound to, and those of other network namespaces not at all.
func isDatagram(p string) bool {
	b, err := os.ReadFile("/proc/net/unix")
	return err == nil && listsDatagram(string(b), p)
}

// listsDatagram looks p up in a list as /proc/net/unix has it. A name that was
// given to a new socket stands there twice while the old one is open: then
// nothing is said against it.
func listsDatagram(list, p string) bool {
	const stream, datagram, seqpacket = "0001", "0002", "0005"
	found := false
	for line := range strings.Lines(list) {
		kind, name := unixLine(strings.TrimSuffix(line, "\n"))
		if filepath.Base(name) != filepath.Base(p) {
			continue
		}
		if real, err := realPath(name); name != p && (err != nil || real != p) {
			continue
		}
		switch kind {
		case stream, seqpacket:
			return false
		case datagram:
			found = true
		}
	}
	return found
}

// unixLine is the type and the path of a line: "Num: RefCount Protocol Flags
// Type St Inode Path". The path may have spaces.
func unixLine(line string) (kind, name string) {
	for i := range 7 {
		field, rest, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		if i == 4 {
			kind = field
		}
		line = rest
	}
	return kind, line
}
