package native_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// grab waits for the gap in which a wall is not at a.Path, takes hold of what
// is there in the way that a.Text says, and keeps it. That it has it shows in
// what it can write. A file at a.To asks the host to leave things as they are.
func (a act) grab() error {
	take, known := map[string]func() (*hold, error){
		"directory": a.takeDirectory, "cwd": a.takeDirectory, "deep": a.takeDirectory, "nested": a.takeDirectory,
		"reference": a.takeDirectory, "reader": a.takeReader, "map": a.takeWriter, "link": a.takeLink, "program": a.takeDirectory,
	}[a.Text]
	if !known {
		return fmt.Errorf("no way %q to grab", a.Text)
	}
	for start := time.Now(); time.Since(start) < 4*patience; { // it is a race
		h, err := take()
		if err != nil {
			continue
		}
		if err := os.WriteFile(a.To, nil, 0o644); err != nil {
			return err
		}
		if h.lasts(a.Path) {
			return h.keep(a)
		}
		h.letGo() // a rename uncovers what it is about to replace, too
		if err := os.Remove(a.To); err != nil {
			return err
		}
	}
	return unix.ETIMEDOUT
}

// A hold is what was taken.
type hold struct {
	fd   int
	link string
}

func (h *hold) letGo() {
	_ = unix.Close(h.fd)
	if h.link != "" {
		_ = os.Remove(h.link)
	}
}

// lasts reports whether h is what has the name a moment later.
func (h *hold) lasts(name string) bool {
	var had, has unix.Stat_t
	if unix.Fstat(h.fd, &had) != nil {
		return false
	}
	time.Sleep(300 * time.Millisecond)
	return unix.Lstat(name, &has) == nil && had.Dev == has.Dev && had.Ino == has.Ino
}

func (a act) takeDirectory() (*hold, error) {
	how := unix.O_RDONLY
	if a.Text == "reference" {
		how = unix.O_PATH
	}
	fd, err := unix.Open(a.Path, how|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	w, err := unix.Openat(fd, "won", unix.O_CREAT|unix.O_WRONLY, 0o644)
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return &hold{fd: fd}, unix.Close(w)
}

// takeReader opens for reading what it can open anew for writing.
func (a act) takeReader() (*hold, error) {
	fd, err := unix.Open(a.Path, unix.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	w, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_WRONLY, 0)
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return &hold{fd: fd}, unix.Close(w)
}

func (a act) takeWriter() (*hold, error) {
	fd, err := unix.Open(a.Path, unix.O_RDWR, 0)
	return &hold{fd: fd}, err
}

// takeLink makes a second name. From a wall's own mount that is EXDEV.
func (a act) takeLink() (*hold, error) {
	fd, err := unix.Open(a.Path, unix.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	h := &hold{fd: fd, link: a.Path + ".kept"}
	if err := unix.Link(a.Path, h.link); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return h, nil
}

// keep keeps what was taken in the way that a says, and nothing else.
func (h *hold) keep(a act) (err error) {
	switch a.Text {
	case "map":
		_, err = unix.Mmap(h.fd, 0, 1, unix.PROT_READ, unix.MAP_SHARED)
	case "cwd":
		err = unix.Fchdir(h.fd)
	case "deep": // where the kernel does not say any more where it is
		for range 25 {
			name := strings.Repeat("d", 200)
			if err := unix.Mkdirat(h.fd, name, 0o755); err != nil {
				return err
			}
			next, err := unix.Openat(h.fd, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
			if err != nil {
				return err
			}
			_ = unix.Close(h.fd)
			h.fd = next
		}
		return nil
	case "nested": // in a pid namespace of its own
		cmd := exec.Command("sleep", "1000")
		cmd.ExtraFiles = []*os.File{os.NewFile(uintptr(h.fd), "held")}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWPID}
		err = cmd.Start()
		_ = cmd.ExtraFiles[0].Close()
		return err
	case "program": // which has it as its executable, and by nothing else
		err = exec.Command(fmt.Sprintf("/proc/self/fd/%d/tool", h.fd), "1000").Start()
	case "link":
	default:
		return nil
	}
	_ = unix.Close(h.fd)
	return err
}
