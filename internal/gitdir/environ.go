package gitdir

import (
	"cmp"
	"errors"
	"path/filepath"
)

// placing are the variables that put a repository somewhere for git, whatever
// lies around the current directory.
var placing = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"}

// checkEnv refuses an environment that places the repository elsewhere than
// the walk found it. git sets GIT_DIR and GIT_WORK_TREE itself, for an alias
// or a hook that it starts at the top of a linked work tree: those agree.
func checkEnv(p *Place, start string, env func(string) string) error {
	const why = "does not name the repository that lies here"
	if v := env("GIT_COMMON_DIR"); v != "" {
		return &EnvError{Name: "GIT_COMMON_DIR", Value: v, Why: "is not followed"}
	}
	gitdir, top := env("GIT_DIR"), env("GIT_WORK_TREE")
	if gitdir != "" && !leadsTo(start, gitdir, p.Gitdir, p.DotGit) {
		return &EnvError{Name: "GIT_DIR", Value: gitdir, Why: why}
	}
	if gitdir == "" && top == "" {
		return nil
	}
	// With GIT_DIR alone, git takes the current directory for the top.
	if leadsTo(start, cmp.Or(top, "."), p.Root) {
		return nil
	}
	if top != "" {
		return &EnvError{Name: "GIT_WORK_TREE", Value: top, Why: why}
	}
	return &EnvError{Name: "GIT_DIR", Value: gitdir, Why: "makes the current directory the top of the work tree"}
}

// leadsTo reports whether path, read from start, is one of the places.
func leadsTo(start, path string, places ...string) bool {
	real, err := filepath.EvalSymlinks(relativeTo(start, path))
	if err != nil {
		return false
	}
	for _, p := range places {
		if real == p {
			return true
		}
	}
	return false
}

// orEnv returns err, unless there is no repository around the directory and
// the environment names one: then that is what the person has to hear.
func orEnv(err error, env func(string) string) error {
	if _, ok := errors.AsType[*NotRepositoryError](err); !ok {
		return err
	}
	for _, name := range placing {
		if v := env(name); v != "" {
			return &EnvError{Name: name, Value: v, Why: "is not followed, and no repository lies around the current directory", alone: true}
		}
	}
	return err
}
