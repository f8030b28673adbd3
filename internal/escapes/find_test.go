package escapes

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const root = "../.." // of the module, from here

// directories are the packages whose tests the table names.
var directories = map[string]string{
	"git-seisin": "git-seisin",
	"gitdir":     "internal/gitdir",
	"launch":     "internal/launch",
	"native":     "internal/sandbox/native",
	"notify":     "internal/notify",
	"roles":      "internal/roles",
	"rundir":     "internal/rundir",
	"sandbox":    "internal/sandbox",
	"settings":   "internal/settings",
}

// A testPackage is what the test files of a package declare.
type testPackage struct {
	tests   map[string]bool
	words   map[string]bool // string literals, which cases are named by
	scripts map[string]bool
}

// parseTests reads the files, on whichever system and architecture they run.
func parseTests(t *testing.T, dir string) *testPackage {
	t.Helper()
	p := &testPackage{tests: map[string]bool{}, words: map[string]bool{}, scripts: map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.read(f)
	}
	scripts, err := filepath.Glob(filepath.Join(root, dir, "testdata/script/*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		p.scripts[strings.TrimSuffix(filepath.Base(name), ".txtar")] = true
	}
	return p
}

func (p *testPackage) read(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && strings.HasPrefix(n.Name.Name, "Test") && n.Name.Name != "TestMain" {
				p.tests[n.Name.Name] = true
			}
		case *ast.BasicLit:
			if s, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
				p.words[s] = true
			}
		}
		return true
	})
}

// has says why a test, or a case of it, is not there.
func (p *testPackage) has(name string) error {
	test, sub, isSub := strings.Cut(name, "/")
	switch {
	case !p.tests[test]:
		return fmt.Errorf("no test of that name")
	case isSub && test == "TestScript" && !p.scripts[sub]:
		return fmt.Errorf("no script of that name")
	case isSub && test != "TestScript" && (sub == "" || !p.words[sub]):
		return fmt.Errorf("no case of that name")
	}
	return nil
}
