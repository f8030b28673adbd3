package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// text is all of one role, a part of the box after the other.
func (c *roleCheck) text(l *loaded) func(io.Writer) {
	return func(w io.Writer) {
		fmt.Fprintf(w, "role %s (%s:%d)\n", c.Name, roles.FileName, c.Line)
		fmt.Fprintf(w, "command: %s\n", printable(commandWords(c.Command)))
		fmt.Fprintln(w, printable(isolation(l.policy, c.role)))
		for _, later := range c.Later {
			fmt.Fprintln(w, printable(later))
		}
		if c.AsRoot {
			fmt.Fprintln(w, "you are root: inside, root has no capabilities, and may do with the files of others only what their mode lets it")
		}
		if len(c.Groups) > 0 {
			fmt.Fprintf(w, "groups: it has yours, since only root can drop one, and may do what these let it: %s\n", printable(strings.Join(c.Groups, " ")))
		}
		if c.Home != "" {
			fmt.Fprintf(w, "home: HOME inside is %s, which it may write and which stays from run to run\n", printable(l.name(place{Path: c.Home, Kind: sandbox.Dir})))
		}
		l.list(w, "territory: it may write these", c.Territory, ruled)
		if len(c.Pinned) > 0 {
			l.list(w, "pinned: it may write in these, and not remove, rename or replace them", c.Pinned, ruled)
		}
		fmt.Fprintf(w, "scratch of every role: %s\n", printable(nothingOr(c.ScratchNames)))
		l.list(w, "scratch: it may write these too", c.Scratch, ruled)
		l.list(w, "private: the run's own in place of yours", c.Private, ruled)
		l.list(w, "closed: it may read these, and nothing makes them writable", c.Closed, ruled)
		l.listHidden(w, c.Hidden)
		if len(c.Sockets) > 0 {
			l.list(w, "sockets: it may connect to these", c.Sockets, ruled)
		}
		if len(c.Shown) > 0 {
			l.list(w, "shown: of the host, for these sockets", c.Shown, unruled)
		}
		if c.UserNS {
			fmt.Fprintln(w, "userns: it "+userNS(os.Geteuid()))
		}
		if len(c.Opened) > 0 {
			l.list(w, "keys: of what is hidden it may read these", c.Opened, ruled)
		}
		l.list(w, "guarded, not sealed: a mount on the name protects these, and is put back when you replace what has the name", c.Guarded, unruled)
		if c.guardsPolicy() {
			fmt.Fprintf(w, "  a %s that was written in that moment counts from the next run on, and this version asks nobody then: see git diff %[1]s\n", roles.FileName)
		}
		fmt.Fprintf(w, "refused to every role, and so these do not work: %s\n", strings.Join(c.Refused, ", "))
		fmt.Fprintln(w, "not held in this version:")
		for _, what := range c.Open {
			fmt.Fprintf(w, "  %s\n", what)
		}
		fmt.Fprintf(w, "the %s box: %s\n", c.Machine.Provider, c.Machine.text())
	}
}

func (c *roleCheck) guardsPolicy() bool {
	for _, p := range c.Guarded {
		if strings.HasSuffix(p.Path, "/"+roles.FileName) && p.Kind == sandbox.File {
			return true
		}
	}
	return false
}

func commandWords(command []string) string {
	if len(command) == 0 {
		return "none of its own"
	}
	var list []string
	for _, word := range command {
		if strings.ContainsAny(word, " \t\n'\"") || word == "" {
			word = fmt.Sprintf("%q", word)
		}
		list = append(list, word)
	}
	return strings.Join(list, " ")
}

// Places are listed with their rule or, where it was told already, without.
const (
	ruled   = true
	unruled = false
)

// list shows places, or says that there are none.
func (l *loaded) list(w io.Writer, title string, places []place, rule bool) {
	if len(places) == 0 {
		fmt.Fprintf(w, "%s: none\n", title)
		return
	}
	fmt.Fprintf(w, "%s:\n", title)
	for _, p := range places {
		fmt.Fprintf(w, "  %-4s  %s", p.Kind, printable(l.name(p)))
		if rule {
			fmt.Fprintf(w, "  %s", printable(p.Rule))
		}
		fmt.Fprintln(w)
		for _, s := range p.says() {
			fmt.Fprintf(w, "          %s\n", printable(s))
		}
	}
}

// listHidden shows what is hidden. What isolation closes and is not there is
// counted: it is a table of names, most of which nobody has.
func (l *loaded) listHidden(w io.Writer, hidden []place) {
	shown := slices.DeleteFunc(slices.Clone(hidden), func(p place) bool { return p.Absent && strings.HasPrefix(p.Rule, "[runtime] isolate") })
	l.list(w, "hidden: it may not even read these", shown, ruled)
	if n := len(hidden) - len(shown); n > 0 {
		fmt.Fprintf(w, "  and %d names that isolation closes and that are not there now\n", n)
	}
}

// says is all that is to be known of a place. A grant that leaves the
// repository is not to be overlooked.
func (p place) says() (list []string) {
	if p.Outside && strings.HasPrefix(p.Rule, "roles.") {
		list = append(list, "OUTSIDE THE REPOSITORY")
	}
	return append(list, p.Says...)
}

// name shows a place as people write it: relative to the root or to the home,
// a directory with a slash, what is missing as such.
func (l *loaded) name(p place) string {
	s := l.show(p.Path)
	if home := l.machine.Home; home != "" && s == p.Path && sandbox.Within(s, home) {
		s = "~" + strings.TrimPrefix(s, home)
	}
	if p.Kind == sandbox.Dir && s != "/" {
		s += "/"
	}
	if len(p.With) > 0 {
		s += " with " + strings.Join(p.With, " ")
	}
	if p.Absent {
		s += " (absent)"
	}
	return s
}
