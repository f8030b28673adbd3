//go:build unix

package launch

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
	"seisin/internal/signals"
)

// fatal are the signals of a command's end that mean more to a caller than a
// status of 128 and their number: a shell ends a loop by SIGINT and not by 130.
// They are those of which git, where it started us, says nothing.
var fatal = []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGPIPE}

// Die ends this process by the signal that its command ended by, and returns
// only where that is not for the caller. It is called when all is done.
//
// Ctrl-C at a terminal is for all that run there: for git, and for the script
// that called us. While the terminal was lent it came to the command alone, and
// is now passed on.
func Die(exit sandbox.Exit, in, out *os.File) {
	sig := syscall.Signal(exit.Signal)
	if !slices.Contains(fatal, sig) {
		return
	}
	whom := os.Getpid()
	if sig != syscall.SIGPIPE {
		if tty := openTerminal(in, out); tty != nil && tty.whole && tty.ours() {
			whom = 0 // our group
		}
	}
	// One core is enough, and that is the command's.
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	if signals.Default(sig) == nil {
		_ = unix.Kill(whom, sig)
		select {} // another thread may be the one to die of it
	}
}
