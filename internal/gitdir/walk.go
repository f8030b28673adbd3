package gitdir

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A walk is the way up from a directory, and where it stops short of "/".
type walk struct {
	ceilings []string // real; they and what is above them are not looked at
	across   bool     // go on beyond the file system that the walk began on
}

func newWalk(start string, env func(string) string) (*walk, error) {
	const name = "GIT_DISCOVERY_ACROSS_FILESYSTEM"
	across, ok := parseBool(env(name))
	if !ok {
		return nil, &EnvError{Name: name, Value: env(name), Why: "is no boolean"}
	}
	return &walk{ceilings: parseCeilings(env("GIT_CEILING_DIRECTORIES")), across: across}, nil
}

// parseCeilings reads a list of directories as git does. What is not absolute
// or does not exist has no effect. After an empty entry git takes the rest as
// written, so as to touch no slow file system; since a walk only meets real
// paths, an entry through a symlink then has no effect either.
func parseCeilings(list string) []string {
	var dirs []string
	resolve := true
	for _, d := range filepath.SplitList(list) {
		if d == "" {
			resolve = false
			continue
		}
		if !filepath.IsAbs(d) {
			continue
		}
		if resolve {
			r, err := filepath.EvalSymlinks(d)
			if err != nil {
				continue
			}
			d = r
		}
		dirs = append(dirs, filepath.Clean(d))
	}
	return dirs
}

// discover returns the first place found from start, which is real, upwards.
// Its Root is empty where start lies in a git directory.
func (w *walk) discover(start string) (*Place, error) {
	dev, err := device(start)
	if err != nil {
		return nil, err
	}
	for dir := start; ; {
		p, err := lookAt(dir)
		if p != nil || err != nil {
			return p, err
		}
		up := filepath.Dir(dir)
		// A ceiling stops the way up, never the look at start itself.
		if up == dir || slices.Contains(w.ceilings, up) {
			return nil, &NotRepositoryError{Dir: start}
		}
		if !w.across {
			// git compares with the device of start, not of the step before.
			d, err := device(up)
			if err != nil {
				return nil, err
			}
			if d != dev {
				return nil, &NotRepositoryError{Dir: start, boundary: dir}
			}
		}
		dir = up
	}
}

// lookAt says what dir itself is: the top of a work tree, a git directory, or
// neither (nil). A .git that is neither a git directory nor a regular file is
// passed over, as git does: an empty one, a FIFO, a link to nothing.
func lookAt(dir string) (*Place, error) {
	dotgit := filepath.Join(dir, ".git")
	if fi, err := os.Stat(dotgit); err == nil {
		gitdir, common, err := openDotGit(dotgit, fi)
		if err != nil {
			return nil, err
		}
		if gitdir != "" {
			kind, err := kindOf(dotgit)
			return &Place{Root: dir, Gitdir: gitdir, Common: common, DotGit: dotgit, DotGitKind: kind}, err
		}
	}
	common, err := gitDirectory(dir)
	if err != nil || common == "" {
		return nil, err
	}
	return &Place{Gitdir: dir, Common: common}, nil
}

// openDotGit returns the git directory that dotgit is or names, and its common
// directory; both are empty where it is none.
func openDotGit(dotgit string, fi os.FileInfo) (gitdir, common string, err error) {
	switch {
	case fi.Mode().IsRegular():
		return followGitfile(dotgit)
	case fi.IsDir():
		gitdir, err = filepath.EvalSymlinks(dotgit)
		if err != nil {
			return "", "", err
		}
		common, err = gitDirectory(gitdir)
		if err != nil || common == "" {
			return "", "", err
		}
	}
	return gitdir, common, nil
}

func kindOf(dotgit string) (string, error) {
	fi, err := os.Lstat(dotgit)
	switch {
	case err != nil:
		return "", err
	case fi.Mode()&os.ModeSymlink != 0:
		return "link", nil
	case fi.IsDir():
		return "dir", nil
	}
	return "file", nil
}

// device returns the number of the file system that name is on.
func device(name string) (uint64, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("%q: the device is unknown", name)
	}
	return uint64(st.Dev), nil
}

// relativeTo reads a path out of a file of git's, without cleaning it: "a/.."
// is not "." where a is a symlink.
func relativeTo(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return strings.TrimSuffix(dir, "/") + "/" + path
}
