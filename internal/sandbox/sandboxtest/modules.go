package sandboxtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// modules is the one module cache of a run.
var modules struct {
	once sync.Once
	path string
	err  error
}

// Modules points GOMODCACHE, until the test ends, to a directory that holds
// what this module needs to build and to be tested, and GOPROXY to nothing, so
// that go commands in a box or under another HOME find it without a network.
// It returns the directory. Root's own cache lies in a home that is closed to
// the second run, so as root it is a copy, made once; nothing may write to it.
func Modules(t testing.TB) string {
	t.Helper()
	modules.once.Do(func() {
		modules.path, modules.err = moduleCache()
	})
	if modules.err != nil {
		t.Fatal(modules.err)
	}
	t.Setenv("GOMODCACHE", modules.path)
	t.Setenv("GOPROXY", "off")
	return modules.path
}

func moduleCache() (string, error) {
	shared := filepath.Join(place.shared(), "gomod")
	if place.dir != "" && !place.owned {
		_, err := os.Stat(shared)
		return shared, err // the first run's
	}
	out, err := goCommand("env", "GOMODCACHE")
	if err != nil {
		return "", err
	}
	cache := strings.TrimSpace(out)
	if place.dir == "" || os.Getuid() != 0 {
		return cache, nil
	}
	if err := copyNeeded(shared, cache); err != nil {
		return "", err
	}
	return shared, nil
}

// copyNeeded copies the modules that packages of ours import, and of all
// others what the module graph is read from. The rest of a cache is large:
// archives, and what other projects use.
func copyNeeded(to, cache string) error {
	const format = `{{with .Module}}{{if not .Main}}{{.Dir}}{{end}}{{end}}`
	out, err := goCommand("list", "-deps", "-test", "-f", format, "./...")
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for dir := range strings.FieldsSeq(out) {
		if done[dir] {
			continue
		}
		done[dir] = true
		rel, err := filepath.Rel(cache, dir)
		if err != nil {
			return err
		}
		if err := os.CopyFS(filepath.Join(to, rel), os.DirFS(dir)); err != nil {
			return err
		}
	}
	return copyGraph(filepath.Join(to, "cache", "download"), filepath.Join(cache, "cache", "download"))
}

// copyGraph copies the small files of a cache's download directory: go.mod
// files, and the hashes without which go holds an extracted module for none.
func copyGraph(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch filepath.Ext(name) {
		case ".mod", ".info", ".ziphash":
		default:
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		return errors.Join(os.MkdirAll(filepath.Dir(dst), 0o755), copyFile(dst, name, 0o444))
	})
}
