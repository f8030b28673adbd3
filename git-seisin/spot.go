package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// A spot is what a name leads to inside a box. The host is asked only where
// the box shows the host's files.
type spot struct {
	path   string      // every link in it followed; where wrong is set, as far as it goes
	exists bool        // or is made before the command starts
	made   bool        // it is made then
	dir    bool        // it is a directory, or is to be one
	host   fs.FileInfo // what the host has there and the box shows; nil is nothing
	own    bool        // it is the run's own, and the host says nothing of it
	unseen bool        // it lies in a directory that the person cannot go through

	orphan string // the directory that is missing, and would have to be made first
	kernel bool   // only the kernel knows what is there, and what it lets be done
	wrong  string // why no file can have this name, whatever the rules are
	barred string // a directory that the person cannot go through
}

// A loopError reports links that lead to each other.
type loopError struct{ name, link string }

func (e *loopError) Error() string {
	return fmt.Sprintf("%q: too many levels of symbolic links", e.name)
}

func (e *loopError) Hint() string {
	return fmt.Sprintf("see where it leads, and mend or remove it: readlink %s", e.link)
}

// Limits of the kernel's: the links followed in one path, and the bytes of a
// name and of a path.
const (
	maxLinks = 40
	maxName  = 255
	maxPath  = 4095
)

// seek follows name as the kernel does in a box of that plan: ".." leaves the
// directory that a link led to (UA-34), and there has to be one. Name is
// absolute, and not cleaned; asked is how the person wrote it.
func seek(l *loaded, plan sandbox.Plan, asked, name string) (spot, error) {
	s := spot{path: "/", exists: true, dir: true, host: look(plan, "/").host}
	if len(asked) > maxPath {
		s.exists = false
		s.wrong = fmt.Sprintf("a path has at most %d bytes (ENAMETOOLONG)", maxPath)
		return s, nil
	}
	rest := strings.Split(name, "/")[1:]
	for links := 0; len(rest) > 0; {
		step := rest[0]
		link := s.step(l, plan, step)
		if s.wrong != "" {
			return s, nil
		}
		if s.kernel || enclosing(plan, s.path).Mode == sandbox.Empty {
			s.path = path.Join(append([]string{s.path}, rest[1:]...)...)
			return s, nil
		}
		rest = rest[1:]
		if link == "" {
			continue
		}
		if links++; links > maxLinks {
			return s, &loopError{l.show(path.Clean(name)), l.show(path.Join(s.path, step))}
		}
		if path.IsAbs(link) {
			s.path, s.host, s.own, s.dir, s.exists = "/", nil, false, true, true
		}
		rest = append(strings.Split(link, "/"), rest...)
	}
	return s, nil
}

// step goes on by one name of a path. It returns where that leads if it is a
// link, and stays where it was then.
func (s *spot) step(l *loaded, plan sandbox.Plan, name string) (link string) {
	switch {
	case s.exists && !s.dir:
		s.wrong = fmt.Sprintf("%s is a file, and nothing lies below it (ENOTDIR)", l.show(s.path))
		return ""
	case name == "" || name == "." && s.exists:
		return ""
	case (name == "." || name == "..") && !s.exists:
		s.wrong = fmt.Sprintf("%s does not exist, and %q leads nowhere from there (ENOENT)", l.show(s.path), name)
		return ""
	case name == "..":
		*s = spot{path: path.Dir(s.path), exists: true, dir: true, barred: s.barred}
		s.host, s.own = look(plan, s.path).host, enclosing(plan, s.path).Own
		return ""
	case len(name) > maxName:
		s.exists = false
		s.wrong = fmt.Sprintf("a name has at most %d bytes (ENAMETOOLONG)", maxName)
		return ""
	}
	if s.barred == "" && s.host != nil {
		if why := obstacle(s.path, s.host, unix.X_OK); why != "" {
			s.barred = fmt.Sprintf("the permissions of %s do not let you go through it: %s", l.show(s.path), why)
		}
	}
	next := path.Join(s.path, name)
	if !s.exists && s.orphan == "" {
		s.orphan = s.path
	}
	at := look(plan, next)
	if at.link != "" {
		return at.link
	}
	*s = spot{
		path: next, exists: at.exists, made: at.made, dir: at.dir, host: at.host, kernel: at.kernel,
		unseen: at.unseen, own: enclosing(plan, next).Own, orphan: s.orphan, barred: s.barred,
	}
	return ""
}

// A sight is what stands under one name of a box.
type sight struct {
	exists, made, dir, kernel, unseen bool
	link                              string // where it leads; nothing else is set then
	host                              fs.FileInfo
}

// look says what a box of that plan has at p, whose parent has no link in it.
func look(plan sandbox.Plan, p string) sight {
	m := enclosing(plan, p)
	if m.Own {
		return lookOwn(plan, m, p)
	}
	info, err := os.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrPermission): // it is in a directory that is closed to us
		return sight{exists: true, dir: true, unseen: true}
	case err != nil:
		return lookAbsent(plan, p)
	case info.Mode()&fs.ModeSymlink != 0:
		if link, err := os.Readlink(p); err == nil && link != "" {
			return sight{link: link}
		}
	}
	return sight{exists: true, dir: info.IsDir(), host: info}
}

// lookAbsent knows what a run makes before its command starts: the names of
// grants, and the directories that lead to them.
func lookAbsent(plan sandbox.Plan, p string) sight {
	for _, m := range plan.Mounts {
		if m.Mode != sandbox.Writable || m.Own || m.Pin || !sandbox.Within(m.Path, p) {
			continue
		}
		return sight{exists: true, made: true, dir: m.Path != p || m.Kind == sandbox.Dir}
	}
	return sight{}
}

func (s spot) isFIFO() bool { return s.host != nil && s.host.Mode()&fs.ModeNamedPipe != 0 }

// show is the spot as the policy would write it, or as it was asked for where
// it cannot be.
func (s spot) show(l *loaded, asked string) string {
	if s.wrong != "" {
		return asked
	}
	return l.show(s.path)
}
