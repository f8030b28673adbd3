//go:build linux

package rundir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// openDir opens a directory by an absolute path in which no link may be: the
// paths of a spec have none, so an agent has put one there since.
func openDir(name string) (*os.File, error) {
	how := &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, name, how)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
			continue // EAGAIN: a rename somewhere in the system met the look-up
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return os.NewFile(uintptr(fd), name), nil
	}
}

// makeAt makes an empty directory or file below dir.
func makeAt(dir *os.File, name string, isDir bool) error {
	if isDir {
		return unix.Mkdirat(int(dir.Fd()), name, 0o777)
	}
	f, err := openAt(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	return f.Close()
}

// openAt opens name below dir, without following a link at its end.
func openAt(dir *os.File, name string, flags int, mode uint32) (*os.File, error) {
	for {
		fd, err := unix.Openat(int(dir.Fd()), name, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW, mode)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: dir.Name() + "/" + name, Err: err}
		}
		return os.NewFile(uintptr(fd), name), nil
	}
}

func readAt(dir *os.File, name string) ([]byte, error) {
	f, err := openAt(dir, name, unix.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}

// replaceAt writes name below dir so that a reader sees the old bytes or the
// new ones. Only the holder of the guard, or the owner of a run, writes a
// name, so one temporary name is enough.
func replaceAt(dir *os.File, name string, b []byte) error {
	temp := name + ".new"
	f, err := openAt(dir, temp, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	return unix.Renameat(int(dir.Fd()), temp, int(dir.Fd()), name)
}

func identify(dir *os.File, name string) (identity, error) {
	st, err := statAt(dir, name)
	if err != nil {
		return identity{}, &fs.PathError{Op: "lstat", Path: dir.Name() + "/" + name, Err: err}
	}
	return identityOf(st), nil
}

func statAt(dir *os.File, name string) (st unix.Statx_t, err error) {
	err = unix.Statx(int(dir.Fd()), name, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO|unix.STATX_SIZE|unix.STATX_BTIME, &st)
	return st, err
}

func identityOf(st unix.Statx_t) identity {
	f := identity{Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino}
	if st.Mask&unix.STATX_BTIME != 0 {
		f.Born = st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
	}
	return f
}

// guard takes the lock under which the registry is read and changed, and
// returns what gives it back. It is held for some system calls at a time.
func (d *Dir) guard() (unlock func(), err error) {
	d.mu.Lock()
	if d.runs == nil {
		d.mu.Unlock()
		return nil, errClosed
	}
	f, err := openAt(d.runs, guardName, unix.O_RDWR|unix.O_CREAT, 0o600)
	if err != nil {
		d.mu.Unlock()
		return nil, err
	}
	if err := flock(f, unix.LOCK_EX); err != nil {
		d.mu.Unlock()
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		_ = f.Close()
		d.mu.Unlock()
	}, nil
}

// lockNew makes the file name, holding content, and locks it.
func lockNew(name, content string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteString(content); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("flock", err)
		}
	}
}

// clearDead removes the directories of runs that nobody holds, and names the
// others. The guard is held.
func (d *Dir) clearDead() (alive []string, err error) {
	names, err := namesIn(d.runs)
	if err != nil {
		return nil, err
	}
	for _, id := range names {
		if len(id) > IDLen && id[IDLen] == '.' {
			_ = d.removeRun(id) // lifted out of a run that was being removed
			continue
		}
		if len(id) != IDLen || id == d.ID && d.lock == nil {
			continue
		}
		lock, err := openAt(d.runs, id+"/"+lockName, unix.O_RDONLY, 0)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) {
			_ = d.removeRun(id)
			continue
		}
		if err != nil {
			return nil, err
		}
		held := errors.Is(flock(lock, unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
		_ = lock.Close()
		if held {
			alive = append(alive, id)
			continue
		}
		// What cannot be removed now is tried again by the next run; it must
		// not keep this one from starting.
		_ = d.removeRun(id)
	}
	return alive, nil
}

// namesIn lists dir from a descriptor of its own, since a directory's read
// position is shared by all who hold one.
func namesIn(dir *os.File) ([]string, error) {
	f, err := openAt(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return f.Readdirnames(-1)
}

func (d *Dir) removeRun(id string) error { return removeAll(d.runs, id) }

// deepest is how many directories removeAll has open at a time. An agent can
// nest more of them than a process may have files.
const deepest = 64

// removeAll removes name below dir and all in it, by descriptors and without
// following links: an agent filled the directories it removes.
func removeAll(dir *os.File, name string) error {
	r := remover{top: dir, name: name}
	if err := r.remove(dir, name, 0); err != nil {
		return err
	}
	for n := 1; n <= r.lifted; n++ { // lifted grows while these are removed
		if err := r.remove(dir, r.liftedName(n), 0); err != nil {
			return err
		}
	}
	return nil
}

// A remover removes one tree. What lies too deep it lifts to the top first.
type remover struct {
	top    *os.File
	name   string
	lifted int
}

func (r *remover) liftedName(n int) string { return fmt.Sprintf("%s.%d", r.name, n) }

func (r *remover) remove(dir *os.File, name string, depth int) error {
	at := int(dir.Fd())
	err := unix.Unlinkat(at, name, 0)
	if err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err := unix.Unlinkat(at, name, unix.AT_REMOVEDIR); err == nil || errors.Is(err, unix.ENOENT) {
		return nil
	}
	if depth >= deepest {
		r.lifted++
		// To move a directory takes the right to write in it.
		if err := unix.Fchmodat(at, name, 0o700, 0); err != nil {
			return err
		}
		return unix.Renameat(at, name, int(r.top.Fd()), r.liftedName(r.lifted))
	}
	sub, err := openAt(dir, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if errors.Is(err, unix.EACCES) { // an agent may have closed it
		if err := unix.Fchmodat(at, name, 0o700, 0); err != nil {
			return err
		}
		sub, err = openAt(dir, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	}
	if err != nil {
		return err
	}
	defer func() { _ = sub.Close() }()
	_ = sub.Chmod(0o700) // it is about to go, and must be writable for that
	names, err := sub.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := r.remove(sub, n, depth+1); err != nil {
			return err
		}
	}
	return unix.Unlinkat(at, name, unix.AT_REMOVEDIR)
}

// unlinkEmpty removes m below parent if it is the very file that was made and
// nothing was put into it. It is called under the guard; a person who fills
// the file between the look and the removal loses nothing of a directory
// (rmdir sees it) and, of a file, what came in that instant. It reports whether
// nothing is left to do.
func unlinkEmpty(parent *os.File, m made) (settled bool) {
	name := path.Base(m.Path)
	st, err := statAt(parent, name)
	if err != nil || identityOf(st) != m.identity {
		return true
	}
	switch {
	case m.Dir:
		err = unix.Unlinkat(int(parent.Fd()), name, unix.AT_REMOVEDIR)
	case st.Size == 0:
		err = unix.Unlinkat(int(parent.Fd()), name, 0)
	}
	// Where we may not, such as in a directory that an agent closed to itself,
	// the next run tries again.
	return !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EROFS)
}
