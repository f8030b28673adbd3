package native_test

import (
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// grab waits for the gap in which a wall is not at a.Path, takes hold of what
// is there in the way that a.Text says, and keeps it. That it has it shows in
// what it can write.
func (a act) grab() error {
	for start := time.Now(); time.Since(start) < 6*patience; { // it is a race, and the host gives it one chance a second
		won, err := a.takeHold()
		if won {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return unix.ETIMEDOUT
}

// lasts reports whether fd is what has the name a moment later.
func lasts(fd int, name string) bool {
	var had, has unix.Stat_t
	if unix.Fstat(fd, &had) != nil {
		return false
	}
	time.Sleep(30 * time.Millisecond)
	return unix.Lstat(name, &has) == nil && had.Dev == has.Dev && had.Ino == has.Ino
}

// takeHold tries once.
func (a act) takeHold() (won bool, err error) {
	flags := map[string]int{
		"directory": unix.O_RDONLY | unix.O_DIRECTORY, "reference": unix.O_PATH | unix.O_DIRECTORY, "cwd": unix.O_PATH | unix.O_DIRECTORY,
		"reader": unix.O_RDONLY, "map": unix.O_RDWR, "link": unix.O_RDONLY,
	}
	how, known := flags[a.Text]
	if !known {
		return false, fmt.Errorf("no way %q to grab", a.Text)
	}
	fd, err := unix.Open(a.Path, how, 0)
	if err != nil {
		return false, nil
	}
	keep := false
	defer func() {
		if !keep {
			_ = unix.Close(fd)
		}
	}()
	switch a.Text {
	case "reader":
		w, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_WRONLY, 0)
		if err != nil {
			return false, nil
		}
		_ = unix.Close(w)
	case "link": // not to the wall's own, which is EXDEV
		kept := a.Path + ".kept"
		if err := unix.Link(a.Path, kept); err != nil {
			return false, nil
		}
		if !lasts(fd, a.Path) {
			return false, unix.Unlink(kept)
		}
		return true, nil
	case "map": // opened for writing, or it was not opened
	default:
		w, err := unix.Openat(fd, "won", unix.O_CREAT|unix.O_WRONLY, 0o644)
		if err != nil {
			return false, nil
		}
		_ = unix.Close(w)
	}
	if !lasts(fd, a.Path) {
		return false, nil // a rename uncovers what it is about to replace, too
	}
	switch a.Text {
	case "map":
		_, err := unix.Mmap(fd, 0, 1, unix.PROT_READ, unix.MAP_SHARED)
		return true, err
	case "cwd":
		return true, unix.Fchdir(fd)
	}
	keep = true
	return true, nil
}
