package gitdir

import (
	"cmp"
	"fmt"
)

// A NotRepositoryError reports a directory with no repository around it.
type NotRepositoryError struct {
	Dir string // where the search began

	// boundary is the last directory on the file system of Dir, where the
	// search ended at the edge of it.
	boundary string
}

func (e *NotRepositoryError) Error() string {
	if e.boundary != "" {
		return fmt.Sprintf("%q lies in no git repository up to the mount point %q", e.Dir, e.boundary)
	}
	return fmt.Sprintf("%q lies in no git repository", e.Dir)
}

// Hint says what the user can do about it.
func (e *NotRepositoryError) Hint() string {
	hint := "change to a work tree, or make one: git init"
	if e.boundary != "" {
		hint += "\nor look beyond the mount point: GIT_DISCOVERY_ACROSS_FILESYSTEM=1"
	}
	return hint
}

// A BareError reports a repository that has no work tree.
type BareError struct {
	Dir    string // where the search began
	Gitdir string

	config string // the file whose core.bare makes an ordinary .git a bare one
}

func (e *BareError) Error() string {
	if e.config != "" {
		return fmt.Sprintf("the repository of %q has no work tree: core.bare is true in %q", e.Dir, e.config)
	}
	return fmt.Sprintf("the repository of %q has no work tree: %q is bare", e.Dir, e.Gitdir)
}

// Hint says what the user can do about it.
func (e *BareError) Hint() string {
	if e.config != "" {
		return fmt.Sprintf("if it should have one: git config --file %q core.bare false", e.config)
	}
	return fmt.Sprintf("change to a work tree of it, or make one: git --git-dir %q worktree add PATH", e.Gitdir)
}

// An InsideGitdirError reports a directory that lies in the administration of
// a repository instead of in its work tree.
type InsideGitdirError struct {
	Dir    string // where the search began
	Gitdir string
}

func (e *InsideGitdirError) Error() string {
	return fmt.Sprintf("%q lies in the git directory %q, not in a work tree", e.Dir, e.Gitdir)
}

// Hint says what the user can do about it.
func (e *InsideGitdirError) Hint() string { return "change to the work tree" }

// A GitfileError reports a gitfile, or a commondir file, that leads to no
// repository.
type GitfileError struct {
	File   string
	Target string // where it leads, "" where it names no path
	Why    string
}

func (e *GitfileError) Error() string {
	if e.Target == "" {
		return fmt.Sprintf("%q leads to no repository: %s", e.File, e.Why)
	}
	return fmt.Sprintf("%q leads to %q: %s", e.File, e.Target, e.Why)
}

// Hint says what the user can do about it.
func (e *GitfileError) Hint() string {
	return "if the repository or the work tree was moved: git worktree repair, or git submodule update --init"
}

// An OwnerError reports a repository that belongs to somebody else, who could
// have put commands into its configuration.
type OwnerError struct {
	Path string // of the top, its .git and the git directory, the first such
	UID  int    // who owns it
	Want int    // who would have to

	trust string // what git calls the repository in safe.directory
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("%q belongs to uid %d, not to uid %d", e.Path, e.UID, e.Want)
}

// Hint says what the user can do about it.
func (e *OwnerError) Hint() string {
	return fmt.Sprintf("if you trust whoever that is: git config --global --add safe.directory %q", cmp.Or(e.trust, e.Path))
}

// A ConfigError reports a setting that puts the work tree elsewhere, or a file
// of configuration that nobody could read.
type ConfigError struct {
	File string
	Why  string

	key string // the setting to blame, if it is one
}

func (e *ConfigError) Error() string { return fmt.Sprintf("%q: %s", e.File, e.Why) }

// Hint says what the user can do about it.
func (e *ConfigError) Hint() string {
	if e.key != "" {
		return fmt.Sprintf("unset it: git config --file %q --unset-all %s", e.File, e.key)
	}
	return fmt.Sprintf("see what git makes of it: git config --file %q --list", e.File)
}

// An EnvError reports a variable of git's that says something else than what
// is there.
type EnvError struct {
	Name  string
	Value string
	Why   string

	alone bool // no repository lies around the directory
}

func (e *EnvError) Error() string {
	return fmt.Sprintf("%s is set to %q, which %s", e.Name, e.Value, e.Why)
}

// Hint says what the user can do about it.
func (e *EnvError) Hint() string {
	if e.alone {
		return "unset " + e.Name + ", and change to the work tree"
	}
	return "unset " + e.Name
}
