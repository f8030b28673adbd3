//go:build !linux

package gitdir

// commands are none here: mounting takes a user namespace of Linux.
var commands map[string]func()
