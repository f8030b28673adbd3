package gitdir

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCeilings compares with git where a ceiling stops the way up.
func TestCeilings(t *testing.T) {
	base := sh(t, `repo r; mkdir x; ln -s ../r/src x/link`)
	at := func(p string) string { return filepath.Join(base, p) }
	for _, tt := range []struct {
		name    string
		dir     string
		ceiling string
		found   bool
	}{
		{"None", "r/src/deep", "", true},
		{"Above", "r/src/deep", base, true},
		{"Root", "r/src/deep", "/", true},
		{"TheTop", "r/src/deep", at("r"), false},
		{"TheTopFromTheTop", "r", at("r"), true},
		{"Between", "r/src/deep", at("r/src"), false},
		{"TheStartItself", "r/src/deep", at("r/src/deep"), true},
		{"Below", "r/src", at("r/src/deep"), true},
		{"TrailingSlash", "r/src/deep", at("r/src") + "/", false},
		{"PrefixOfAName", "r/src/deep", at("r/sr"), true},
		{"Relative", "r/src/deep", "r", true},
		{"Missing", "r/src/deep", at("gone"), true},
		{"OneOfSeveral", "r/src/deep", "/gone:" + at("r") + ":/", false},
		{"ThroughALink", "r/src/deep", at("x/link"), false},
		{"ThroughALinkAfterAnEmptyEntry", "r/src/deep", ":" + at("x/link"), true},
		{"RealAfterAnEmptyEntry", "r/src/deep", ":" + at("r"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("GIT_CEILING_DIRECTORIES", tt.ceiling)
			_, err := Find(at(tt.dir), os.Getenv)
			if found := err == nil; found != tt.found {
				t.Errorf("found: got %v, want %v (%v)", found, tt.found, err)
			}
			if _, ok := errors.AsType[*NotRepositoryError](err); err != nil && !ok {
				t.Errorf("got a %T, want a *NotRepositoryError", err)
			}
			if _, err := gitPlace(at(tt.dir)); (err == nil) != tt.found {
				t.Errorf("git finds: got %v, want %v (%v)", err == nil, tt.found, err)
			}
		})
	}
}

func TestAcrossFileSystemIsABoolean(t *testing.T) {
	base := sh(t, `repo r`)
	t.Setenv("GIT_DISCOVERY_ACROSS_FILESYSTEM", "maybe")
	p, err := Find(filepath.Join(base, "r"), os.Getenv)
	checkRefusal(t, p, err, &EnvError{}, `is set to "maybe", which is no boolean`, "unset GIT_DISCOVERY_ACROSS_FILESYSTEM")
}

func TestRelativeTo(t *testing.T) {
	for _, tt := range []struct{ dir, path, want string }{
		{"/a", "/b/../c", "/b/../c"},
		{"/a", "b/../c", "/a/b/../c"},
		{"/", "b", "/b"},
		{"/a", ".", "/a/."},
	} {
		if got := relativeTo(tt.dir, tt.path); got != tt.want {
			t.Errorf("relativeTo(%q, %q) = %q, want %q", tt.dir, tt.path, got, tt.want)
		}
	}
}
