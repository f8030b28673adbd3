package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// systemDirs are on PATH and hold what the system's packages installed: a
// thousand programs, none of which leads into a home.
var systemDirs = []string{"/usr/bin", "/usr/sbin", "/bin", "/sbin"}

// toolchains opens what programs on PATH consist of, where isolation closes it
// with the state that they keep beside it: of ~/.codex the package in it that
// ~/.local/bin/codex leads to, and nothing else.
func (r *resolver) toolchains() error {
	if r.policy.Runtime.Isolate != roles.IsolateHome {
		return nil
	}
	for _, dir := range filepath.SplitList(r.machine.Getenv("PATH")) {
		if !filepath.IsAbs(dir) || slices.Contains(systemDirs, filepath.Clean(dir)) {
			continue
		}
		dir = plainly(dir)
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // as for a shell, which looks in the next one
		}
		for _, e := range entries {
			r.toolchain(filepath.Join(dir, e.Name()))
		}
		r.noteClosed(dir)
	}
	return nil
}

// noteClosed says that programs of a directory on PATH are not found inside.
func (r *resolver) noteClosed(dir string) {
	real, err := realPath(dir)
	opened := func(g sandbox.Grant) bool { return overlaps(real, g.Path) }
	if err != nil || slices.ContainsFunc(r.answer.Spec.Read, opened) {
		return
	}
	for _, g := range r.answer.Spec.Hidden {
		if g.Part == sandbox.Credentials && sandbox.Within(real, g.Path) {
			r.note(0, fmt.Sprintf("reads = [%q] opens it", real), "%s on PATH is not in the box: %s", dir, g.Rule)
			return
		}
	}
}

// toolchain opens what the program of that name on PATH consists of, if it is
// hidden.
func (r *resolver) toolchain(name string) {
	w, err := follow(name)
	if err != nil || slices.ContainsFunc(w.links, func(link string) bool { return r.plantedBy(link) != "" }) {
		return
	}
	in := r.keyHider(w.real)
	f, err := lookAt(w.real)
	if in == nil || in.Part != sandbox.Credentials || err != nil || !f.exists || f.odd || f.kind != sandbox.File || !isProgram(w.real) {
		return
	}
	tree := packageOf(w.real, in.Path)
	holds := func(g sandbox.Grant) bool { return sandbox.Within(g.Path, tree) }
	if slices.ContainsFunc(r.answer.Spec.Hidden, holds) {
		// A variable may have moved a closed place into what is installed.
		if tree = w.real; slices.ContainsFunc(r.answer.Spec.Hidden, holds) {
			return
		}
	}
	if f, err = lookAt(tree); err != nil {
		return
	}
	r.answer.Spec.Read = append(r.answer.Spec.Read, sandbox.Grant{
		Path: tree, Kind: f.kind, Part: sandbox.Toolchain, ID: f.id,
		Rule: fmt.Sprintf("%s on PATH is installed there", name),
	})
}

func isProgram(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// packageOf is the directory that the program at p was installed in, or p
// where it stands for itself: what a package manager of JavaScript unpacked, or
// a bin beside a lib. It is never the closed place, which holds sessions and
// tokens (B-22).
func packageOf(p, closed string) string {
	for dir := filepath.Dir(p); dir != closed && sandbox.Within(dir, closed); dir = filepath.Dir(dir) {
		for _, sign := range []string{"node_modules", "package.json"} {
			if _, err := os.Lstat(filepath.Join(dir, sign)); err == nil {
				return dir
			}
		}
		if bin, ok := strings.CutSuffix(p, "/"+filepath.Base(p)); ok && filepath.Base(bin) == "bin" && dir == filepath.Dir(bin) {
			if info, err := os.Stat(filepath.Join(dir, "lib")); err == nil && info.IsDir() {
				return dir
			}
		}
	}
	return p
}
