package arch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// forbidden is what the binary is not made of, with the reason. Start-up is
// decided by what is linked: a run has three processes, and each pays.
var forbidden = []struct{ pattern, why string }{
	{`^github\.com/go-git/go-git(/v\d+)?$`,
		"the root package costs 0.9 ms a start and 6 MB, and opens repositories that git refuses; use its subpackages"},
	{`^net/http(/|$)`, "0.46 ms a start; package egress parses a request's head itself"},
	{`^github\.com/elastic/go-seccomp-bpf(/|$)`,
		"compares arguments as 64 bits and lets foreign architectures pass; the table is package native's"},
	{`^github\.com/russross/blackfriday(/|$)`, "0.3 ms a start, for man pages that we write by hand"},
}

func TestLinked(t *testing.T) {
	deps := linked(t)
	// A control: an answer without these is none.
	for _, want := range []string{"seisin/git-seisin", "seisin/internal/sandbox", "golang.org/x/sys/unix"} {
		if !slices.Contains(deps, want) {
			t.Errorf("go list -deps names %d packages, and not %s", len(deps), want)
		}
	}
	for _, f := range forbidden {
		re := regexp.MustCompile(f.pattern)
		for _, dep := range deps {
			if re.MatchString(dep) {
				t.Errorf("%s is linked: %s", dep, f.why)
			}
		}
	}
}

// linked returns the import paths of all packages in the Linux binary.
func linked(t *testing.T) []string {
	t.Helper()
	// go test's cache does not see what the go command reads; it sees these.
	sources(t)
	for _, name := range []string{"go.mod", "go.sum"} {
		if _, err := os.ReadFile(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "list", "-deps", "-tags", "urfave_cli_no_docs", "./git-seisin")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("go list: %v\n%s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// The patterns are the rule: each must hit what it is for, and no more.
func TestForbiddenPatterns(t *testing.T) {
	for _, tt := range []struct {
		path string
		want bool
	}{
		{"github.com/go-git/go-git/v5", true},
		{"github.com/go-git/go-git/v6", true},
		{"github.com/go-git/go-git/v5/plumbing/format/config", false},
		{"net/http", true},
		{"net/http/internal", true},
		{"net/netip", false},
		{"github.com/elastic/go-seccomp-bpf", true},
		{"github.com/russross/blackfriday/v2", true},
	} {
		got := false
		for _, f := range forbidden {
			got = got || regexp.MustCompile(f.pattern).MatchString(tt.path)
		}
		if got != tt.want {
			t.Errorf("%s: forbidden = %v, want %v", tt.path, got, tt.want)
		}
	}
}
