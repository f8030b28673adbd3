package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"seisin/internal/sandbox/sandboxtest"
)

// What the README shows is what happens: its policy is taken, its commands are
// run in order, and their output is compared.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	policy := blocks(string(text), "toml")
	if len(policy) != 1 {
		t.Fatalf("got %d policies, want 1", len(policy))
	}
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{
		"seisin.toml": policy[0], "README.md": "", "go.mod": "",
		"src/generated/a": "", "docs/a.md": "", ".secrets/k": "",
	})
	ran := 0
	for _, block := range blocks(string(text), "console") {
		for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(part, "\n")
			want = strings.TrimSuffix(want, "\n")
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = root
			cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool {
				return strings.HasPrefix(kv, "TMPDIR=") || strings.HasPrefix(kv, "LC_") || strings.HasPrefix(kv, "LANG=")
			}), "PWD="+root)
			out, _ := cmd.CombinedOutput() // some of them are refused
			if got := strings.TrimSuffix(string(out), "\n"); got != want {
				t.Errorf("$ %s\ngot:\n%s\nwant:\n%s", command, got, want)
			}
			ran++
		}
	}
	if ran < 5 {
		t.Errorf("got %d commands in the README, want those that it shows", ran)
	}
	if _, err := os.Stat(filepath.Join(root, "src/new.go")); err != nil {
		t.Errorf("what the README writes in the territory is not there: %v", err)
	}
}

// blocks returns the fenced blocks of one language.
func blocks(text, language string) (list []string) {
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// Links of the README that lead into the repository lead to something.
func TestReadmeLinks(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
			t.Errorf("README.md leads to %q: %v", m[1], err)
		}
	}
	if n := strings.Count(string(text), "\n"); n >= 200 {
		t.Errorf("README.md has %d lines, want under 200", n)
	}
}
