package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// maxLines is where a file is asked why it is no two.
const maxLines = 400

func TestFilesAreSmall(t *testing.T) {
	for _, s := range sources(t) {
		if !s.test && s.lines > maxLines {
			t.Errorf("%s has %d lines, want at most %d", s.name, s.lines, maxLines)
		}
	}
}

// A package says once what it is for: without a doc nobody does, and go doc
// strings two together in the order of file names.
func TestPackageDocs(t *testing.T) {
	for dir, files := range packages(t) {
		var in []string
		for _, s := range files {
			if s.syntax.Doc == nil {
				continue
			}
			in = append(in, s.name)
			name := s.syntax.Name.Name
			if want := "Package " + name + " "; name != "main" && !strings.HasPrefix(s.syntax.Doc.Text(), want) {
				t.Errorf("%s: the package comment does not begin with %q", s.name, want)
			}
		}
		if len(in) != 1 {
			t.Errorf("%s: got %d package comments, want 1 %q", dir, len(in), in)
		}
	}
}

// What a package exports on Linux it exports everywhere: elsewhere it fails
// and says what it needs, and callers need no build tags. A package with no
// file for other systems is Linux's own, and go vet for another system finds
// whoever imports it.
func TestPlatformTwins(t *testing.T) {
	for dir, files := range packages(t) {
		onLinux, elsewhere := exports(t, files, "linux"), exports(t, files, "darwin")
		if elsewhere == nil {
			continue
		}
		for name, file := range onLinux {
			if _, ok := elsewhere[name]; !ok {
				t.Errorf("%s: %s is for Linux only; want a twin in %s that fails with a hint", file, name, dir)
			}
		}
	}
}

// exports returns the exported names of a package on goos and their files, or
// nil if it has no file there.
func exports(t *testing.T, files []source, goos string) map[string]string {
	t.Helper()
	var names map[string]string
	for _, s := range files {
		if !s.builds(t, goos) {
			continue
		}
		if names == nil {
			names = map[string]string{}
		}
		for _, decl := range s.syntax.Decls {
			for _, name := range declared(decl) {
				names[name] = s.name
			}
		}
	}
	return names
}

// declared returns the exported names that decl declares; a method as T.M.
func declared(decl ast.Decl) (names []string) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		names = append(names, name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		typ, method, isMethod := strings.Cut(name, ".")
		return !ast.IsExported(typ) || isMethod && !ast.IsExported(method)
	})
}

// receiver returns the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
