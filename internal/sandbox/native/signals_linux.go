package native

import (
	"os/signal"

	"golang.org/x/sys/unix"

	"seisin/internal/signals"
)

const lastSignal = 64

// defaultSignals gives every signal its default back, which for pid 1 means
// that the kernel drops it, if it comes from inside, however it is sent. Go's
// runtime has handlers for all of them, and those of SIGTERM and kin end the
// process. They are not ignored, since a command would inherit that.
//
// SIGHUP and SIGINT stay ignored where git-seisin was started so, as nohup and
// shells do: it means the command, which inherits it from here, since Go gives
// no such signal its default back when it forks. Of other signals Go does not
// tell what they were.
//
// A fault of pid 1's own still ends it, and the box.
func defaultSignals() error {
	for sig := unix.Signal(1); sig <= lastSignal; sig++ {
		switch sig {
		case unix.SIGKILL, unix.SIGSTOP: // nobody can take them, and pid 1 gets none from inside
			continue
		case unix.SIGURG: // the scheduler's; its handler does nothing else
			continue
		case unix.SIGHUP, unix.SIGINT:
			if signal.Ignored(sig) {
				continue
			}
		}
		// The two below the first real-time signal are the C library's.
		if err := signals.Default(sig); err != nil {
			return err
		}
	}
	return nil
}
