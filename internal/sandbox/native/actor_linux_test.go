package native_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An act is one thing that the process in the box is told to try.
type act struct {
	Op   string `json:"op"`
	Path string `json:"path"`
	To   string `json:"to,omitempty"` // of rename, link and symlink
	Text string `json:"text,omitempty"`
	N    int    `json:"n,omitempty"` // a number: of a process, a descriptor, a key
}

// An outcome is what the kernel said to it.
type outcome struct {
	Errno int      `json:"errno"`
	Text  string   `json:"text,omitempty"`  // what was read
	Names []string `json:"names,omitempty"` // what was listed
}

func (o outcome) String() string {
	if o.Errno == 0 {
		return "ok"
	}
	return unix.ErrnoName(unix.Errno(o.Errno))
}

const actorArg = "act"

// actorCommand is this test binary as the box has it, told to be the actor.
var actorCommand = []string{"/run/seisin/git-seisin", actorArg}

// actor is the process in the box: it does what it reads, one act a line, and
// writes what came of it.
func actor() {
	if len(os.Args) != 2 || os.Args[1] != actorArg {
		return
	}
	unix.Umask(0)
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var a act
		if err := in.Decode(&a); err != nil {
			if errors.Is(err, io.EOF) {
				syscall.Exit(0) // os.Exit waits a second under -race
			}
			fmt.Fprintln(os.Stderr, "actor:", err)
			os.Exit(1)
		}
		if err := out.Encode(a.do()); err != nil {
			os.Exit(1)
		}
	}
}

func (a act) do() (o outcome) {
	err := a.try(&o)
	if e, ok := errors.AsType[unix.Errno](err); ok {
		o.Errno = int(e)
	} else if err != nil {
		o.Errno, o.Text = int(unix.EIO), err.Error()
	}
	return o
}

func (a act) try(o *outcome) error {
	switch a.Op {
	case "read":
		return a.read(o)
	case "list":
		entries, err := os.ReadDir(a.Path)
		for _, e := range entries {
			o.Names = append(o.Names, e.Name())
		}
		slices.Sort(o.Names)
		return err
	case "mounts":
		return mountPoints(o)
	case "create":
		return a.open(unix.O_CREAT | unix.O_EXCL | unix.O_WRONLY)
	case "write":
		return a.open(unix.O_WRONLY | unix.O_APPEND)
	case "save":
		return a.open(unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC)
	case "truncate":
		return unix.Truncate(a.Path, 0)
	case "chmod":
		return unix.Chmod(a.Path, 0o755)
	case "utimes":
		now := unix.NsecToTimespec(time.Now().UnixNano())
		return unix.UtimesNanoAt(unix.AT_FDCWD, a.Path, []unix.Timespec{now, now}, 0)
	case "mkdir":
		return unix.Mkdir(a.Path, 0o755)
	case "mkfifo":
		return unix.Mknod(a.Path, unix.S_IFIFO|0o644, 0)
	case "symlink":
		return unix.Symlink(a.To, a.Path)
	case "unlink":
		return unix.Unlink(a.Path)
	case "rmdir":
		return unix.Rmdir(a.Path)
	case "rename":
		return unix.Rename(a.Path, a.To)
	case "link":
		return unix.Link(a.Path, a.To)
	case "connect":
		s, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		defer func() { _ = unix.Close(s) }()
		return unix.Connect(s, &unix.SockaddrUnix{Name: a.Path})
	case "listen":
		s, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		if err := unix.Bind(s, &unix.SockaddrUnix{Name: a.Path}); err != nil {
			return err
		}
		return unix.Listen(s, 1)
	case "chdir":
		return unix.Chdir(a.Path)
	case "grab":
		return a.grab()
	}
	if attack, ok := attacks[a.Op]; ok {
		return attack(a, o)
	}
	return fmt.Errorf("no act %q", a.Op)
}

// mountPoints lists where mounts are in this process's namespace.
func mountPoints(o *outcome) error {
	b, err := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 4 {
			o.Names = append(o.Names, f[4])
		}
	}
	return err
}

func (a act) read(o *outcome) error {
	fd, err := unix.Open(a.Path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	buf := make([]byte, 4096)
	n, err := unix.Read(fd, buf)
	o.Text = string(buf[:max(n, 0)])
	return errors.Join(err, unix.Close(fd))
}

// open never waits: a FIFO without a reader gives ENXIO.
func (a act) open(flags int) error {
	fd, err := unix.Open(a.Path, flags|unix.O_NONBLOCK|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte(a.Text))
	return errors.Join(err, unix.Close(fd))
}
