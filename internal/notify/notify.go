// Package notify receives the system calls of a box that a seccomp filter
// hands over, reads what they point at, and answers them.
//
// It reads, resolves and answers; it decides nothing. What a call gets is the
// business of the function given to [Listener.Serve]. That a call shall go on
// in the kernel (SECCOMP_USER_NOTIF_FLAG_CONTINUE) cannot be said here: what a
// call points at may change after it was read, so for a call that is decided
// by its memory such an answer would be none.
//
// # Threads
//
// Every call is handled on an operating system thread of its own, at most
// [MaxBlocking] of them for long. When the caller is gone, system calls that
// its handler is blocked in end with EINTR, and again and again, until the
// handler returns: a connect(2) to somebody who never accepts holds a thread
// no longer than its caller lives.
//
// # Trust
//
// Whoever makes the calls is hostile. A number that is read here names a
// thread only while the kernel says that the call still waits; so everything
// that was taken from a thread is asked about once more after it was taken.
package notify

// MaxBlocking is how many calls may wait for something at a time (F20). One
// more thread serves whatever comes then, and gives a call up with EAGAIN once
// it has taken as long as patience.
//
// The calls could as well wait in the kernel. But then nothing in the box
// would be answered any more, and the server that all of them wait for may
// need an answer itself before it accepts the first.
const MaxBlocking = 64
