package native

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// A key is opened in a directory that is hidden as a whole. Its name there is
// in a directory of the box's own, which hides the host's; on that name its file
// is mounted, found by descriptor behind the mask. So the host may replace the
// file, whose name no mount hangs on: the keeper learns of it by watching the
// directory behind the mask, and mounts the new one (F2).

// openedDir holds the box's own directories that hide those of the host. What
// can be seen there is what can be seen at the places themselves.
const openedDir = boxDir + "/opened"

// A mask is a hidden directory in which something is opened.
type mask struct {
	dir    string // the box's own directory, below openedDir
	names  int    // the same, where names can be made also when /run is sealed
	behind int    // the host's directory that it hides, O_PATH; -1 while there is none
	fixed  bool   // it hangs in the run's own files, which the host's are not behind
}

func masksOf(mounts []sandbox.Mount) map[string]*mask {
	masks := map[string]*mask{}
	for _, m := range mounts {
		if m.Opens == "" || masks[m.Opens] != nil {
			continue
		}
		k := &mask{dir: path.Join(openedDir, strconv.Itoa(len(masks))), names: -1, behind: -1}
		for _, around := range mounts { // outermost first
			if around.Path != m.Opens && sandbox.Within(m.Opens, around.Path) {
				k.fixed = around.Own
			}
		}
		masks[m.Opens] = k
	}
	return masks
}

// look takes the host's directory at p, before anything covers it.
func (k *mask) look(p string) error {
	fd, err := openNoLinks(p)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	k.behind = fd
	return err
}

// makeMasks makes the box's own directories, and keeps a mount of each that
// stays writable.
func (t *tree) makeMasks() error {
	if len(t.masks) == 0 {
		return nil
	}
	if err := mkdirs(openedDir); err != nil {
		return err
	}
	for _, k := range t.masks {
		if err := mkdirs(k.dir); err != nil {
			return err
		}
		fd, err := openNoLinks(k.dir)
		if err != nil {
			return err
		}
		k.names, err = cloneOf(fd, k.dir)
		_ = unix.Close(fd)
		if err != nil {
			return err
		}
	}
	return nil
}

// cover takes note that k hides what target is.
func (k *mask) cover(target int) error {
	if k.fixed {
		return nil
	}
	fd, err := unix.FcntlInt(uintptr(target), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	if k.behind >= 0 {
		_ = unix.Close(k.behind)
	}
	k.behind = fd
	return nil
}

// uncover forgets the directory: the mount that it is seen through may be gone
// with what surrounds it, and nothing can be taken from there any more.
func (k *mask) uncover() {
	if !k.fixed && k.behind >= 0 {
		_ = unix.Close(k.behind)
		k.behind = -1
	}
}

// at opens, for reference only, what has the name rel behind the mask. No link
// is followed, and nothing but what lies below (A-32, SD-5).
func (k *mask) at(rel string) (int, error) {
	if k.behind < 0 {
		return -1, unix.ENOENT
	}
	how := &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(k.behind, rel, how)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
			continue
		}
		if err != nil {
			return -1, &fs.PathError{Op: "openat2", Path: rel, Err: err}
		}
		return fd, nil
	}
}

// rel is h's name behind its mask.
func (h *held) rel() string { return strings.TrimPrefix(h.Path, h.Opens+"/") }

// source opens what h is to show. What is no such file, is not there.
func (h *held) source() (int, sandbox.FileID, error) {
	fd, err := h.mask.at(h.rel())
	if err != nil {
		return -1, sandbox.FileID{}, err
	}
	id, mode, err := identityOf(fd)
	isKind := mode&unix.S_IFMT == unix.S_IFREG && h.Kind == sandbox.File || mode&unix.S_IFMT == unix.S_IFDIR && h.Kind == sandbox.Dir
	if err == nil && !isKind {
		err = unix.ENOENT
	}
	if err != nil {
		_ = unix.Close(fd)
		return -1, sandbox.FileID{}, err
	}
	return fd, id, nil
}

// layOpened opens h for the first time: it must be what it was when the spec
// was made.
func (h *held) layOpened() error {
	err := h.open()
	switch {
	case isMissing(err) && h.ID == (sandbox.FileID{}):
		return nil // the renewer waits for it
	case err == nil && h.file != h.ID:
		return &swapError{h.Path}
	}
	return err
}

// open mounts what h shows now.
func (h *held) open() error {
	from, id, err := h.source()
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(from) }()
	mount, err := cloneOf(from, h.Path)
	if err != nil {
		return err
	}
	if err = setMode(mount, h.Path, h.Mode); err == nil {
		err = h.giveName()
	}
	var target int
	if err == nil {
		target, err = openNoLinks(h.Path)
	}
	if err != nil {
		_ = unix.Close(mount)
		return err
	}
	defer func() { _ = unix.Close(target) }()
	h.file = id
	return h.attach(mount, target)
}

// giveName makes the name in the box's own directory that h is mounted on. The
// file of that name can be read by nobody: between two mounts it shall not be
// taken for an empty key.
func (h *held) giveName() error {
	if err := makeName(h.mask.names, h.rel(), h.Kind); err != nil {
		return &fs.PathError{Op: "make", Path: h.Path, Err: err}
	}
	return nil
}

// takeName takes the name away again: what is not there on the host shall not
// be there as an empty file.
func (h *held) takeName() {
	flags := 0
	if h.Kind == sandbox.Dir {
		flags = unix.AT_REMOVEDIR
	}
	_ = unix.Unlinkat(h.mask.names, h.rel(), flags)
}

// sameBehind reports whether what h shows is what its name leads to now.
func (h *held) sameBehind() (bool, error) {
	if h.Opens == "" {
		return true, nil
	}
	fd, id, err := h.source()
	if isMissing(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_ = unix.Close(fd)
	return id == h.file, nil
}

// isMissing reports whether err says that nothing is there, or a link, or
// what is no directory on the way.
func isMissing(err error) bool {
	return slices.ContainsFunc([]error{unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.EXDEV}, func(e error) bool { return errors.Is(err, e) })
}

// watchBehind asks for a report of each change of the names that lead to h
// behind its mask.
func (r *renewer) watchBehind(h *held, names map[int32]map[string]bool) {
	for rel := h.rel(); rel != "."; rel = path.Dir(rel) {
		fd, err := h.mask.at(path.Dir(rel))
		if isMissing(err) {
			continue // who holds its name is watched next
		}
		if err == nil {
			var wd int32
			if wd, err = r.addAt(fd); err == nil {
				note(names, wd, path.Base(rel))
			}
			_ = unix.Close(fd)
		}
		if err != nil && !isMissing(err) {
			r.poll = true
		}
	}
}
