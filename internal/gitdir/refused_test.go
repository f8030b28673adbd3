package gitdir

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestFindRefuses holds Find to git's refusals, and to the few of its own.
// Every refusal says what to do.
func TestFindRefuses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		script  string
		dir     string
		want    error  // of this type
		says    string // and with this in its text
		hint    string
		accepts bool // git answers where Find refuses
	}{
		{
			name: "NoRepository", script: `mkdir -p d/e`, dir: "d/e",
			want: &NotRepositoryError{}, says: "d/e\" lies in no git repository", hint: "git init",
		},
		{
			name: "JunkHead", script: `repo r; echo junk >r/.git/HEAD`, dir: "r",
			want: &NotRepositoryError{}, says: "no git repository", hint: "git init",
		},
		{
			name: "HeadIsAnAbbreviatedID", script: `repo r; echo 0123456789abcdef >r/.git/HEAD`, dir: "r",
			want: &NotRepositoryError{}, says: "no git repository", hint: "git init",
		},
		{
			name: "HeadIsALinkOutOfRefs", script: `repo r; ln -sf ../src/a r/.git/HEAD`, dir: "r",
			want: &NotRepositoryError{}, says: "no git repository", hint: "git init",
		},
		{
			name: "HeadRefersOutOfRefs", script: `repo r; echo 'ref: src/a' >r/.git/HEAD`, dir: "r",
			want: &NotRepositoryError{}, says: "no git repository", hint: "git init",
		},
		{
			name: "Bare", script: `git init -q --bare b.git`, dir: "b.git/refs",
			want: &BareError{}, says: `b.git" is bare`, hint: "worktree add",
		},
		{
			name: "BareContainer", script: `container c; mkdir c/notes`, dir: "c/notes", // C01
			want: &BareError{}, says: `c/.bare" is bare`, hint: "worktree add",
		},
		{
			name: "BareDotGit", script: `repo r; git -C r config core.bare true`, dir: "r/src",
			want: &BareError{}, says: "core.bare is true", hint: `.git/config" core.bare false`,
		},
		{
			name: "BareAndElsewhere", script: `repo r; git -C r config core.worktree /; git -C r config core.bare 1`, dir: "r",
			want: &BareError{}, says: "core.bare is true", hint: "core.bare false",
		},
		{
			name: "BareForAllWorktrees", dir: "c/feat",
			script: `container c; git -C c worktree add -q feat; git -C c config extensions.worktreeConfig true`,
			want:   &BareError{}, says: "has no work tree", hint: "worktree add",
		},
		{
			name: "InsideDotGit", script: `repo r`, dir: "r/.git",
			want: &InsideGitdirError{}, says: "lies in the git directory", hint: "work tree",
		},
		{
			name: "InsideObjects", script: `repo r`, dir: "r/.git/objects/info",
			want: &InsideGitdirError{}, says: `lies in the git directory`, hint: "work tree",
		},
		{
			name: "InsideALinkedGitdir", script: `repo r; git -C r worktree add -q ../w`, dir: "r/.git/worktrees/w",
			want: &InsideGitdirError{}, says: `.git/worktrees/w", not in a work tree`, hint: "work tree",
		},
		{
			// git finds the submodule's tree by core.worktree. One stands in
			// administration all the same.
			name: "InsideTheGitdirOfASubmodule", dir: "r/.git/modules/lib", accepts: true,
			script: `repo sub; repo r; git -C r -c protocol.file.allow=always submodule -q add ../sub lib`,
			want:   &InsideGitdirError{}, says: `.git/modules/lib"`, hint: "work tree",
		},
		{
			name: "GitfileToNowhere", script: `repo r; mkdir r/sub; echo 'gitdir: /nowhere/at/all' >r/sub/.git`, dir: "r/sub",
			want: &GitfileError{}, says: `sub/.git" leads to "/nowhere/at/all": no such file`, hint: "worktree repair",
		},
		{
			name: "GitfileToNoRepository", script: `repo r; mkdir x; echo 'gitdir: ../x' >x/.git`, dir: "x",
			want: &GitfileError{}, says: "not a git directory", hint: "worktree repair",
		},
		{
			name: "GitfileToAGitfile", script: `repo r; git -C r worktree add -q ../w; mkdir x; echo 'gitdir: ../w/.git' >x/.git`, dir: "x",
			want: &GitfileError{}, says: "not a git directory", hint: "worktree repair",
		},
		{
			name: "GitfileWithoutASpace", script: `repo r; mv r/.git s; echo 'gitdir:../s' >r/.git`, dir: "r",
			want: &GitfileError{}, says: `does not begin with "gitdir: "`, hint: "worktree repair",
		},
		{
			name: "GitfileWithoutAPath", script: `mkdir x; echo 'gitdir: ' >x/.git`, dir: "x",
			want: &GitfileError{}, says: "names no path", hint: "worktree repair",
		},
		{
			name: "GitfileOverOneMegabyte", dir: "r",
			script: `repo r; mv r/.git s; { printf 'gitdir: ../s'; head -c 1048576 /dev/zero | tr '\0' '\n'; } >r/.git`,
			want:   &GitfileError{}, says: "larger than 1048576 bytes", hint: "worktree repair",
		},
		{
			name: "PrunedWorktree", script: `repo r; git -C r worktree add -q ../w; rm -r r/.git/worktrees`, dir: "w",
			want: &GitfileError{}, says: "no such file", hint: "worktree repair",
		},
		{
			name: "CommondirIsEmpty", script: `repo r; git -C r worktree add -q ../w; : >r/.git/worktrees/w/commondir`, dir: "w",
			want: &GitfileError{}, says: `commondir" leads to no repository: it names no path`, hint: "worktree repair",
		},
		{
			// git passes over this one and takes the repository around it.
			name: "CommondirToNowhere", script: `repo r; repo r/in; echo /nowhere >r/in/.git/commondir`, dir: "r/in", accepts: true,
			want: &GitfileError{}, says: `commondir" leads to "/nowhere"`, hint: "worktree repair",
		},
		{
			name: "WorktreeElsewhere", script: `repo r; mkdir x; git -C r config core.worktree "$PWD/x"`, dir: "r", accepts: true,
			want: &ConfigError{}, says: "core.worktree puts the work tree at", hint: "--unset-all core.worktree",
		},
		{
			name: "WorktreeElsewhereByItsOwnFile", dir: "r", accepts: true,
			script: `repo r; mkdir x; git -C r config extensions.worktreeConfig true; git -C r config --worktree core.worktree "$PWD/x"`,
			want:   &ConfigError{}, says: `config.worktree": core.worktree puts`, hint: "--unset-all core.worktree",
		},
		{
			name: "WorktreeNowhere", script: `repo r; git -C r config core.worktree ../../no/where`, dir: "r",
			want: &ConfigError{}, says: "core.worktree puts the work tree at", hint: "--unset-all core.worktree",
		},
		{
			name: "WorktreeEmpty", script: `repo r; git -C r config core.worktree ''`, dir: "r",
			want: &ConfigError{}, says: "core.worktree has no value", hint: "--unset-all core.worktree",
		},
		{
			name: "LaterFormat", script: `repo r; git -C r config core.repositoryformatversion 2`, dir: "r",
			want: &ConfigError{}, says: "core.repositoryformatversion is 2, and 1 is the newest known", hint: "--list",
		},
		{
			name: "FormatThatIsNoNumber", script: `repo r; git -C r config core.repositoryformatversion new`, dir: "r",
			want: &ConfigError{}, says: `is "new", which is no number`, hint: "--list",
		},
		{
			name: "BareThatIsNoBoolean", script: `repo r; git -C r config core.bare maybe`, dir: "r",
			want: &ConfigError{}, says: `core.bare is "maybe", which is no boolean`, hint: "--list",
		},
		{
			name: "ConfigThatGitCannotRead", script: `repo r; echo '[core' >>r/.git/config`, dir: "r",
			want: &ConfigError{}, says: "bad config line", hint: "--list",
		},
		{
			name: "ConfigThatIsADirectory", script: `repo r; rm r/.git/config; mkdir r/.git/config`, dir: "r",
			want: &ConfigError{}, says: "not a regular file", hint: "--list",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(sh(t, tt.script), tt.dir)
			p, err := Find(dir, os.Getenv)
			checkRefusal(t, p, err, tt.want, tt.says, tt.hint)
			if _, err := gitPlace(dir); (err == nil) != tt.accepts {
				t.Errorf("git accepts: got %v, want %v (%v)", err == nil, tt.accepts, err)
			}
		})
	}
}

// checkRefusal checks that err is a refusal of the type of want that says and
// hints at the given texts.
func checkRefusal(t *testing.T, p *Place, err, want error, says, hint string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got %+v, want a %T", *p, want)
	}
	if reflect.TypeOf(err) != reflect.TypeOf(want) {
		t.Fatalf("got a %T (%v), want a %T", err, err, want)
	}
	if !strings.Contains(err.Error(), says) {
		t.Errorf("got error %q, want %q in it", err, says)
	}
	h, ok := err.(interface{ Hint() string })
	if !ok {
		t.Fatalf("%T has no hint", err)
	}
	if !strings.Contains(h.Hint(), hint) {
		t.Errorf("got hint %q, want %q in it", h.Hint(), hint)
	}
}

func TestFindWhereNothingIs(t *testing.T) {
	base := sh(t, `repo r`)
	for _, tt := range []struct{ dir, says string }{
		{"r/gone", "no such file"},
		{"r/src/a", "not a directory"},
	} {
		_, err := Find(filepath.Join(base, tt.dir), os.Getenv)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("Find(%q): got error %v, want %q in it", tt.dir, err, tt.says)
		}
	}
}
