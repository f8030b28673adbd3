package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// onPath is why what PATH leads to is executed.
const onPath = "PATH leads to it"

// ofPackages are directories of PATH that package managers fill. Their links
// are root's, and stay among themselves: 367 of 1060 names on the machine this
// was measured on, half a millisecond to read.
var ofPackages = []string{"/bin", "/sbin", "/usr/bin", "/usr/games", "/usr/sbin"}

// path looks for what PATH leads to: its directories, and what the links in
// them lead to.
func (l *looker) path() error {
	seen := map[string]bool{}
	for _, dir := range filepath.SplitList(l.machine.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		dir = plainly(dir)
		if seen[dir] {
			continue
		}
		seen[dir] = true
		if err := l.reach(dir, onPath, installTree); err != nil {
			return err
		}
		if slices.Contains(ofPackages, dir) {
			continue
		}
		if err := l.linksIn(dir); err != nil {
			return err
		}
	}
	return nil
}

func (l *looker) linksIn(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // not there, or nobody's way to run anything
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		link := filepath.Join(dir, e.Name())
		to, err := os.Readlink(link)
		if err != nil || !strings.Contains(to, "/") || filepath.IsAbs(to) && slices.Contains(ofPackages, filepath.Dir(to)) {
			continue // another name of its neighbour, or a program of the system's
		}
		if err := l.reach(link, onPath, programTree); err != nil {
			return err
		}
	}
	return nil
}

// programTree are the directories that a program comes with: what it starts or
// reads of its own stands beside it (node's modules, a script's), and the next
// version of it will.
func programTree(program string) []string {
	dir := filepath.Dir(program)
	return append(installTree(dir), dir)
}

// installTree is what a bin is part of, where its libraries are too: a node, a
// virtual environment.
func installTree(dir string) []string {
	if filepath.Base(dir) != "bin" {
		return nil
	}
	tree := filepath.Dir(dir)
	if lib, err := lookAt(filepath.Join(tree, "lib")); err != nil || !lib.exists {
		return nil
	}
	return []string{tree}
}
