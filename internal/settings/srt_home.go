package settings

import (
	"fmt"
	"path/filepath"
	"slices"

	"seisin/internal/sandbox"
)

const (
	// srtSocket is as long as the longest name that sandbox-runtime gives a
	// socket in TMPDIR, which it sets to the role's home.
	srtSocket = "/tmp/srt-mux-999999-0.sock"
	// maxSocketPath is how many bytes the path of a unix socket has on Linux
	// without the 0 that ends it (SD-1: 107 binds, 108 fails).
	maxSocketPath = 107
)

// A HomeFitError reports that the path of a role's home is too long for
// sandbox-runtime, whose own word for it would be "listen EINVAL".
type HomeFitError struct {
	Role, Home string
	Over       int // bytes
}

func (e *HomeFitError) Error() string {
	return fmt.Sprintf("role %q: isolate = \"home\": its home for sandbox-runtime, %s, is too long by %d: a socket in it would have a path of over %d bytes",
		e.Role, e.Home, e.Over, maxSocketPath)
}

// Hint says what the user can do about it.
func (e *HomeFitError) Hint() string {
	return "give the role a shorter name, or set TMPDIR to a shorter path"
}

// giveHome places the role's home, below the directory for temporary files: in
// the state directory its sockets would not fit.
func (s *srt) giveHome() error {
	s.homes = filepath.Join(sandbox.Variable(s.spec.Env, "TMPDIR"), "sn-"+s.spec.RootID)
	s.home = filepath.Join(s.homes, s.role.Name)
	if over := len(s.home) + len(srtSocket) - maxSocketPath; over > 0 {
		return &HomeFitError{s.role.Name, s.home, over}
	}
	s.leaveOut(true, "the file sets no variable: make %s, mode 0700, and start sandbox-runtime with HOME and TMPDIR=$HOME/tmp there", s.home)
	s.leaveOut(true, "what other repositories' roles keep in %s can be read: the file knows of no other homes than this repository's", filepath.Dir(s.homes))
	return nil
}

// denyRead is what is hidden. Of the homes the directory is denied and the
// role's own allowed again.
func (s *srt) denyRead() []string {
	list := append(paths(s.spec.Hidden), s.state()...)
	slices.Sort(list)
	if s.homes != "" {
		list = append(list, s.homes)
	}
	return list
}

// state is this tool's state directory, where the native box shows the role's
// home in it and does not hide the whole.
func (s *srt) state() []string {
	for _, g := range s.spec.Skeletons {
		if g.Part == sandbox.State {
			return []string{g.Path} // the shortest: grants are sorted
		}
	}
	return nil
}
