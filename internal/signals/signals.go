// Package signals does to signals of this process what package os/signal
// cannot: it gives one the kernel's own default action, and holds back the one
// by which a terminal stops who is in its background.
//
// It knows nothing of boxes and terminals, and sends no signal.
package signals

import "syscall"

// Default gives a signal its default action. Go's runtime has a handler for
// each: it shows the goroutines at SIGQUIT, drops SIGPIPE, and ends the process
// at SIGTERM where nobody asked for it.
func Default(sig syscall.Signal) error { return takeDefault(sig) }

// HoldTTOU calls f on a thread on which SIGTTOU is blocked, by which the kernel
// would stop a group in the background that does to its terminal what f does.
// It is not ignored: what is started meanwhile would inherit that.
//
// Where it cannot be blocked, f is not called.
func HoldTTOU(f func()) { holdTTOU(f) }
