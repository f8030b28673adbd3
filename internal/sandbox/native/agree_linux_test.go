package native_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// An evaluator answers what a box does. The real one is sandbox.Plan; tests
// put liars in its place.
type evaluator interface {
	Verdict(op sandbox.Op, path string) sandbox.Verdict
	Rename(from, to string) sandbox.Verdict
	Link(from, to string) sandbox.Verdict
}

// A forecast is what the evaluator says of an act, on the host's tree as it is.
type forecast struct {
	verdict sandbox.Verdict
	write   bool     // rather than a read
	odd     bool     // not a question for it: the kernel fails before it asks
	at      string   // where a write lands, for looking at it from the host
	own     bool     // it lands in the run's own files, which the host has elsewhere
	opened  []string // what can be read of what is hidden
}

// leads reports whether name at f.at is what is opened, or on the way to it.
func (f forecast) leads(name string) bool {
	return slices.ContainsFunc(f.opened, func(p string) bool { return sandbox.Within(p, filepath.Join(f.at, name)) })
}

// predict asks the evaluator about a, in a box of that plan.
func predict(plan sandbox.Plan, e evaluator, a act) forecast {
	f := ask(e, a)
	for _, m := range plan.Mounts { // outermost first
		if sandbox.Within(f.at, m.Path) && (f.at != m.Path || m.Mode != sandbox.Writable) {
			f.own = m.Own
		}
	}
	for _, g := range plan.Spec.Read {
		f.opened = append(f.opened, g.Path)
	}
	f.odd = f.odd || f.own && !f.write
	return f
}

func ask(e evaluator, a act) forecast {
	switch a.Op {
	case "read", "list":
		at, ok := follow(a.Path)
		return forecast{verdict: e.Verdict(sandbox.OpRead, at), odd: !ok || special(at), at: at}
	case "write", "truncate", "chmod", "utimes":
		at, ok := follow(a.Path)
		return forecast{verdict: e.Verdict(sandbox.OpWrite, at), write: true, odd: !ok || special(at), at: at}
	case "save":
		at, ok := follow(a.Path)
		if ok {
			return forecast{verdict: e.Verdict(sandbox.OpWrite, at), write: true, odd: special(at), at: at}
		}
		at, ok = creates(a.Path)
		return forecast{verdict: e.Verdict(sandbox.OpReplace, at), write: true, odd: !ok, at: at}
	case "rename", "link":
		from, ok1 := within(a.Path)
		to, ok2 := within(a.To)
		f := forecast{write: true, odd: !ok1 || !ok2}
		if a.Op == "link" {
			info, err := os.Lstat(from)
			f.odd = f.odd || err != nil || info.IsDir() // EPERM for a directory, by itself
			f.verdict = e.Link(from, to)
			return f
		}
		f.odd = f.odd || sameFile(from, to)
		f.verdict = e.Rename(from, to)
		return f
	}
	at, ok := within(a.Path)
	return forecast{verdict: e.Verdict(sandbox.OpReplace, at), write: true, odd: !ok, at: at}
}

// follow resolves all links of p; what it names must exist.
func follow(p string) (string, bool) {
	real, err := filepath.EvalSymlinks(p)
	return real, err == nil
}

// within resolves the links that lead to p, but not p.
func within(p string) (string, bool) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(p))
	return filepath.Join(dir, filepath.Base(p)), err == nil
}

// creates resolves where open(O_CREAT) makes p: a link that leads nowhere is
// followed.
func creates(p string) (string, bool) {
	for range 40 {
		at, ok := within(p)
		if !ok {
			return at, false
		}
		target, err := os.Readlink(at)
		if err != nil {
			return at, true
		}
		if p = target; !filepath.IsAbs(p) {
			p = filepath.Join(filepath.Dir(at), target)
		}
	}
	return p, false
}

// sameFile reports whether two names are one file: rename(2) then says that it
// has been done, and does nothing.
func sameFile(a, b string) bool {
	x, err1 := os.Lstat(a)
	y, err2 := os.Lstat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

func special(p string) bool {
	info, err := os.Lstat(p)
	return err != nil || !info.IsDir() && !info.Mode().IsRegular()
}

// walls are the errors by which the box refuses. Other errors are the kernel's
// ordinary ones: there was nothing there, or something was in the way.
var walls = []unix.Errno{unix.EROFS, unix.EACCES, unix.EPERM, unix.EBUSY, unix.EXDEV}

// judge compares what was foretold with what came, and says what is wrong.
// before is what stood at f.at on the host before a read.
func judge(a act, f forecast, o outcome, before string) (wrong string) {
	errno := unix.Errno(o.Errno)
	refused := slices.Contains(walls, errno)
	switch {
	case f.odd:
		return ""
	case f.verdict.Allowed && refused:
		return "said to be allowed, and the kernel refuses"
	case !f.verdict.Allowed && !f.write:
		// A closed place shows itself empty: nothing of the host's comes out
		// but the names that lead to what is opened in it.
		if errno == 0 && (slices.ContainsFunc(o.Names, func(name string) bool { return !f.leads(name) }) || o.Text != "") {
			return "said to be hidden, and can be read"
		}
	case !f.verdict.Allowed && errno == 0:
		return "said to be denied, and it happened"
	case f.verdict.Crosses && refused && errno != unix.EXDEV:
		return "said to cross grants, and the kernel has another reason"
	case f.verdict.Allowed && errno == 0 && a.Op == "read" && o.Text != before:
		return "read something else than the host's file"
	case f.own:
	case f.verdict.Allowed && errno == 0 && slices.Contains([]string{"write", "save", "create"}, a.Op):
		text, err := os.ReadFile(f.at)
		if err != nil || !strings.HasSuffix(string(text), a.Text) {
			return "written inside, and the host does not see it"
		}
	case f.verdict.Allowed && errno == unix.ENOENT && a.Op == "read":
		if _, err := os.Lstat(f.at); !errors.Is(err, os.ErrNotExist) {
			return "said to be readable, and it is not there inside"
		}
	}
	return ""
}
