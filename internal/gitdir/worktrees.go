package gitdir

import (
	"os"
	"path/filepath"
	"strings"
)

// Others returns the tops of the other work trees of p's repository, real, as
// far as they are there: the main one, or "" if p is it or there is none, and
// the linked ones.
func (p *Place) Others() (main string, linked []string, err error) {
	if top := filepath.Dir(p.Common); filepath.Base(p.Common) == ".git" && top != p.Root {
		main = top
	}
	admin := filepath.Join(p.Common, "worktrees")
	entries, err := os.ReadDir(admin)
	if os.IsNotExist(err) {
		return main, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		if top := treeOf(filepath.Join(admin, e.Name())); top != "" && top != p.Root {
			linked = append(linked, top)
		}
	}
	return main, linked, nil
}

// treeOf returns the top of the work tree that admin administers, or "" if it
// is gone: git prunes such an entry in its own time.
func treeOf(admin string) string {
	data, err := readRegular(filepath.Join(admin, "gitdir"), maxGitfile)
	if err != nil {
		return ""
	}
	// The path of the tree's .git file; git 2.48 may write it relative.
	dotGit := relativeTo(admin, strings.TrimRight(string(data), "\r\n"))
	top, err := filepath.EvalSymlinks(filepath.Dir(dotGit))
	if err != nil {
		return ""
	}
	return top
}
