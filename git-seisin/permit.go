package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
)

// This file says what the permissions of the host's files let a command in a
// box do. They hold inside as outside, but for root: a box has no capabilities,
// and without them uid 0 is one user among others.

// obstacle says what keeps the person's ids, without capabilities, from mode
// (unix.R_OK, W_OK, X_OK) on the file at p, or returns "".
func obstacle(p string, info fs.FileInfo, mode uint32) string {
	// The kernel knows more than bits: ACLs, flags, file systems that are
	// read-only. Those of a box are not what is asked about here.
	err := unix.Faccessat(unix.AT_FDCWD, p, mode, unix.AT_EACCESS)
	switch {
	case errors.Is(err, unix.EROFS) && inside() != "":
	case errors.Is(err, unix.EROFS):
		return "its file system is read-only"
	case errors.Is(err, unix.EPERM):
		return "it is immutable, see chattr"
	case errors.Is(err, unix.EACCES), !permitsRoot(info, mode):
		return modeAndOwner(info)
	}
	return ""
}

// permitsRoot reports whether root, which the kernel let pass by what root has
// only outside, may do mode by the bits alone. They are asked in the kernel's
// order: who owns a file does not have its group's.
func permitsRoot(info fs.FileInfo, mode uint32) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if os.Geteuid() != 0 || !ok {
		return true
	}
	bits := uint32(info.Mode().Perm())
	groups, _ := native.Groups()
	switch {
	case st.Uid == 0:
		bits >>= 6
	case int(st.Gid) == os.Getegid() || slices.Contains(groups, int(st.Gid)):
		bits >>= 3
	}
	return bits&mode == mode
}

// refusedTo says in words that permissions do not let the person do what op is
// at s, or returns "". The box may let it be done all the same.
func (s spot) refusedTo(l *loaded, op sandbox.Op) string {
	switch {
	case s.own || s.kernel || s.wrong != "":
		return ""
	case s.barred != "":
		return s.barred
	case s.host == nil:
		return s.refusedToMake(l)
	}
	mode := uint32(unix.R_OK)
	switch {
	case op == sandbox.OpConnect:
		mode = unix.W_OK
	case op == sandbox.OpWrite && s.dir:
		mode = unix.W_OK | unix.X_OK
	case op == sandbox.OpWrite:
		mode = unix.W_OK
	}
	if why := obstacle(s.path, s.host, mode); why != "" {
		return "its own permissions do not let you: " + why
	}
	return ""
}

// refusedToMake asks of the directory in which the first name that is missing
// would be made.
func (s spot) refusedToMake(l *loaded) string {
	for dir := path.Dir(s.path); ; dir = path.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil && dir != "/" {
			continue
		}
		if err != nil || s.made && os.Geteuid() == 0 { // it is made from outside
			return ""
		}
		if why := obstacle(dir, info, unix.W_OK|unix.X_OK); why != "" {
			return fmt.Sprintf("the permissions of %s do not let you: %s", l.show(dir), why)
		}
		return ""
	}
}

// modeAndOwner shows what ls -l would: "-r--r--r-- root". Root hears why that
// is not enough.
func modeAndOwner(info fs.FileInfo) string {
	s := fmt.Sprintf("%s %s", info.Mode(), ownerName(info))
	if os.Geteuid() == 0 {
		s += " (inside, root has no rights beyond these)"
	}
	return s
}

func ownerName(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "unknown"
	}
	uid := strconv.FormatUint(uint64(st.Uid), 10)
	if u, err := user.LookupId(uid); err == nil {
		return u.Username
	}
	return "uid " + uid
}

// isOthers reports whether a file belongs to somebody else.
func isOthers(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) != os.Geteuid()
}
