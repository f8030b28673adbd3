package gitdir

import (
	"fmt"
	"path/filepath"
)

// maxVersion is the newest core.repositoryformatversion there is. A later one
// may place things in ways that nobody knows yet.
const maxVersion = 1

// checkConfig compares what the walk found with what the configuration says,
// and refuses where they differ, in git's own order of precedence.
func checkConfig(p *Place, start string, env func(string) string) error {
	l, err := readLayout(p, env)
	if err != nil {
		return err
	}
	if p.Root == "" {
		if p.Common != p.Gitdir || l.bareSet && !l.bare {
			return &InsideGitdirError{Dir: start, Gitdir: p.Gitdir}
		}
		return &BareError{Dir: start, Gitdir: p.Gitdir}
	}
	if l.bare {
		e := &BareError{Dir: start, Gitdir: p.Gitdir}
		if p.DotGitKind != "file" { // not a container, whose .git names a bare one on purpose
			e.config = l.bareFile
		}
		return e
	}
	if !l.worktreeSet {
		return nil
	}
	// Relative to the git directory: submodules have "../../../sub".
	top, err := filepath.EvalSymlinks(relativeTo(p.Gitdir, l.worktree))
	if err == nil && top == p.Root {
		return nil
	}
	return &ConfigError{
		File: l.worktreeFile,
		Why:  fmt.Sprintf("%s puts the work tree at %q, not at %q", keyWorktree, l.worktree, p.Root),
		key:  keyWorktree,
	}
}

// A layout is what the configuration says about where things lie. Each setting
// goes with the file that has it.
type layout struct {
	bare, bareSet          bool
	worktree               string
	worktreeSet            bool
	bareFile, worktreeFile string
}

// readLayout reads the configuration of p as git does at this point: the
// common file, where it names a format at all; but its core.bare and
// core.worktree are those of the main work tree, and in a linked one they
// count only together with that work tree's own file.
func readLayout(p *Place, env func(string) string) (*layout, error) {
	l := &layout{}
	file := filepath.Join(p.Common, "config")
	s, err := readSettings(file, env)
	if err != nil {
		return nil, err
	}
	if _, ok := s[keyVersion]; !ok {
		return l, nil
	}
	if err := checkVersion(file, s[keyVersion]); err != nil {
		return nil, err
	}
	perWorktree, _, err := s.boolean(file, keyPerWorkdir)
	if err != nil {
		return nil, err
	}
	if p.Common != p.Gitdir && !perWorktree {
		return l, nil
	}
	if err := l.add(file, s); err != nil {
		return nil, err
	}
	if !perWorktree {
		return l, nil
	}
	file = filepath.Join(p.Gitdir, "config.worktree")
	s, err = readSettings(file, env)
	if err != nil {
		return nil, err
	}
	return l, l.add(file, s)
}

func checkVersion(file string, v value) error {
	n, ok := parseInt(v.text)
	switch {
	case !ok:
		return &ConfigError{File: file, Why: fmt.Sprintf("%s is %q, which is no number", keyVersion, v.text)}
	case n > maxVersion:
		return &ConfigError{File: file, Why: fmt.Sprintf("%s is %d, and %d is the newest known", keyVersion, n, maxVersion)}
	}
	return nil
}

// add lets the settings of file win over those read before.
func (l *layout) add(file string, s settings) error {
	bare, set, err := s.boolean(file, keyBare)
	if err != nil {
		return err
	}
	if set {
		l.bare, l.bareSet, l.bareFile = bare, true, file
	}
	v, set := s[keyWorktree]
	if !set {
		return nil
	}
	if v.text == "" {
		return &ConfigError{File: file, Why: keyWorktree + " has no value", key: keyWorktree}
	}
	l.worktree, l.worktreeSet, l.worktreeFile = v.text, true, file
	return nil
}
