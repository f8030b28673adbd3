package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"seisin/internal/sandbox"
)

// A looker looks for what the host executes from scratch.
type looker struct {
	machine Machine
	scratch []string
	list    []candidate
	known   map[string]bool // the paths in list
	seen    map[string]seen
}

// seen is what looking at a name gave.
type seen struct {
	info fs.FileInfo
	err  error
}

// follow is [follow] that looks at a directory above many names once, and goes
// on where a link leads to nothing: what is put there is executed. Ok is false
// where nothing is that could be.
func (l *looker) follow(p string) (w way, ok bool, err error) {
	w, err = followBy(func(name string) (fs.FileInfo, error) {
		s, ok := l.seen[name]
		if !ok {
			s.info, s.err = os.Lstat(name)
			l.seen[name] = s
		}
		return s.info, s.err
	}, p)
	if err == nil {
		return w, true, nil
	}
	if pe, isPath := errors.AsType[*fs.PathError](err); isPath && errors.Is(err, fs.ErrPermission) && l.inScratch(pe.Path) {
		return w, false, closed(err) // a role may have closed it
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return w, false, nil
	}
	w.real, err = RealPath(p)
	return w, err == nil, nil
}

// concerns reports whether p can be made or changed by scratch, or has scratch in
// it, which is refused: what lies in a thing that is executed is a part of it.
func (l *looker) concerns(p string) bool { return l.inScratch(p) || l.holdsScratch(p) && !l.isBase(p) }

func (l *looker) inScratch(p string) bool {
	return slices.ContainsFunc(l.scratch, func(root string) bool { return sandbox.Within(p, root) })
}

// reach adds what p leads to, and each symlink on the way that a role may
// replace. Wider names the directories that may be closed in place of the one
// that it leads to.
func (l *looker) reach(p, why string, wider func(real string) []string) error {
	w, ok, err := l.follow(p)
	if err != nil || !ok {
		return err
	}
	for _, link := range w.links {
		if err := l.add(link, why, nil); err != nil {
			return err
		}
	}
	return l.add(w.real, why, wider)
}

func (l *looker) add(p, why string, wider func(real string) []string) error {
	if l.known[p] || !l.concerns(p) {
		return nil
	}
	f, err := lookAt(p)
	if err != nil {
		return err
	}
	if f.link {
		f.kind = sandbox.Link
	}
	c := candidate{path: p, found: f, why: why}
	if wider != nil && f.exists {
		c.wider = slices.DeleteFunc(wider(p), func(dir string) bool { return !l.inScratch(dir) || l.isBase(dir) })
	}
	l.put(c)
	return nil
}

// leave adds what is left open, whether it is there or not.
func (l *looker) leave(p, why, left string) {
	if !l.known[p] && l.inScratch(p) {
		l.put(candidate{path: p, found: found{kind: sandbox.Dir}, why: why, left: left})
	}
}

func (l *looker) put(c candidate) {
	l.known[c.path] = true
	l.list = append(l.list, c)
}

// isBase reports whether dir is where programs of all kinds have theirs.
func (l *looker) isBase(dir string) bool {
	return slices.ContainsFunc(DefaultScratch, func(place string) bool {
		p, ok := l.expand(place)
		return ok && sandbox.Within(p, dir)
	})
}

// surfaces looks for what the table names.
func (l *looker) surfaces() error {
	seen := map[string]bool{}
	for _, s := range surfaces {
		for _, dir := range s.dirs {
			dir, ok := l.expand(dir)
			if !ok || seen[dir] {
				continue
			}
			seen[dir] = true
			if err := l.surface(dir, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// surface looks at one directory of a surface, if any of it is granted: at the
// place where it is, or at that of a link to it.
func (l *looker) surface(dir string, s surface) error {
	w, ok, err := l.follow(dir)
	if err != nil || !ok {
		return err
	}
	if !slices.ContainsFunc(append(w.links, w.real), func(p string) bool { return l.inScratch(p) || l.holdsScratch(p) }) {
		return nil
	}
	entries, err := os.ReadDir(w.real)
	switch {
	case errors.Is(err, fs.ErrPermission): // a role may have closed it
		return &ClosedError{Path: filepath.Join(w.real, s.runs[0].names[0]), Err: err}
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
		return err
	}
	for _, link := range w.links {
		if err := l.add(link, "it leads to what is executed", nil); err != nil {
			return err
		}
	}
	for _, x := range s.runs {
		for _, name := range x.names {
			if left := neededInside[name]; left != "" {
				l.leave(filepath.Join(w.real, name), x.why, left)
				continue
			}
			if err := l.runs(w.real, entries, name, x.why); err != nil {
				return err
			}
		}
	}
	return nil
}

// runs looks for one name of a surface, or what it stands for, among the
// entries of the directory: hardly any of the names are there.
func (l *looker) runs(dir string, entries []fs.DirEntry, name, why string) error {
	first, _, _ := strings.Cut(name, "/")
	named := false
	for _, e := range entries {
		matched := e.Name() == first
		if strings.Contains(name, "*") {
			matched, _ = filepath.Match(name, e.Name())
		}
		if !matched {
			continue
		}
		named = named || e.Name() == first
		if err := l.reach(filepath.Join(dir, strings.Replace(name, first, e.Name(), 1)), why, nil); err != nil {
			return err
		}
	}
	if named {
		return nil
	}
	if p := dir + "/" + name; !l.known[p] && l.concerns(p) {
		// Nothing is there, or of a pattern nothing that is so called: one
		// more that is like it can always be made.
		l.put(candidate{path: p, found: found{kind: sandbox.Dir}, why: why})
	}
	return nil
}

func (l *looker) holdsScratch(p string) bool {
	return slices.ContainsFunc(l.scratch, func(root string) bool { return sandbox.Within(root, p) })
}

// expand is a place of scratch or of a surface as an absolute path.
func (l *looker) expand(dir string) (p string, ok bool) {
	if rest, ofHome := strings.CutPrefix(dir, "~/"); ofHome {
		return filepath.Join(l.machine.Home, rest), l.machine.Home != ""
	}
	variable, rest, _ := strings.Cut(strings.TrimPrefix(dir, "$"), "/")
	p = l.machine.Getenv(variable)
	return filepath.Join(plainly(p), rest), filepath.IsAbs(p)
}
