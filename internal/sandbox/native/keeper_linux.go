package native

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"seisin/internal/notify"
	"seisin/internal/rundir"
)

// Names of steps that errors are told apart by.
const (
	stepTree     = "close the host's tree"
	stepProc     = "mount /proc"
	stepLandlock = "restrict writing by Landlock"
)

// A keeper holds the capabilities over one box, from outside its pid
// namespace. Nothing inside can see or signal it.
type keeper struct {
	wire     wire
	words    chan fromKeeper // on their way to the supervisor
	init     *child
	ended    sync.Once // says why
	initPID  string    // its number on the host, once it was needed
	hold     *os.File  // joined to the init, which leaves when it is closed
	keep     []*os.File
	tree     *tree
	tty      *terminal
	loan     *loan
	mountsFD int // /proc/self/mountinfo of the host's /proc
	renewer  *renewer

	connector *connector
}

func keeperMain() int {
	k := &keeper{
		words: make(chan fromKeeper, 64),
		wire:  wire{file: os.NewFile(wireFD, "supervisor")},
		hold:  os.NewFile(holdFD, "init"),
	}
	if failed, err := runSteps(k.steps()); err != nil {
		k.end()
		_ = k.wire.send(&fromKeeper{Failed: newFailure("keeper", failed, err)})
		// The supervisor clears away: it is there, or it would not have an
		// end of the wire to be told.
		return 125
	}
	supervised := k.serve()
	k.end()
	if !supervised {
		k.loan.giveBack()
		k.tree.takeDown()
		clearAway(k.keep)
		return 0
	}
	// Said now, since to take the namespaces down takes the kernel a while.
	for _, f := range k.keep {
		_ = f.Close()
	}
	_ = k.wire.send(&fromKeeper{Vacated: true})
	return 0
}

// clearAway ends a run on disk whose supervisor is gone. Nobody is left to be
// told of an error; the next run tries again.
func clearAway(keep []*os.File) {
	if d, err := rundir.Inherit(keep); err == nil {
		_ = d.Close()
	}
}

func (k *keeper) steps() []step {
	return []step{
		{"watch over the init", "it was started with this process, and waits for our word", k.watchInit},
		{"hide from the user's other processes", "before anything of value is in memory", undumpable},
		{"close descriptors", "one that somebody left open may lead out of the box", k.closeOthers},
		{"read the setup", "it comes when the policy has been read, in the meantime or later", k.readSetup},
		{"take the devices", "the tree becomes nodev below", func() error { return k.tree.takeDevices() }},
		{"take the terminal", "likewise", k.takeTerminal},
		{"note the terminal's state", "no command has changed it yet, and /dev becomes the box's own below", k.noteTerminal},
		{"take the program", "/proc becomes the box's own below", func() error { return k.tree.takeBinary() }},
		{"take the granted paths", "as they are on the host, before anything covers them", func() error { return k.tree.takeSources() }},
		{"keep the host's /proc", "the box's own does not show this process; renewal needs it", k.keepProc},
		{stepTree, "from here on all is read-only, nosuid, nodev but what is laid over it", func() error { return k.tree.closeHost() }},
		{"lay /dev", "before the plan, which may have mounts in it", func() error { return k.tree.layDev() }},
		{"lay the terminal", "before anything inside can make one that has its number", func() error { return k.tty.lay() }},
		{"lay /run", "before the plan, likewise; and it has what empty places are made of", func() error { return k.tree.layRun() }},
		{"lay the plan", "outermost first", func() error { return k.tree.layPlan() }},
		{"seal /dev and /run", "after the last mount point was made in them", func() error { return k.tree.seal() }},
		{"ask who makes sockets", "in the box's network namespace, before anything inside can make one", k.knowSockets},
		{"raise the loopback", "programs expect 127.0.0.1", raiseLoopback},
		{"watch the names", "before anything inside can meet a gap", k.watch},
		{"let the init go on", "what it mounts, and allows writing below, lies in the tree", k.letInitGoOn},
		{"report", "", func() error { return k.wire.send(&fromKeeper{Ready: &ready{Mounts: len(k.tree.held)}}) }},
	}
}

func (k *keeper) watchInit() error {
	k.init = initOf(os.NewFile(pidfdFD, "init"))
	return nil
}

func (*keeper) closeOthers() error {
	if err := closeFrom(pidfdFD + 1); err != nil {
		return err
	}
	return closeOnExec(wireFD)
}

func (k *keeper) readSetup() error {
	var s setup
	if _, err := k.wire.receive(&s); err != nil {
		return err
	}
	for len(k.keep) < s.Keep {
		var m kept
		files, err := k.wire.receive(&m)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("%d descriptors came, and %d were announced", len(k.keep), s.Keep)
		}
		k.keep = append(k.keep, files...)
	}
	k.tree = newTree(s)
	return nil
}

// keepProc makes the host's /proc this process's working directory: its own
// descriptors are self/fd there, whatever is mounted at /proc later.
func (k *keeper) keepProc() (err error) {
	if err := unix.Chdir("/proc"); err != nil {
		return os.NewSyscallError("chdir(/proc)", err)
	}
	k.mountsFD, err = unix.Open("self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	return os.NewSyscallError("open(mountinfo)", err)
}

// raiseLoopback sets lo up in the box's network namespace.
func raiseLoopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer func() { _ = unix.Close(s) }()
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(s, unix.SIOCGIFFLAGS, ifr); err != nil {
		return os.NewSyscallError("ioctl(SIOCGIFFLAGS)", err)
	}
	ifr.SetUint16(ifr.Uint16() | unix.IFF_UP)
	return os.NewSyscallError("ioctl(SIOCSIFFLAGS)", unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, ifr))
}

func (k *keeper) watch() (err error) {
	if k.renewer, err = newRenewer(k); err == nil {
		k.renewer.watch()
	}
	return err
}

func (k *keeper) letInitGoOn() error {
	err := (&wire{file: k.hold}).send(&fromKeeperToInit{})
	if errors.Is(err, unix.EPIPE) {
		return nil // it has ended, and says why itself
	}
	return err
}

func (k *keeper) knowSockets() (err error) {
	k.connector, err = newConnector(k.tree.setup.Sockets,
		func(p string) { k.say(fromKeeper{Refused: p}) },
		func(err error) { k.say(fromKeeper{Blind: err.Error()}) })
	return err
}

// answerCalls answers the calls that the box's filter hands over, until the
// last process of the box is gone. Without it they would fail, with ENOSYS:
// the box ends.
func (k *keeper) answerCalls() {
	err := k.serveListener()
	if err == nil {
		return
	}
	k.finish(fallen{Why: "its system calls cannot be answered any more: " + err.Error()})
}

func (k *keeper) serveListener() error {
	var m fromInitToKeeper
	files, err := (&wire{file: k.hold}).receive(&m)
	if errors.Is(err, io.EOF) {
		return nil // the init has ended, and says why itself
	}
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("%d descriptors came with the listener", len(files))
	}
	l, err := notify.New(files[0], unix.AT_FDCWD)
	if err != nil {
		return err
	}
	return l.Serve(k.connector.answer)
}

// say tells the supervisor something that it may also miss. It does not wait:
// a supervisor that was stopped must not stop the keeper.
func (k *keeper) say(m fromKeeper) {
	select {
	case k.words <- m:
	default:
	}
}

// finish ends the box for a reason, at once.
func (k *keeper) finish(why fallen) {
	k.ended.Do(func() {
		k.init.kill()
		go func() { k.words <- fromKeeper{Fallen: &why} }()
	})
}

// serve renews mounts until the supervisor closes the box, dies, or the init
// ends. It reports whether a supervisor is left to clear away.
func (k *keeper) serve() (supervised bool) {
	words := make(chan bool, 1)
	go func() {
		var m toKeeper
		_, err := k.wire.receive(&m)
		if err != nil && !errors.Is(err, io.EOF) {
			// Not on standard error: the command may hold it raw.
			_ = k.wire.send(&fromKeeper{Fallen: &fallen{Why: "the keeper cannot hear the supervisor: " + err.Error()}})
		}
		words <- err == nil && m.Close
	}()
	go k.answerCalls()
	go func() {
		for m := range k.words {
			_ = k.wire.send(&m)
		}
	}()
	if d := k.tree.setup.Deadline; !d.IsZero() {
		time.AfterFunc(time.Until(d), func() { k.finish(fallen{Why: "its time has passed"}) })
	}
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.renewer.run(stop)
	}()
	defer func() {
		close(stop)
		k.renewer.wake()
		<-done
	}()
	select {
	case supervised = <-words:
		return supervised
	case <-k.init.gone:
		// The supervisor is waited for, so that it finds the box's last words
		// and closes in its own time.
		k.finish(fallen{Why: "its init ended"})
		return <-words
	}
}

// end ends the init, and with it everything in its pid namespace, and waits.
func (k *keeper) end() {
	if k.init != nil {
		k.init.kill()
		<-k.init.gone
	}
}
