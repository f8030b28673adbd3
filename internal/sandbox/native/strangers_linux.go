package native

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// A wall that was renewed stands before who comes by name. It does not stand
// before a process that opened what lies behind it in the gap, by whatever
// descriptor: one of a directory leads to everything in it, and one for reading
// can be opened anew for writing (proc(5), /proc/PID/fd). So the box's processes
// are looked at after each renewal, and one that keeps hold of such a place ends
// the run.
//
// What is on its way in a socket is not seen, so the looks come when nobody
// expects them.

// holdTime is how long a process may keep hold of what came in a wall's place.
// The host's own editor has closed it by then, and one that passed by is gone.
const holdTime = 500 * time.Millisecond

// looks is how often it is looked, and lookEvery the longest time between.
const (
	looks     = 8
	lookEvery = time.Second
)

// A watch is a wall that was renewed, and is looked at.
type watch struct {
	next time.Time
	left int
}

func newWatch(now time.Time) *watch { return &watch{next: now.Add(holdTime), left: looks} }

// lookAtStrangers looks where it is time to. It returns for how many
// milliseconds there is nothing to do; -1 is for good.
func (r *renewer) lookAtStrangers() (timeout int) {
	timeout = -1
	now := time.Now()
	for h, w := range r.fresh {
		if h.fd >= 0 && !now.Before(w.next) {
			stranger, err := r.keeper.stranger(h)
			switch {
			case err != nil:
				r.fall(h.Path, "it was replaced on the host, and who holds what came in its place cannot be seen: "+err.Error())
			case stranger || !unheld(h) || hasOtherName(h):
				r.fall(h.Path, "it was replaced on the host, and a process took hold of what came in its place")
			}
			w.left--
			w.next = now.Add(time.Millisecond + rand.N(lookEvery))
		}
		if w.left == 0 {
			delete(r.fresh, h)
			continue
		}
		if ms := int(w.next.Sub(now)/time.Millisecond) + 1; timeout < 0 || ms < timeout {
			timeout = max(ms, 1)
		}
	}
	return timeout
}

// hasOtherName reports whether h's file has a second name: on a link that was
// made in the gap there is no wall, for good.
func hasOtherName(h *held) bool {
	var st unix.Stat_t
	return h.Kind == sandbox.File && h.Mode == sandbox.ReadOnly && unix.Fstat(h.fd, &st) == nil && st.Nlink > 1
}

// unheld reports whether nobody has h's file open for writing, as a read
// lease tells: the kernel grants none otherwise (F8). It sees also descriptors
// that are in no process.
func unheld(h *held) bool {
	if h.Kind != sandbox.File || h.Mode != sandbox.ReadOnly {
		return true
	}
	fd, err := unix.Open(fdPath(h.fd), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.EAGAIN) {
		return false // somebody has a lease for writing
	}
	if err != nil {
		return true // it cannot be read here, nor by the role
	}
	defer func() { _ = unix.Close(fd) }() // gives the lease back
	_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
	return !errors.Is(err, unix.EAGAIN) // granted; or another user's file, on which we get none
}

// stranger reports whether a process of the box holds something at or below
// h's name that does not lie in h's mount.
func (k *keeper) stranger(h *held) (bool, error) {
	mounts, err := k.mountsIn(h)
	if err != nil {
		return false, err
	}
	pids, err := k.boxPIDs()
	if err != nil {
		return false, err
	}
	for _, pid := range pids {
		if pid == k.initPID {
			continue // ours, and as undumpable as we are
		}
		tasks, err := namesOf(pid + "/task")
		if err != nil {
			continue // it has ended
		}
		// A thread may have descriptors and directories of its own.
		for _, task := range tasks {
			if taskHolds(pid+"/task/"+task, h.Path, mounts) {
				return true, nil
			}
		}
	}
	return false, nil
}

// taskHolds reports whether a task has a file at or below name, in none of mounts.
func taskHolds(task, name string, mounts map[uint64]bool) bool {
	links := []string{task + "/cwd", task + "/root", task + "/exe"}
	fds, err := namesOf(task + "/fd")
	if errors.Is(err, unix.EACCES) {
		return true // it hides what it has, as a program that may not be read does
	}
	for _, fd := range fds {
		links = append(links, task+"/fd/"+fd)
	}
	for _, link := range links {
		to, err := os.Readlink(link)
		if errors.Is(err, unix.ENAMETOOLONG) {
			return true // so deep that the kernel does not say where: it was dug to hide there
		}
		if err != nil || !sandbox.Within(to, name) {
			continue
		}
		fd, err := unix.Open(link, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // closed meanwhile
		}
		id, _, err := mountIDOf(fd)
		_ = unix.Close(fd)
		if err == nil && !mounts[id] {
			return true
		}
	}
	return shares(task, name)
}

// shares reports whether a task shares memory with a file at or below name. A
// wall's mount allows no writing, so that it was not mapped for that there, but
// one that is mapped for reading may have been opened for more.
func shares(task, name string) bool {
	b, err := os.ReadFile(task + "/maps")
	if err != nil {
		return false
	}
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		f := bytes.SplitN(line, []byte(" "), 3)
		if len(f) < 3 || len(f[1]) < 4 || f[1][3] != 's' {
			continue
		}
		if i := bytes.IndexByte(f[2], '/'); i >= 0 && sandbox.Within(string(f[2][i:]), name) {
			return true
		}
	}
	return false
}

// mountsIn returns the ids of h's mount and of those on it.
func (k *keeper) mountsIn(h *held) (map[uint64]bool, error) {
	b, err := os.ReadFile("self/mountinfo")
	if err != nil {
		return nil, err
	}
	in := map[uint64]bool{h.id: true}
	for line := range strings.Lines(string(b)) { // a mount comes after what it is on
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		id, err1 := strconv.ParseUint(f[0], 10, 64)
		parent, err2 := strconv.ParseUint(f[1], 10, 64)
		if err1 == nil && err2 == nil && in[parent] {
			in[id] = true
		}
	}
	return in, nil
}

// boxPIDs returns the processes of the box by their numbers on the host.
func (k *keeper) boxPIDs() (pids []string, err error) {
	if k.initPID == "" {
		if k.initPID, err = pidOf(pidfdFD); err != nil {
			return nil, err
		}
	}
	var box unix.Stat_t
	if err := unix.Stat(k.initPID+"/ns/pid", &box); err != nil {
		return nil, os.NewSyscallError("stat(ns/pid)", err)
	}
	names, err := namesOf(".")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		if inNamespace(name+"/ns/pid", box) {
			pids = append(pids, name)
		}
	}
	return pids, nil
}

// inNamespace reports whether a pid namespace is box or below it: a role with
// userns makes its own.
func inNamespace(name string, box unix.Stat_t) bool {
	const nsGetParent = 0xb702 // NS_GET_PARENT of <linux/nsfs.h>
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false // another user's, or gone
	}
	for {
		var st unix.Stat_t
		if unix.Fstat(fd, &st) == nil && st.Ino == box.Ino && st.Dev == box.Dev {
			_ = unix.Close(fd)
			return true
		}
		parent, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), nsGetParent, 0)
		_ = unix.Close(fd)
		if errno != 0 {
			return false // EPERM: the next is out of our sight
		}
		fd = int(parent)
	}
}

// pidOf returns the number of the process behind a pidfd.
func pidOf(pidfd int) (string, error) {
	b, err := os.ReadFile("self/fdinfo/" + strconv.Itoa(pidfd))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(b)) {
		if pid, ok := strings.CutPrefix(line, "Pid:"); ok {
			return strings.TrimSpace(pid), nil
		}
	}
	return "", errors.New("a pidfd without a pid")
}

// namesOf lists a directory of the host's /proc, which is the working directory.
func namesOf(dir string) ([]string, error) {
	f, err := os.Open(path.Clean(dir))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.Readdirnames(-1)
}
