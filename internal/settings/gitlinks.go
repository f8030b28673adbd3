package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"seisin/internal/sandbox"
)

// gitLinks refuses a git directory a part of which is a link to a place that
// the role may write: a hook, say, or all of them. It would be closed under its
// own name only. A link that leads to nothing counts as well, since the role
// could make what is missing.
func (r *resolver) gitLinks() error {
	for _, p := range r.gitWays() {
		w, _ := follow(p) // package gitdir came through
		for _, link := range w.links {
			if rule := r.plantedBy(link); rule != "" && link != r.place.DotGit {
				return r.refuse(0, "let it lead to its git directory without this link",
					"the way to %s goes through the symlink %q, and a role may have put it there: %s", p, link, rule)
			}
		}
	}
	dirs := []string{r.place.Common}
	if !sandbox.Within(r.place.Gitdir, r.place.Common) {
		dirs = append(dirs, r.place.Gitdir)
	}
	for _, dir := range dirs {
		if err := filepath.WalkDir(dir, r.gitLink); err != nil {
			return err
		}
	}
	return nil
}

// gitLink judges one name in a git directory.
func (r *resolver) gitLink(name string, d fs.DirEntry, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return nil // git at work; or what is closed to this user, and so to the git of this user
	case err != nil:
		return err
	case d.IsDir() && store(name):
		return fs.SkipDir
	case d.Type()&fs.ModeSymlink == 0:
		return nil
	}
	real, err := RealPath(name)
	if err != nil {
		return nil // it leads in a circle, and so to nothing that could be written
	}
	if r.writable(real) {
		return r.refuse(0, "put in its place what it leads to, or grant the role less",
			"%s is a symlink to %s, which the role may write", name, real)
	}
	w, _ := follow(name)
	for _, link := range w.links {
		if rule := r.plantedBy(link); rule != "" && link != name {
			return r.refuse(0, "put in its place what it leads to",
				"%s is a symlink that leads through another, %q, and a role may have put that there: %s", name, link, rule)
		}
	}
	return nil
}

// store reports whether dir holds what git stores by the thousand and never
// runs: objects, references and their logs, of a repository or a module in it,
// and the objects of git's extensions.
func store(dir string) bool {
	parent, name := filepath.Split(dir)
	switch name {
	case "objects", "refs", "logs":
		_, err := os.Lstat(parent + "HEAD")
		return err == nil || slices.Contains([]string{"lfs", "annex"}, filepath.Base(parent))
	}
	return false
}

// gitWays are the paths that git follows to the git directories: the .git, and
// what a gitfile and a commondir say.
func (r *resolver) gitWays() []string {
	ways := []string{r.place.DotGit}
	for _, in := range []struct{ file, prefix string }{
		{r.place.DotGit, "gitdir: "},
		{filepath.Join(r.place.Gitdir, "commondir"), ""},
	} {
		info, err := os.Lstat(in.file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(in.file)
		p, ok := bytes.CutPrefix(bytes.TrimRight(text, "\r\n"), []byte(in.prefix))
		if err != nil || !ok {
			continue
		}
		if !filepath.IsAbs(string(p)) {
			p = slices.Concat([]byte(filepath.Dir(in.file)+"/"), p)
		}
		ways = append(ways, string(p))
	}
	return ways
}

func (r *resolver) writable(p string) bool {
	return r.closedBy(p) == nil && slices.ContainsFunc(r.answer.Spec.Write, func(g sandbox.Grant) bool {
		return sandbox.Within(p, g.Path) || sandbox.Within(g.Path, p)
	})
}
