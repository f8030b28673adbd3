package native

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// A mask on a file falls off when the host saves the file anew, and what is
// masked by its name is open under the next name (F2). So a directory that
// holds closed names is not masked: a skeleton stands in its place, a tmpfs in
// which what is allowed is mounted. What the host makes or replaces there later
// is in another directory, which the box does not have.

// errReplaced ends a box: what is mounted in a skeleton was taken when the box
// was built, and is not there to be taken again.
var errReplaced = errors.New("it was moved or removed on the host")

// laySkeleton lays a tmpfs that has the names of what is mounted in it, and
// the links.
func (t *tree) laySkeleton(h *held) error {
	target, err := openNoLinks(h.Path)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(target) }()
	mount, err := newTmpfs()
	if err != nil {
		return err
	}
	err = t.fill(mount, h.Path)
	if err == nil {
		err = setMode(mount, h.Path, sandbox.ReadOnly)
	}
	if err != nil {
		_ = unix.Close(mount)
		return err
	}
	return h.attach(mount, target)
}

// newTmpfs makes a detached mount of an empty directory of the box's own.
func newTmpfs() (int, error) {
	fsfd, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, os.NewSyscallError("fsopen(tmpfs)", err)
	}
	defer func() { _ = unix.Close(fsfd) }()
	for _, option := range [][2]string{{"mode", "755"}, {"size", "1m"}} {
		if err := unix.FsconfigSetString(fsfd, option[0], option[1]); err != nil {
			return -1, os.NewSyscallError("fsconfig("+option[0]+")", err)
		}
	}
	if err := unix.FsconfigCreate(fsfd); err != nil {
		return -1, os.NewSyscallError("fsconfig", err)
	}
	fd, err := unix.Fsmount(fsfd, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	return fd, os.NewSyscallError("fsmount", err)
}

// fill makes the names in the skeleton at p.
func (t *tree) fill(fd int, p string) error {
	for _, m := range t.setup.Mounts {
		if t.inSkeleton(m.Path) != p {
			continue
		}
		rel := strings.TrimPrefix(m.Path, p+"/")
		if m.Kind == sandbox.Link {
			to, stood := t.links[m.Path]
			if !stood {
				continue
			}
			if err := unix.Symlinkat(to, fd, rel); err != nil {
				return &fs.PathError{Op: "symlinkat", Path: m.Path, Err: err}
			}
			continue
		}
		if t.sources[m.Path] == 0 && m.Mode != sandbox.Skeleton {
			continue
		}
		if err := makeName(fd, rel, m.Kind); err != nil {
			return &fs.PathError{Op: "make", Path: m.Path, Err: err}
		}
	}
	return nil
}

// takeLink notes where a link of a skeleton leads. One that is gone, or is no
// link any more, is not there.
func (t *tree) takeLink(p string) error {
	to, err := os.Readlink(p)
	switch {
	case err == nil:
		t.links[p] = to
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.EINVAL):
		return err
	}
	return nil
}

// inSkeleton returns the skeleton that the mount at p hangs in, or "".
func (t *tree) inSkeleton(p string) string {
	for _, m := range slices.Backward(t.setup.Mounts) { // innermost first
		if m.Path != p && sandbox.Within(p, m.Path) {
			if m.Mode == sandbox.Skeleton {
				return m.Path
			}
			return ""
		}
	}
	return ""
}

// makeName makes a name to mount on in the directory behind fd. Nobody can
// read the file: before it is covered, or where it is not, it is not to be
// taken for the host's.
func makeName(fd int, rel string, kind sandbox.Kind) error {
	parts := strings.Split(rel, "/")
	dirs := len(parts)
	if kind == sandbox.File {
		dirs--
	}
	for i := range dirs {
		err := unix.Mkdirat(fd, path.Join(parts[:i+1]...), 0o755)
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return err
		}
	}
	if kind != sandbox.File {
		return nil
	}
	file, err := unix.Openat(fd, rel, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	if err != nil {
		return err
	}
	return unix.Close(file)
}
