package gitdir

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Who the person is, git says: by the repository's configuration, the person's
// and what these include, the last word first; nothing is nobody (C26).
func TestIdentity(t *testing.T) {
	for _, tt := range []struct {
		name, make string
		want       Identity
	}{
		{"Nobody", "", Identity{}},
		{"Global", "git config --global user.name 'T \"x\"'; git config --global user.email t@e", Identity{`T "x"`, "t@e"}},
		{"Repository", "git config --global user.name T; git -C r config user.name Here", Identity{"Here", ""}},
		{"Last", "git -C r config --add user.name One; git -C r config --add user.name Two", Identity{"Two", ""}},
		{"Included", "printf '[user]\\n\\temail = i@e\\n' > more; git config --global include.path more", Identity{"", "i@e"}},
		{"TwoLines", "git config --global user.name \"$(printf 'a\\nb')\"", Identity{"a\nb", ""}},
		{"Beside", "git -C r config user.signingkey k; git -C r config author.name other", Identity{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := sh(t, "repo r")
			t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(base, "own"))
			cmd := exec.Command("sh", "-ec", tt.make)
			cmd.Dir = base
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			p, err := Find(filepath.Join(base, "r"), os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := p.Identity(os.Getenv); err != nil || got != tt.want {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestIdentityErrors(t *testing.T) {
	base := sh(t, "repo r")
	p, err := Find(filepath.Join(base, "r"), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(base, "broken")
	if err := os.WriteFile(broken, []byte("[user\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", broken)
	if got, err := p.Identity(os.Getenv); err == nil || got != (Identity{}) {
		t.Errorf("with a broken configuration: got %q, %v; want git's complaint", got, err)
	}
	t.Setenv("PATH", base)
	if _, err := p.Identity(os.Getenv); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("without git: got %v, want %v", err, exec.ErrNotFound)
	}
}
