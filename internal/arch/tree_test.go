package arch

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."   // of the module, from here
	module = "seisin/" // begins the import path of every package of ours
)

// A source is one Go file of the module.
type source struct {
	name   string // slash-separated, from the root
	dir    string // its package
	test   bool   // whether its name ends in _test.go
	lines  int
	syntax *ast.File
}

// imports returns the import paths of s.
func (s source) imports() (paths []string) {
	for _, spec := range s.syntax.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(err) // the parser takes no such file
		}
		paths = append(paths, p)
	}
	return paths
}

// builds reports whether s is part of its package on goos.
func (s source) builds(t *testing.T, goos string) bool {
	t.Helper()
	ctxt := build.Default
	ctxt.GOOS, ctxt.GOARCH, ctxt.CgoEnabled = goos, "amd64", false
	match, err := ctxt.MatchFile(filepath.Join(root, s.dir), path.Base(s.name))
	if err != nil {
		t.Fatal(err)
	}
	return match
}

// sources parses the module. We read the files, rather than ask "go list", for
// two reasons: every GOOS is seen, and go test's cache knows which files a
// result came from. After a forbidden import was added, a first draft that
// asked still answered "ok (cached)".
func sources(t *testing.T) (all []source) {
	t.Helper()
	tree := os.DirFS(root)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && ignored(name) {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, source{
			name:   name,
			dir:    path.Dir(name),
			test:   strings.HasSuffix(name, "_test.go"),
			lines:  bytes.Count(text, []byte("\n")),
			syntax: f,
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ignored reports whether "./..." leaves out the directory.
func ignored(name string) bool {
	base := path.Base(name)
	return base == "testdata" || name != "." && (base[0] == '.' || base[0] == '_')
}

// packages returns the sources that are no tests, by package.
func packages(t *testing.T) map[string][]source {
	t.Helper()
	byDir := map[string][]source{}
	for _, s := range sources(t) {
		if !s.test {
			byDir[s.dir] = append(byDir[s.dir], s)
		}
	}
	return byDir
}

// ours returns the package of ours that an import path names, if it is one.
func ours(importPath string) (dir string, ok bool) {
	return strings.CutPrefix(importPath, module)
}
