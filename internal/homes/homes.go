// Package homes makes the home of a role and puts into it what a program finds
// through a home: who the person is, and what the policy opens of theirs.
//
// A home is $XDG_STATE_HOME/seisin/homes/sn-<root id>/<role>, mode 0700. It
// stays from run to run, so that an agent finds its sessions again. All in it
// was written by an agent, a link as well as a file: it is reached through an
// [os.Root], which no link leads out of, and what stands in the way of something
// that belongs there is left as it is.
package homes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"seisin/internal/sandbox"
)

// A Seed is what is put into a home when a run begins.
type Seed struct {
	// Identity names the author of commits. Without a name or an address that
	// part is left to git, which then asks for it.
	Identity Identity

	// Stands lead to what the policy opens of the person's home.
	Stands []Stand
}

// An Identity is who the person is to git.
type Identity struct{ Name, Email string }

// A Stand is a name in the role's home, and what it leads to.
type Stand struct {
	Name   string // relative to the home: ".config/gh"
	Target string // absolute
}

// A TakenError reports that something else has the place of a home.
type TakenError struct{ Path, Why string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("the home of a role cannot be at %s: %s", e.Path, e.Why)
}

// Hint says what the user can do about it.
func (e *TakenError) Hint() string { return "look at what is there, and move it away" }

// Make makes the home at path, which is three names below state, unless it is
// there already, and puts seed into it. State is there. Notes are for the
// person: what of the seed has no place.
func Make(state, path string, seed Seed) (id sandbox.FileID, notes []string, err error) {
	below, err := filepath.Rel(state, path)
	if err != nil || !filepath.IsLocal(below) {
		return id, nil, fmt.Errorf("home %q is not in %q", path, state)
	}
	root, err := os.OpenRoot(state)
	if err != nil {
		return id, nil, err
	}
	defer func() { _ = root.Close() }()
	at := state
	for _, name := range strings.Split(below, string(filepath.Separator)) {
		at = filepath.Join(at, name)
		next, err := step(root, name, at)
		if err != nil {
			return id, nil, err
		}
		_ = root.Close()
		root = next
	}
	info, err := root.Stat(".")
	if err != nil {
		return id, nil, err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id = sandbox.FileID{Dev: uint64(st.Dev), Ino: st.Ino}
	}
	return id, plant(root, seed), nil
}

// step makes the directory of that name in root, and enters it: the person's
// own and nobody else's. A role may have changed the mode of its home, which is
// set right again.
func step(root *os.Root, name, path string) (*os.Root, error) {
	if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if why := unfit(info); why != "" {
		return nil, &TakenError{path, why}
	}
	if info.Mode().Perm() != 0o700 {
		// Whoever could put a link in its place meanwhile is this very user, in
		// no box: no box has this tool's state.
		if err := root.Chmod(name, 0o700); err != nil {
			return nil, err
		}
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(info, opened) {
		_ = next.Close()
		return nil, errors.Join(err, &TakenError{path, "it was replaced while it was looked at"})
	}
	return next, nil
}

// unfit says why what info is about can be no home, or "".
func unfit(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "it is a symlink"
	case !info.IsDir():
		return "it is no directory"
	case !ok || int(st.Uid) != os.Geteuid():
		return "it belongs to somebody else"
	}
	return ""
}
