// Package gitdir answers "where" for a directory: the top of its work tree,
// the git directories behind it, and the short id that names the root.
//
// It walks upwards as git does and reads the few settings that decide where a
// work tree lies. It never refuses a repository for its format: hash, reference
// storage and extensions are no business of "where". What it does refuse, it
// refuses by name: a bare repository, a place inside a git directory, a .git
// that leads nowhere, another person's repository, a work tree that the
// configuration or the environment puts elsewhere.
//
// # Trust
//
// Whatever lies in a work tree may have been written by an agent. A .git is
// therefore followed only where git would follow it, read only if it is a
// regular file, and nothing of its configuration is read before its owner was
// compared with the caller. git itself is asked where it alone knows, and then
// only for questions that run no hook, alias or fsmonitor.
package gitdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// A Place is where one work tree and its repository are. All paths are
// absolute, and all but DotGit are real: no component of them is a symlink.
type Place struct {
	Root   string // the top of the work tree
	Gitdir string // this work tree's own administration
	Common string // the common directory; Gitdir except in linked work trees
	DotGit string // Root/.git, as it stands in the tree

	// DotGitKind is what DotGit is: "dir", "file" (a gitfile) or "link" (a
	// symlink to either).
	DotGitKind string
}

// Find returns the place that dir lies in. It takes dir for the caller's
// current directory and env, which is like [os.Getenv], for its environment:
// a relative GIT_DIR is read against dir.
//
// What Find finds, git finds too, if it knows the format. Find refuses more than
// git, each by name: a work tree that core.worktree or the environment puts
// elsewhere, since a tree is granted from its own top; a git directory of
// somebody else behind a symlink; a commondir that leads nowhere, where git may
// go on to a repository further up.
func Find(dir string, env func(string) string) (*Place, error) {
	start, err := realDir(dir)
	if err != nil {
		return nil, err
	}
	w, err := newWalk(start, env)
	if err != nil {
		return nil, err
	}
	p, err := w.discover(start)
	if err != nil {
		return nil, orEnv(err, env)
	}
	// As in git, the owner comes before the first byte of configuration.
	if err := checkOwner(p, os.Geteuid(), env); err != nil {
		return nil, err
	}
	if err := checkConfig(p, start, env); err != nil {
		return nil, err
	}
	if err := checkEnv(p, start, env); err != nil {
		return nil, err
	}
	return p, nil
}

func realDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	start, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", err
	}
	fi, err := os.Stat(start)
	if err != nil {
		return "", err
	}
	if !fi.IsDir() {
		return "", fmt.Errorf("%q: %w", dir, syscall.ENOTDIR)
	}
	return start, nil
}

// reason returns why err happened, without the operation and the path that a
// message names already.
func reason(err error) string {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}
