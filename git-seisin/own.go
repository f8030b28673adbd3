package main

import (
	"os"
	"path"
	"strings"

	"seisin/internal/sandbox"
)

// An own is a name in the box's own /dev or /run: a file, a directory or, where
// link is set, a symlink.
type own struct {
	dir  bool
	link string
}

// owns are the names in there that are no mounts. The native box makes these
// and no others; a test lists what a real one has.
var owns = map[string]own{
	"/dev/fd":                {link: "/proc/self/fd"},
	"/dev/ptmx":              {link: "pts/ptmx"},
	"/dev/pts/ptmx":          {},
	"/dev/stderr":            {link: "/proc/self/fd/2"},
	"/dev/stdin":             {link: "/proc/self/fd/0"},
	"/dev/stdout":            {link: "/proc/self/fd/1"},
	"/run/seisin":            {dir: true},
	"/run/seisin/box":        {},
	"/run/seisin/empty":      {dir: true},
	"/run/seisin/git-seisin": {},
	"/run/seisin/none":       {},
}

// lookOwn says what stands at p in m, a place that each box has of its own:
// whatever the host has there, the box has not.
func lookOwn(plan sandbox.Plan, m sandbox.Mount, p string) sight {
	switch {
	case sandbox.Within(p, "/proc") && p != "/proc":
		return lookProc(p)
	case m.Path == "/dev/pts" && isNumber(path.Base(p)):
		return sight{exists: true, kernel: true} // a terminal, once something inside has made one
	case m.Path == p:
		return sight{exists: true, dir: m.Kind == sandbox.Dir, kernel: p == "/dev/tty"}
	}
	if o, is := owns[p]; is {
		return sight{exists: true, dir: o.dir, link: o.link}
	}
	for _, below := range plan.Mounts {
		if sandbox.Within(below.Path, p) {
			return sight{exists: true, dir: true} // the box makes what leads to it
		}
	}
	return sight{}
}

// lookProc knows the names that every /proc of this kernel has. What they hold,
// and who may open it, is the kernel's to say; processes are the box's own.
func lookProc(p string) sight {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/proc/"), "/")
	if !isNumber(first) {
		if _, err := os.Lstat("/proc/" + first); err != nil {
			return sight{}
		}
	}
	return sight{exists: true, kernel: true}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
