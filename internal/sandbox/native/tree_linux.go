package native

import (
	"cmp"
	"errors"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// devices are the nodes of the box's own /dev, bound from the host's.
var devices = []string{"full", "null", "random", "tty", "urandom", "zero"}

const (
	boxDir    = "/run/seisin" // read-only inside
	marker    = boxDir + "/box"
	emptyDir  = boxDir + "/empty"
	emptyFile = boxDir + "/none"
	ownBinary = boxDir + "/git-seisin"
)

// A tree is the mount tree of a box under construction. It works in two
// halves: first every source is taken from the host's tree as it is, as a
// detached mount; then they are laid over each other. In between the whole
// tree is made read-only.
type tree struct {
	setup   setup
	devices map[string]int
	binary  int
	sources map[string]int    // detached mounts by path inside
	links   map[string]string // where those of skeletons lead, by path
	held    []held            // in the order of setup.Mounts; builtins left out
	masks   map[string]*mask  // by path inside: hidden places in which something is opened
}

// held is a mount of the plan as it stands, or is missing, right now.
type held struct {
	sandbox.Mount
	fd int    // the mount's root, O_PATH; -1 while it is missing
	id uint64 // the kernel's id of the mount; not used again while fd is open

	mask *mask          // of a hidden place in which something is opened, and of what is
	file sandbox.FileID // what is mounted, of what is opened
}

func newTree(s setup) *tree {
	return &tree{setup: s, devices: map[string]int{}, sources: map[string]int{}, links: map[string]string{}, binary: -1, masks: masksOf(s.Mounts)}
}

// takeDevices copies the device nodes' mounts before the tree becomes nodev.
func (t *tree) takeDevices() error {
	for _, name := range devices {
		p := path.Join("/dev", name)
		fd, err := openNoLinks(p)
		if err != nil {
			return err
		}
		m, err := cloneDevice(fd, p)
		_ = unix.Close(fd)
		if err != nil {
			return err
		}
		t.devices[name] = m
	}
	return nil
}

// cloneDevice copies the mount of a device node that shall work inside.
func cloneDevice(fd int, p string) (int, error) {
	m, err := cloneOf(fd, p)
	if err != nil {
		return -1, err
	}
	// Read-only does not keep a device from being written; it keeps root
	// from changing the host node's mode.
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NOEXEC}
	if err := unix.MountSetattr(m, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		_ = unix.Close(m)
		return -1, os.NewSyscallError("mount_setattr", err)
	}
	return m, nil
}

// takeBinary copies the mount of the running program. /proc/self/exe itself
// leads to the supervisor's mount, which cannot be copied here, so the file is
// opened by its name and compared.
func (t *tree) takeBinary() error {
	name, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return err
	}
	var running unix.Stat_t
	if err := unix.Stat("/proc/self/exe", &running); err != nil {
		return os.NewSyscallError("stat(/proc/self/exe)", err)
	}
	t.binary, err = takeSource(name, sandbox.Mount{
		Path: name, Mode: sandbox.ReadOnly, ID: sandbox.FileID{Dev: running.Dev, Ino: running.Ino},
	})
	return err
}

// takeSources copies the mount behind each path of the plan.
func (t *tree) takeSources() error {
	for _, m := range t.setup.Mounts {
		if sandbox.Builtin(m.Path) || m.Mode == sandbox.Empty || m.Mode == sandbox.Skeleton || m.Opens != "" {
			continue // what is opened is taken from behind its mask
		}
		if m.Kind == sandbox.Link && t.inSkeleton(m.Path) != "" {
			if err := t.takeLink(m.Path); err != nil {
				return err
			}
			continue
		}
		from := m.Path
		if m.Own {
			from, m.ID = t.setup.Own[m.Path], sandbox.FileID{}
		}
		mount, err := takeSource(from, m)
		if errors.Is(err, unix.ENOENT) && !m.Own {
			continue // it is mounted when the host has made it
		}
		if err != nil {
			return err
		}
		t.sources[m.Path] = mount
	}
	for p, k := range t.masks {
		if err := k.look(p); err != nil {
			return err
		}
	}
	return nil
}

func takeSource(from string, m sandbox.Mount) (int, error) {
	fd, err := openNoLinks(from)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(fd) }()
	id, _, err := identityOf(fd)
	if err != nil {
		return -1, err
	}
	if m.ID != (sandbox.FileID{}) && id != m.ID {
		return -1, &swapError{m.Path}
	}
	mount, err := cloneOf(fd, from)
	if err != nil {
		return -1, err
	}
	return mount, setMode(mount, from, m.Mode)
}

// closeHost makes the whole of the host's tree, as this namespace has it,
// private, read-only, nosuid and nodev.
func (*tree) closeHost() error {
	attr := unix.MountAttr{Attr_set: alwaysSet | unix.MOUNT_ATTR_RDONLY, Propagation: unix.MS_PRIVATE}
	return os.NewSyscallError("mount_setattr(/)", unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &attr))
}

// layDev mounts the box's own /dev.
func (t *tree) layDev() error {
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=755,size=64k"); err != nil {
		return os.NewSyscallError("mount /dev", err)
	}
	for _, name := range devices {
		p := path.Join("/dev", name)
		if err := touch(p, 0o666); err != nil {
			return err
		}
		if err := t.attachAt(t.devices[name], p); err != nil {
			return err
		}
	}
	for _, link := range [][2]string{
		{"/proc/self/fd", "/dev/fd"}, {"/proc/self/fd/0", "/dev/stdin"}, {"/proc/self/fd/1", "/dev/stdout"},
		{"/proc/self/fd/2", "/dev/stderr"}, {"pts/ptmx", "/dev/ptmx"},
	} {
		if err := os.Symlink(link[0], link[1]); err != nil {
			return err
		}
	}
	if err := mkdirs("/dev/pts", "/dev/shm"); err != nil {
		return err
	}
	// An instance of its own: the host's terminals have no name inside.
	if err := unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"); err != nil {
		return os.NewSyscallError("mount /dev/pts", err)
	}
	return os.NewSyscallError("mount /dev/shm", unix.Mount("tmpfs", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"))
}

// layRun mounts the box's own /run, with the marker by which a run inside a
// run is known, and the program itself.
func (t *tree) layRun() error {
	if err := unix.Mount("tmpfs", "/run", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=1m"); err != nil {
		return os.NewSyscallError("mount /run", err)
	}
	if err := mkdirs(boxDir, emptyDir); err != nil {
		return err
	}
	if err := os.WriteFile(marker, []byte(t.setup.Role+"\n"), 0o444); err != nil {
		return err
	}
	if err := touch(emptyFile, 0o444); err != nil {
		return err
	}
	if err := touch(ownBinary, 0o555); err != nil {
		return err
	}
	if err := t.makeMasks(); err != nil {
		return err
	}
	return t.attachAt(t.binary, ownBinary)
}

// layPlan lays the mounts of the plan, outermost first.
func (t *tree) layPlan() error {
	for _, m := range t.setup.Mounts {
		if sandbox.Builtin(m.Path) {
			continue
		}
		h := held{Mount: m, fd: -1, mask: t.masks[cmp.Or(m.Opens, m.Path)]}
		if err := t.lay(&h); err != nil {
			return err
		}
		t.held = append(t.held, h)
	}
	return nil
}

// takeDown takes every mount of the plan off again. A name with a mount on it in
// this namespace cannot be removed from here.
func (t *tree) takeDown() {
	for i := range slices.Backward(t.held) {
		t.held[i].drop()
	}
}

func (t *tree) lay(h *held) error {
	switch {
	case h.Opens != "":
		return h.layOpened()
	case h.Mode == sandbox.Skeleton:
		return t.laySkeleton(h)
	case t.inSkeleton(h.Path) != "" && t.sources[h.Path] == 0 && h.Mode != sandbox.Empty:
		return nil // it was not there, or is a link, which the skeleton has
	}
	if sandbox.Within(h.Path, "/run") {
		if err := standIn(h.Path, h.Kind); err != nil {
			return err
		}
	}
	target, err := openNoLinks(h.Path)
	if errors.Is(err, unix.ENOENT) && h.ID == (sandbox.FileID{}) {
		return nil // the renewer waits for it
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(target) }()
	mount := t.sources[h.Path]
	if h.Mode == sandbox.Empty {
		if mount, err = h.emptyMount(target); err != nil {
			return err
		}
	}
	if mount == 0 {
		return &swapError{h.Path} // it has come since the sources were taken
	}
	return h.attach(mount, target)
}

// attach lays mount on target and takes note of it.
func (h *held) attach(mount, target int) (err error) {
	if err := attach(mount, target, h.Path); err != nil {
		_ = unix.Close(mount)
		return err
	}
	h.fd = mount
	h.id, _, err = mountIDOf(mount)
	return err
}

// emptyMount makes a detached mount of an empty directory or file, whichever
// target is: of h's own directory, where something in it is opened.
func (h *held) emptyMount(target int) (int, error) {
	_, mode, err := identityOf(target)
	if err != nil {
		return -1, err
	}
	from := emptyFile
	switch {
	case mode&unix.S_IFMT == unix.S_IFDIR && h.mask != nil:
		if err := h.mask.cover(target); err != nil {
			return -1, err
		}
		from = h.mask.dir
	case mode&unix.S_IFMT == unix.S_IFDIR:
		from = emptyDir
	}
	fd, err := openNoLinks(from)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(fd) }()
	m, err := cloneOf(fd, from)
	if err != nil {
		return -1, err
	}
	return m, setMode(m, from, sandbox.ReadOnly)
}

// seal makes the box's own /dev and /run read-only, now that all of the plan
// stands in them.
func (*tree) seal() error {
	for _, p := range []string{"/dev", "/run"} {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(unix.AT_FDCWD, p, 0, &attr); err != nil {
			return os.NewSyscallError("mount_setattr("+p+")", err)
		}
	}
	return nil
}

func (t *tree) attachAt(mount int, p string) error {
	target, err := openNoLinks(p)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(target) }()
	if err := attach(mount, target, p); err != nil {
		return err
	}
	return unix.Close(mount)
}

// standIn makes p, to mount on, in a directory of the box's own.
func standIn(p string, kind sandbox.Kind) error {
	if kind != sandbox.File {
		return os.MkdirAll(p, 0o755)
	}
	if err := os.MkdirAll(path.Dir(p), 0o755); err != nil {
		return err
	}
	return touch(p, 0o644)
}

func touch(p string, mode os.FileMode) error {
	f, err := os.OpenFile(p, os.O_CREATE|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	return f.Close()
}

func mkdirs(paths ...string) error {
	for _, p := range paths {
		if err := os.Mkdir(p, 0o755); err != nil {
			return err
		}
	}
	return nil
}
