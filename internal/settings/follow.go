package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A way is how one path is reached.
type way struct {
	real  string   // where it leads; what does not exist yet is taken as it is written
	links []string // every symlink on it, by the link's own real name, in their order
}

// maxLinks is how many links the kernel follows in one path.
const maxLinks = 40

// follow goes along p as the kernel does, and keeps the links that it meets. A
// link that leads to nothing is an error: whoever makes what is missing would
// say what p is. With an error the links are those met before it.
func follow(p string) (way, error) { return followBy(os.Lstat, p) }

// followBy is follow with another way to look at a name.
func followBy(lstat func(string) (fs.FileInfo, error), p string) (way, error) {
	w := way{real: "/"}
	if !filepath.IsAbs(p) {
		return w, &os.PathError{Op: "follow", Path: p, Err: errors.New("is relative")}
	}
	rest := strings.Split(p, "/")
	own := len(rest) // of rest, counted from the end, what p itself says; before it stands what links say
	absent := false
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		linked := len(rest) >= own
		own = min(own, len(rest))
		switch name {
		case "", ".":
			continue
		case "..":
			w.real = filepath.Dir(w.real)
			continue
		}
		next := filepath.Join(w.real, name)
		if absent {
			w.real = next
			continue
		}
		info, err := lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !linked:
			absent = true
		case err != nil:
			return w, err
		case info.Mode()&fs.ModeSymlink != 0:
			if w.links = append(w.links, next); len(w.links) > maxLinks {
				return w, &os.PathError{Op: "follow", Path: p, Err: syscall.ELOOP}
			}
			target, err := os.Readlink(next)
			if err != nil {
				return w, err
			}
			if filepath.IsAbs(target) {
				w.real = "/"
			}
			rest = append(strings.Split(target, "/"), rest...)
			continue
		}
		w.real = next
	}
	return w, nil
}

// plainly is p without "..", which after a symlink is not what stands before it
// in p: with some variables people name "~/sdk/current/../bin".
func plainly(p string) string {
	if strings.Contains("/"+p+"/", "/../") {
		if real, err := realPath(p); err == nil {
			return real
		}
	}
	return filepath.Clean(p)
}

// realPath follows every link in p. What does not exist yet is taken as it
// stands, below the real path of what does.
func realPath(p string) (string, error) {
	w, err := follow(p)
	if err != nil {
		return "", err
	}
	return w.real, nil
}

// RealPath follows every link in p, as the kernel does: ".." leaves the
// directory that a link led to, not the one that held the link (UA-34). What
// does not exist is taken as it is written, also behind a link.
func RealPath(p string) (string, error) {
	if !filepath.IsAbs(p) {
		return "", &os.PathError{Op: "resolve", Path: p, Err: errors.New("is relative")}
	}
	at, rest := "/", strings.Split(p, "/")
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		target, err := os.Readlink(next)
		if err != nil { // no link, not there, or in a directory that is closed to us
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", &os.PathError{Op: "resolve", Path: p, Err: syscall.ELOOP}
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return at, nil
}

// A ClosedError reports a path that this process may not look at. A role can
// have closed a directory of its territory.
type ClosedError struct {
	Path string
	Err  error
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("%q cannot be looked at: %v", e.Path, e.Err)
}

func (e *ClosedError) Unwrap() error { return e.Err }

// Hint says what the user can do about it.
func (e *ClosedError) Hint() string { return fmt.Sprintf("chmod u+rwx %q", filepath.Dir(e.Path)) }

// closed is err with a way out, where it is that a directory is closed to us.
func closed(err error) error {
	if pe, ok := errors.AsType[*os.PathError](err); ok && errors.Is(err, fs.ErrPermission) {
		return &ClosedError{Path: pe.Path, Err: pe.Err}
	}
	return err
}
