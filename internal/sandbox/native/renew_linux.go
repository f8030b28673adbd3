package native

import (
	"errors"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// A mount hangs on a name, and the host may replace the name: an editor's
// save, git checkout, mv. The mount then falls off, or moves away with what
// it stood on. The renewer puts it back. It learns of it in two ways: the
// mount table changes when a mount falls off, and the directories that lead
// to a mount report renames, which change no mount table.
//
// This is repair, not a boundary: a process inside that waits for the gap may
// use it. Where that matters, Plan has a mount only if a writable place
// surrounds it, and check says so.

// grace is how long a name may be absent before something is done about it.
// An editor that saves by rename, and git checkout, leave it absent for well
// under a millisecond.
const grace = 50 * time.Millisecond

// patience is how long a stand-in may take to appear.
const patience = 2 * time.Second

type renewer struct {
	keeper *keeper
	notify int // inotify
	wakeR  *os.File
	wakeW  *os.File
	names  map[int32]map[string]bool // what matters in each watched directory
	absent map[string]*absence       // by path
	fresh  map[*held]*watch          // walls that were renewed a moment ago
	poll   bool                      // some directory cannot be watched
	blind  bool                      // some name could not be looked at just now
}

// An absence is a name that is missing, or a link, where a mount belongs.
type absence struct {
	since time.Time
	gone  sandbox.Gone
	asked bool // for a stand-in
}

func newRenewer(k *keeper) (*renewer, error) {
	r := &renewer{keeper: k, absent: map[string]*absence{}, fresh: map[*held]*watch{}}
	var err error
	if r.wakeR, r.wakeW, err = os.Pipe(); err != nil {
		return nil, err
	}
	r.notify, err = unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if errors.Is(err, unix.EMFILE) {
		r.notify, r.poll = -1, true // the user's instances are used up
		return r, nil
	}
	return r, os.NewSyscallError("inotify_init1", err)
}

func (r *renewer) wake() { _, _ = r.wakeW.Write([]byte{0}) }

// pollEvery is the pace at which mounts are looked at while a directory
// cannot be watched, or while a name is absent.
const pollEvery = 5 * time.Millisecond

func (r *renewer) run(stop <-chan struct{}) {
	fds := []unix.PollFd{
		{Fd: int32(r.wakeR.Fd()), Events: unix.POLLIN},
		{Fd: int32(r.keeper.mountsFD), Events: unix.POLLPRI},
		{Fd: int32(r.notify), Events: unix.POLLIN}, // poll ignores -1
	}
	for changed := r.look(); ; changed = r.pass() { // what leads to the mounts is watched already
		for changed {
			changed = r.pass()
		}
		timeout := r.lookAtStrangers()
		if r.poll || r.blind || r.hurried() {
			timeout = int(pollEvery / time.Millisecond)
		}
		for {
			_, err := unix.Poll(fds, timeout)
			if err != nil && !errors.Is(err, unix.EINTR) {
				r.fall("", "mounts cannot be watched: "+err.Error())
				return
			}
			select {
			case <-stop:
				return
			default:
			}
			if timeout >= 0 || fds[1].Revents != 0 || r.drain() {
				break
			}
		}
	}
}

// pass watches what leads to the mounts, and looks at them.
func (r *renewer) pass() (changed bool) {
	r.watch()
	return r.look()
}

// look looks at each mount once and renews what fell off. It reports whether it
// changed anything, since what it did may have met another change.
func (r *renewer) look() (changed bool) {
	r.blind = false
	for i := range r.keeper.tree.held {
		h := &r.keeper.tree.held[i]
		stands, err := h.stands()
		if err != nil {
			// It cannot be seen, which is no reason to take it off: a command
			// may have closed the directory to itself.
			r.blind = true
			continue
		}
		if stands {
			continue
		}
		if why := r.leftBehind(h); why != "" {
			r.fall(h.Path, why)
			return false
		}
		if h.drop() {
			changed = true
		}
		err = h.renew()
		switch { // ELOOP: an agent put a link there
		case err == nil:
			delete(r.absent, h.Path)
			changed = true
			r.renewed(h)
		case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
			r.missing(h)
		case errors.Is(err, unix.EACCES):
			r.blind = true
		default:
			r.fall(h.Path, err.Error())
		}
	}
	return changed
}

// stands reports whether h is mounted at its name, or that it cannot be known.
func (h *held) stands() (bool, error) {
	if h.fd < 0 {
		return false, nil
	}
	if same, err := h.sameBehind(); !same || err != nil {
		return false, err
	}
	fd, err := openNoLinks(h.Path)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = unix.Close(fd) }()
	id, root, err := mountIDOf(fd)
	return root && id == h.id, err
}

// leftBehind says why h must not be taken off though it does not stand at its
// name: the host moved the directory, and a process that stands in it stays in
// it. With h go the mounts that lie on it, so that nothing there would be closed
// to that process any more. It is made read-only first, which is what the walls
// against writing say; what is hidden cannot be hidden so.
func (r *renewer) leftBehind(h *held) (why string) {
	if h.fd < 0 || h.Mode != sandbox.Writable || h.Own || h.Kind != sandbox.Dir || h.isGone() {
		return ""
	}
	walled, hidden := false, false
	for i := range r.keeper.tree.held {
		w := &r.keeper.tree.held[i]
		if w != h && w.fd >= 0 && w.Mode != sandbox.Writable && sandbox.Within(w.Path, h.Path) {
			walled, hidden = true, hidden || w.Mode == sandbox.Empty
		}
	}
	if hidden {
		return "it was moved on the host with a directory in it that is hidden, and a process may stand there"
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	err := unix.MountSetattr(h.fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr)
	if err != nil && walled { // EBUSY: something in it is open for writing
		return "it was moved on the host with something in it that is closed, and a process is writing there"
	}
	return ""
}

// isGone reports whether the directory that h is mounted on was removed.
func (h *held) isGone() bool {
	var st unix.Stat_t
	if unix.Fstat(h.fd, &st) == nil && st.Nlink == 0 {
		return true
	}
	name, err := os.Readlink(fdPath(h.fd))
	return err == nil && strings.HasSuffix(name, " (deleted)")
}

// drop takes h off wherever it hangs now: a renamed directory carries its
// mount, and its permission, to the new name.
func (h *held) drop() bool {
	if h.fd < 0 {
		return false
	}
	_ = unix.Unmount(fdPath(h.fd), unix.MNT_DETACH) // EINVAL: it has fallen off already
	_ = unix.Close(h.fd)
	h.fd, h.id = -1, 0
	if h.Opens != "" {
		h.takeName()
	} else if h.mask != nil {
		h.mask.uncover()
	}
	return true
}

// renew mounts h over what has its name now.
func (h *held) renew() error {
	if h.Mode == sandbox.Skeleton {
		return errReplaced
	}
	if h.Opens != "" {
		return h.open()
	}
	target, err := openNoLinks(h.Path)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(target) }()
	var mount int
	if h.Mode == sandbox.Empty {
		mount, err = h.emptyMount(target)
	} else {
		if mount, err = cloneOf(target, h.Path); err == nil {
			err = setMode(mount, h.Path, h.Mode)
		}
	}
	if err != nil {
		return err
	}
	return h.attach(mount, target)
}

func (r *renewer) renewed(h *held) {
	r.keeper.say(fromKeeper{Renewed: h.Path})
	if h.Mode != sandbox.Writable && !h.Own && h.Opens == "" {
		r.fresh[h] = newWatch(time.Now())
	}
}

// missing deals with a name that is not there, or is a link by now. Where the
// directory it belongs in is missing too, nobody inside can make the name, and
// to make the directory would be in the way of whoever moved it.
func (r *renewer) missing(h *held) {
	a := r.absent[h.Path]
	if a == nil || !isThere(path.Dir(h.Path)) {
		r.absent[h.Path] = &absence{since: time.Now(), gone: h.Gone}
		return
	}
	switch age := time.Since(a.since); {
	case a.gone == sandbox.Wait || age < grace:
	case a.gone == sandbox.StandIn && !a.asked:
		a.asked = true
		r.keeper.say(fromKeeper{StandIn: h.Path})
	case a.gone == sandbox.StandIn && age < patience:
	default:
		r.fall(h.Path, "it was removed on the host, and the role could make it anew itself")
		a.gone = sandbox.Wait // said once
	}
}

func isThere(dir string) bool {
	fd, err := openNoLinks(dir)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err == nil
}

// hurried reports whether some name was missed a moment ago. The report of a
// change can come before the change can be seen (measured: move_mount gives
// ENOENT until the kernel has moved the name), so that one look is not enough.
func (r *renewer) hurried() bool {
	for _, a := range r.absent {
		if a.gone != sandbox.Wait || time.Since(a.since) < grace {
			return true
		}
	}
	return false
}

// fall ends the box. The supervisor is told, and not waited for: it may have
// been stopped.
func (r *renewer) fall(p, why string) { r.keeper.finish(fallen{Path: p, Why: why}) }

// watch asks for a report of every rename and removal on the way to a mount.
// It is called anew after every change: a watch stays with the old directory.
func (r *renewer) watch() {
	if r.notify < 0 {
		return
	}
	names := map[int32]map[string]bool{}
	for i := range r.keeper.tree.held {
		h := &r.keeper.tree.held[i]
		if h.Opens != "" {
			r.watchBehind(h, names)
			continue
		}
		p := h.Path
		for {
			dir, name := path.Dir(p), path.Base(p)
			switch wd, err := r.add(dir); {
			case err == nil:
				note(names, wd, name)
			case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
				// It is missing itself; who holds its name is watched next.
			default:
				r.poll = true // such as a directory we may not read
			}
			if !r.wayDown(dir) {
				break
			}
			p = dir
		}
	}
	r.names = names
}

// wayDown reports whether the directories above dir are watched too: below
// the repository and the home.
func (r *renewer) wayDown(dir string) bool {
	return slices.ContainsFunc(r.keeper.tree.setup.Watch, func(top string) bool {
		return dir != top && sandbox.Within(dir, top)
	})
}

// note adds name to those that matter in a watched directory.
func note(names map[int32]map[string]bool, wd int32, name string) {
	if names[wd] == nil {
		names[wd] = map[string]bool{}
	}
	names[wd][name] = true
}

func (r *renewer) add(dir string) (int32, error) {
	fd, err := openNoLinks(dir)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(fd) }()
	return r.addAt(fd)
}

// addAt watches the directory behind fd.
func (r *renewer) addAt(fd int) (int32, error) {
	const events = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO
	wd, err := unix.InotifyAddWatch(r.notify, fdPath(fd), events|unix.IN_ONLYDIR)
	return int32(wd), err
}

// drain reads what inotify has to say and reports whether any of it matters.
func (r *renewer) drain() (matters bool) {
	if r.notify < 0 {
		return false
	}
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(r.notify, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return matters
		}
		for off := 0; off+unix.SizeofInotifyEvent <= n; {
			e := (*unix.InotifyEvent)(unsafe.Pointer(&buf[off]))
			name := buf[off+unix.SizeofInotifyEvent : off+unix.SizeofInotifyEvent+int(e.Len)]
			off += unix.SizeofInotifyEvent + int(e.Len)
			if e.Mask&unix.IN_Q_OVERFLOW != 0 || r.names[e.Wd][cString(name)] {
				matters = true
			}
		}
	}
}

func cString(b []byte) string {
	if i := slices.Index(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}
