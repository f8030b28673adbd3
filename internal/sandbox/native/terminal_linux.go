package native

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// maxTerminal is the greatest number of a terminal that has its name inside.
// Each below it costs the machine a pseudo-terminal for a moment, of which it
// has 4096, and a start some microseconds. A terminal with a greater number
// works inside, as /dev/tty and by the descriptors of the standard streams, and
// has no name there.
const maxTerminal = 512

// The major numbers of the terminals of devpts (UNIX98_PTY_SLAVE_MAJOR and on).
const firstPtyMajor, lastPtyMajor = 136, 143

// A terminal is the person's own, which has in the box the name that it has
// outside: programs ask for the name of what they write to (ttyname(3)), open
// it anew, and tell others of it. The nil terminal has no name there.
//
// The box's devpts is an instance of its own, in which no other terminal of the
// person's has a name (F25).
type terminal struct {
	path   string
	number int
	mount  int // detached, until it is laid
	master int // of the box's own terminal of that number, on which it is laid
}

// takeTerminal copies the mount of the terminal.
func (k *keeper) takeTerminal() (err error) {
	k.tty, err = takeTerminal(k.tree.setup.Terminal)
	return err
}

func takeTerminal(of sandbox.Terminal) (*terminal, error) {
	n, err := strconv.Atoi(path.Base(of.Path))
	if err != nil || n < 0 || n > maxTerminal || of.Path != ptsPath(n) {
		return nil, nil
	}
	fd, err := openNoLinks(of.Path)
	if errors.Is(err, unix.ENOENT) {
		return nil, nil // it was hung up
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, os.NewSyscallError("fstat", err)
	}
	major := unix.Major(st.Rdev)
	isPty := st.Mode&unix.S_IFMT == unix.S_IFCHR && major >= firstPtyMajor && major <= lastPtyMajor
	if !isPty || of.ID != (sandbox.FileID{Dev: st.Dev, Ino: st.Ino}) {
		return nil, &swapError{of.Path}
	}
	mount, err := cloneDevice(fd, of.Path)
	if err != nil {
		return nil, err
	}
	return &terminal{path: of.Path, number: n, mount: mount, master: -1}, nil
}

// lay gives the terminal its name in the box's devpts. A name is made there only
// by making a terminal, and the lowest number that is free comes first; the one
// with ours is kept, or its name would go.
func (t *terminal) lay() error {
	if t == nil {
		return nil
	}
	var lower []int
	defer func() {
		for _, fd := range lower {
			_ = unix.Close(fd)
		}
	}()
	for t.master < 0 {
		fd, err := unix.Open("/dev/pts/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EMFILE) {
			return unix.Close(t.mount) // no name, then: it works without
		}
		if err != nil {
			return os.NewSyscallError("open(/dev/pts/ptmx)", err)
		}
		n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
		if err != nil || n > t.number {
			_ = unix.Close(fd)
			return errors.Join(fmt.Errorf("got terminal %d in the box, want %d", n, t.number), err)
		}
		if n == t.number {
			t.master = fd
			break
		}
		lower = append(lower, fd)
	}
	target, err := openNoLinks(t.path)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(target) }()
	if err := attach(t.mount, target, t.path); err != nil {
		return err
	}
	return unix.Close(t.mount)
}

func ptsPath(n int) string { return "/dev/pts/" + strconv.Itoa(n) }
