package gitdir

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadSettings compares what is read of a file with what git reads of it,
// in the forms that go-git's decoder cannot read, or reads otherwise.
func TestReadSettings(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    string
		plain bool // go-git's decoder is enough
	}{
		{"Plain", "[core]\n\tbare = false\n\trepositoryformatversion = 0\n", true},
		{"LastOneWins", "[core]\n\tbare = true\n[core]\n\tbare = false\n", true},
		{"AnyCase", "[CORE]\n\tBare = yes\n[Extensions]\n\tWORKTREECONFIG = on\n", true},
		{"CRLF", "[core]\r\n\tbare = true\r\n", true},
		{"QuotesAndComments", "[core]\n\tworktree = \"/a # b\" # c\n\tbare = no ; d\n", true},
		{"Escapes", "[core]\n\tworktree = \"a\\\\b\\\"c\"\n", true},
		{"Subsection", "[core \"x\"]\n\tbare = true\n", true},
		{"IncludesAreNotFollowed", "[include]\n\tpath = other\n[includeIf \"gitdir:/\"]\n\tpath = other\n", true},
		{"Empty", "", true},
		{"OneLine", "[core] bare = true\n", false},
		{"IncludesAreNotFollowedByGit", "[core] bare = false\n[include]\n\tpath = other\n", false},
		{"ByteOrderMark", "\ufeff[core]\n\tbare = true\n", false},
		{"DottedSection", "[a.b \"c\"]\n\tk = v\n[core]\n\tbare = true\n", false},
		{"OldSubsection", "[Branch.Foo]\n\tremote = o\n[core]\n\tworktree = x\n", false},
		{"Latin1", "[user]\n\tname = \xe9\n[core]\n\tbare = true\n", false},
		{"KeyAlone", "[core]\n\tbare\n", false},
		{"EmptyValue", "[core]\n\tbare =\n", false},
		{"ContinuedLine", "[core]\n\tworktree = a\\\nb\n", false},
		{"CarriageReturnInAValue", "[core]\n\tworktree = a\rb\n", false},
		{"TabInAValue", "[core]\n\tworktree = a\tb\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(sh(t, `printf '[core]\n\tbare = true\n' >other`), "config")
			if err := os.WriteFile(file, []byte(tt.in), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := decode([]byte(tt.in)); (err == nil) != tt.plain {
				t.Errorf("decode: got error %v, want one: %v", err, !tt.plain)
			}
			got, err := readSettings(file, os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			list, err := exec.Command("git", "config", "--file", file, "--null", "--list").Output()
			if err != nil {
				t.Fatal(err)
			}
			if want := parseList(string(list)); !maps.Equal(got, want) {
				t.Errorf("got %v, git reads %v", got, want)
			}
		})
	}
}

// Without a git to ask, a file that go-git's decoder cannot read is refused.
func TestReadSettingsWithoutGit(t *testing.T) {
	base := sh(t, `repo r; printf '[core] bare = false\n' >>r/.git/config`)
	dir := filepath.Join(base, "r")
	if _, err := Find(dir, os.Getenv); err != nil { // the control: with git
		t.Fatal(err)
	}
	t.Setenv("PATH", base)
	p, err := Find(dir, os.Getenv)
	checkRefusal(t, p, err, &ConfigError{}, "there is no git on PATH to ask", "--list")
}

// TestParseBool compares with git's own reading.
func TestParseBool(t *testing.T) {
	cleanEnv(t)
	for _, in := range []string{
		"true", "TRUE", "yes", "on", "1", "-1", "2k", "0x10", "010",
		"false", "No", "off", "", "0", "0k", "-0",
		"maybe", "k", "t", "1 ", "1x", "1kk", "+", "99999999999",
	} {
		on, ok := parseBool(in)
		cmd := exec.Command("git", "config", "--file", "/dev/stdin", "--type=bool", "--get", "a.b")
		cmd.Stdin = strings.NewReader("[a]\n\tb = \"" + in + "\"\n")
		out, err := cmd.Output()
		if (err == nil) != ok {
			t.Errorf("parseBool(%q): got ok %v, git says %v", in, ok, err)
			continue
		}
		if git := strings.TrimSpace(string(out)) == "true"; ok && on != git {
			t.Errorf("parseBool(%q) = %v, git says %v", in, on, git)
		}
	}
}
