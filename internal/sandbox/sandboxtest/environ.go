package sandboxtest

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
)

// ofTheUser are variables that speak of a user, and so of another one in the
// second run. Those of [ownVars] and XDG_* are such too.
var ofTheUser = []string{"GOCOVERDIR", "GOENV", "GOPATH", "LOGNAME", "MAIL", "OLDPWD", "PATH", "PWD", "USER"}

// ownVars gives the user's own directories, below own, to what uses them.
var ownVars = []struct{ name, dir string }{
	{"HOME", "home"},
	{"TMPDIR", "tmp"},
	{"GOCACHE", "gocache"},
	{"GOMODCACHE", "gomod"},
}

// coverDir is for what commands write under -cover. Nobody reads it; without
// one they would complain on stderr.
const coverDir = "cover"

func ownDirs(own string) []string {
	dirs := []string{filepath.Join(own, coverDir)}
	for _, v := range ownVars {
		dirs = append(dirs, filepath.Join(own, v.dir))
	}
	return dirs
}

// userEnviron returns root's environment as an ordinary user may have it: no
// variable leads into one of homes, PATH holds only what the user can read,
// and the user's own directories lie below own.
func userEnviron(env, homes []string, own string) []string {
	var out []string
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if name == "PATH" {
			out = append(out, "PATH="+userPath(value))
		}
		if name == "GOCOVERDIR" { // of commands, under -cover
			out = append(out, "GOCOVERDIR="+filepath.Join(own, coverDir))
		}
		if !isOfTheUser(name) && !leadsInto(value, homes) {
			out = append(out, kv)
		}
	}
	for _, v := range ownVars {
		out = append(out, v.name+"="+filepath.Join(own, v.dir))
	}
	return out
}

func isOfTheUser(name string) bool {
	if strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "SUDO_") || slices.Contains(ofTheUser, name) {
		return true
	}
	return slices.ContainsFunc(ownVars, func(v struct{ name, dir string }) bool { return v.name == name })
}

// leadsInto reports whether value holds the path of one of dirs, or of
// something below it, alone or in a list or flag.
func leadsInto(value string, dirs []string) bool {
	for _, dir := range dirs {
		for rest := value; ; {
			_, after, found := strings.Cut(rest, dir)
			if !found {
				break
			}
			if after == "" || strings.ContainsRune("/:,; \t'\"", rune(after[0])) {
				return true
			}
			rest = after
		}
	}
	return false
}

// rootHomes returns the homes of the user that this process is: $HOME, and
// what the password file says, which tools may look up instead.
func rootHomes() (homes []string) {
	if home := os.Getenv("HOME"); filepath.IsAbs(home) {
		homes = append(homes, filepath.Clean(home))
	}
	if u, err := user.Current(); err == nil {
		homes = append(homes, u.HomeDir)
	}
	return slices.DeleteFunc(homes, func(dir string) bool { return dir == "" || dir == "/" })
}

// userPath keeps of a PATH what everybody can read. Shims below root's home,
// as version managers put them, would be found and then not start.
func userPath(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool {
		return !filepath.IsAbs(dir) || !readable(dir)
	})
	if len(dirs) == 0 {
		return "/usr/local/bin:/usr/bin:/bin"
	}
	return strings.Join(dirs, string(filepath.ListSeparator))
}

// readable reports whether everybody can list the directory and enter it and
// all above it.
func readable(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for need := os.FileMode(0o005); ; need = 0o001 {
		fi, err := os.Stat(dir)
		if err != nil || !fi.IsDir() || fi.Mode()&need != need {
			return false
		}
		if dir == "/" {
			return true
		}
		dir = filepath.Dir(dir)
	}
}
