package settings

import (
	"os"
	"path/filepath"
)

// A Machine is what For needs to know of the person's side: where the home and
// the temporary directories are, and the environment.
type Machine struct {
	Home   string // real; empty if HOME names no directory
	Config string // $XDG_CONFIG_HOME/seisin
	Getenv func(string) string
	Lookup func(string) (string, bool)

	// Program is this executable, real; empty if it is not known.
	Program string

	state string
	named []namedDir
}

// A namedDir is a directory as the environment names it, and the variable.
type namedDir struct{ variable, path string }

// State is $XDG_STATE_HOME/seisin, real.
func (m Machine) State() string { return m.state }

// A NoHomeError reports that HOME names no directory, and that the variable
// which would do in its place is not set either.
type NoHomeError struct{ Variable string }

func (e *NoHomeError) Error() string {
	return "HOME names no directory, and " + e.Variable + " is not set: there is no place for this tool's own files"
}

// Hint says what the user can do about it.
func (e *NoHomeError) Hint() string { return "set HOME to a directory of your own" }

// Here is the machine of this process.
func Here() (Machine, error) {
	m := Machine{Getenv: os.Getenv, Lookup: os.LookupEnv}
	home := os.Getenv("HOME")
	if info, err := os.Stat(home); filepath.IsAbs(home) && err == nil && info.IsDir() {
		if m.Home, err = filepath.EvalSymlinks(home); err != nil {
			return m, err
		}
		m.named = append(m.named, namedDir{"HOME", home})
	}
	if exe, err := os.Executable(); err == nil {
		if m.Program, err = filepath.EvalSymlinks(exe); err != nil {
			m.Program = "" // it was removed since: there is nothing to replace
		}
	}
	var err error
	if m.state, err = m.base("XDG_STATE_HOME", ".local/state"); err != nil {
		return m, err
	}
	m.Config, err = m.base("XDG_CONFIG_HOME", ".config")
	return m, err
}

// base is this tool's directory in one of the XDG base directories. A relative
// setting is to be ignored, says their specification.
func (m *Machine) base(variable, below string) (string, error) {
	dir := m.Getenv(variable)
	if !filepath.IsAbs(dir) {
		if m.Home == "" {
			return "", &NoHomeError{variable}
		}
		dir = filepath.Join(m.Home, below)
	}
	dir = filepath.Join(plainly(dir), "seisin")
	m.named = append(m.named, namedDir{variable, dir})
	return realPath(dir)
}
