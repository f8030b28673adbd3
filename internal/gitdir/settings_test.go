package gitdir

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestReadSettings compares what is read of a file with what git reads of it,
// in the plain form and in those that are left to git.
func TestReadSettings(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    string
		plain bool // read without git
	}{
		{"Plain", "[core]\n\tbare = false\n\trepositoryformatversion = 0\n", true},
		{"LastOneWins", "[core]\n\tbare = true\n[core]\n\tbare = false\n", true},
		{"AnyCase", "[CORE]\n\tBare = yes\n[Extensions]\n\tWORKTREECONFIG = on\n", true},
		{"CRLF", "[core]\r\n\tbare = true\r\n", true},
		{"QuotesAndComments", "[core]\n\tworktree = \"/a # b\" # c\n\tbare = no ; d\n", false},
		{"Escapes", "[core]\n\tworktree = \"a\\\\b\\\"c\"\n", false},
		{"Subsection", "[core \"x\"]\n\tbare = true\n", true},
		{"IncludesAreNotFollowed", "[include]\n\tpath = other\n[includeIf \"gitdir:/\"]\n\tpath = other\n", true},
		{"Empty", "", true},
		{"OneLine", "[core] bare = true\n", false},
		{"IncludesAreNotFollowedByGit", "[core] bare = false\n[include]\n\tpath = other\n", false},
		{"ByteOrderMark", "\ufeff[core]\n\tbare = true\n", false},
		{"DottedSection", "[a.b \"c\"]\n\tk = v\n[core]\n\tbare = true\n", false},
		{"OldSubsection", "[Branch.Foo]\n\tremote = o\n[core]\n\tworktree = x\n", false},
		{"Latin1", "[core]\n\tbare = true\n[user]\n\tname = \xe9\n", true},
		{"QuotedElsewhere", "[core]\n\tbare = true\n[user]\n\tname = \"a # b\"\n", false},
		{"Comments", "# a\n ; b\n[core]\n\n\tbare = true\n", true},
		{"CommentAfterAValue", "[core]\n\tbare = true # c\n", false},
		{"SubsectionIsAnother", "[core]\n\tbare = true\n[core \"\"]\n\tbare = false\n", true},
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
			if _, ok := readPlain([]byte(tt.in)); ok != tt.plain {
				t.Errorf("read without git: got %v, want %v", ok, tt.plain)
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

// TestReadPlain draws files near the plain form: what is read without git is
// what git reads, and no file that git refuses is read.
func TestReadPlain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"core", "Core", "extensions", "x-1", "a.b", "core ", "é", ""})
		word := rapid.SampledFrom([]string{"true", "", "no", "1", "a b", "a\tb", "a ", `"a"`, `"`, "#", "a;b", `\`, "\r", "a=b", "=", "\x00", "\xff", "[core]"})
		key := rapid.SampledFrom([]string{"bare", "BARE", "worktree", "repositoryformatversion", "worktreeconfig", "1a", "a_b", "", "é"})
		if rapid.Bool().Draw(t, "plain") { // or few would be
			name, word = rapid.SampledFrom([]string{"core", "extensions"}), rapid.SampledFrom([]string{"true", "no", "1"})
			key = rapid.SampledFrom([]string{"bare", "worktree"})
		}
		in := "[core]\n"
		for range rapid.IntRange(1, 5).Draw(t, "lines") {
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				in += "[" + name.Draw(t, "section") + "]"
			case 1:
				in += "[" + name.Draw(t, "section") + " \"" + word.Draw(t, "sub") + "\"]"
			case 2:
				in += rapid.SampledFrom([]string{"# c", ";", "bare", "", "\t", "junk x"}).Draw(t, "line")
			default:
				in += "\t" + key.Draw(t, "key") + " = " + word.Draw(t, "value")
			}
			in += rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", " \n", ""}).Draw(t, "end")
		}
		got, ok := readPlain([]byte(in))
		if !ok {
			return
		}
		plain++
		if err := os.WriteFile(file, []byte(in), 0o644); err != nil {
			t.Fatal(err)
		}
		list, err := exec.Command("git", "config", "--file", file, "--null", "--list").Output()
		if err != nil {
			t.Fatalf("%q: git refuses it", in)
		}
		if want := parseList(string(list)); !maps.Equal(got, want) {
			t.Errorf("%q: got %v, git reads %v", in, got, want)
		}
	})
	if plain < 10 {
		t.Errorf("got %d files that were plain, want some", plain)
	}
}

// Without a git to ask, a file that is not in the plain form is refused.
func TestReadSettingsWithoutGit(t *testing.T) {
	base := sh(t, `repo r; printf '[core] bare = false\n' >>r/.git/config`)
	dir := filepath.Join(base, "r")
	if _, err := Find(dir, os.Getenv); err != nil { // the control: with git
		t.Fatal(err)
	}
	t.Setenv("PATH", base)
	p, err := Find(dir, os.Getenv)
	checkRefusal(t, p, err, &ConfigError{}, "there is no git on PATH to read it", "--list")
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
