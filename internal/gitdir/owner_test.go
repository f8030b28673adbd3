package gitdir

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func TestAllowedOwner(t *testing.T) {
	for _, tt := range []struct {
		name      string
		uid, euid int
		sudo      string
		want      int
	}{
		{"OwnUID", 1000, 1000, "", 1000},
		{"AnothersUID", 1001, 1000, "", 1000},
		{"RootsIsNotMine", 0, 1000, "", 1000},
		{"SudoUIDIsForRootOnly", 1001, 1000, "1001", 1000},
		{"RootsOwn", 0, 0, "", 0},
		{"RootsOwnUnderSudo", 0, 0, "1000", 0},
		{"RootInAnothers", 1000, 0, "", 0},
		{"RootInThePersonsUnderSudo", 1000, 0, "1000", 1000},
		{"RootInAThirdOnesUnderSudo", 1001, 0, "1000", 1000},
		{"SudoUIDIsJunk", 1000, 0, "1000x", 0},
	} {
		if got := allowedOwner(tt.uid, tt.euid, tt.sudo); got != tt.want {
			t.Errorf("%s: allowedOwner(%d, %d, %q) = %d, want %d", tt.name, tt.uid, tt.euid, tt.sudo, got, tt.want)
		}
	}
}

// The caller is made up, so that this holds for an ordinary user too. There is
// no git to grant an exception: it would run as the owner.
func TestCheckOwner(t *testing.T) {
	base := sh(t, `repo r`)
	p, err := Find(filepath.Join(base, "r"), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", base)
	if err := checkOwner(p, os.Geteuid(), os.Getenv); err != nil {
		t.Fatal(err) // the control: the owner may
	}
	err = checkOwner(p, os.Geteuid()+1, os.Getenv)
	checkRefusal(t, p, err, &OwnerError{}, "belongs to uid "+strconv.Itoa(os.Geteuid())+", not to uid", "safe.directory")
}

// TestFindInAnothers gives parts of a repository to uid 1001 and compares with
// git. Only root can; TestMain's run as root does.
func TestFindInAnothers(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	for _, tt := range []struct {
		name    string
		script  string
		dir     string
		env     []string // name, value
		says    string   // "" where Find finds
		hint    string
		accepts bool // git answers where Find refuses
	}{
		{name: "Top", script: `repo r; chown 1001 r`, dir: "r/src", says: `r" belongs to uid 1001, not to uid 0`, hint: `/r"`},
		{name: "DotGit", script: `repo r; chown 1001 r/.git`, dir: "r", says: `r/.git" belongs`, hint: `/r"`},
		{name: "Gitfile", script: `repo r; git -C r worktree add -q ../w; chown 1001 w/.git`, dir: "w", says: `w/.git" belongs`, hint: `/w"`},
		{
			name: "LinkedGitdir", script: `repo r; git -C r worktree add -q ../w; chown 1001 r/.git/worktrees/w`,
			dir: "w", says: `worktrees/w" belongs`, hint: `/w"`,
		},
		{name: "Bare", script: `git init -q --bare b; chown 1001 b`, dir: "b", says: `b" belongs`, hint: `/b"`},
		{name: "Link", script: `repo r; mv r/.git s; ln -s ../s r/.git; chown -h 1001 r/.git`, dir: "r", says: `r/.git" belongs`, hint: `/r"`},
		{
			// git looks at the link only.
			name: "BehindALink", script: `repo r; mv r/.git s; ln -s ../s r/.git; chown 1001 s`,
			dir: "r", says: `s" belongs`, hint: `/s"`, accepts: true,
		},
		{
			name: "TheLinkIsExceptedAndNotBehindIt", dir: "r", env: []string{"GIT_CONFIG_GLOBAL", "own"},
			script: `repo r; mv r/.git s; ln -s ../s r/.git; chown 1001 r s; git config -f own safe.directory "$PWD/r"`,
			says:   `s" belongs`, hint: `/s"`, accepts: true,
		},
		{
			name: "OtherIsExcepted", dir: "r", env: []string{"GIT_CONFIG_GLOBAL", "own"},
			script: `repo r; chown 1001 r; git config -f own safe.directory "$PWD/other"`,
			says:   `r" belongs`, hint: `/r"`,
		},
		{
			name: "Excepted", dir: "r/src", env: []string{"GIT_CONFIG_GLOBAL", "own"},
			script: `repo r; chown -R 1001 r; git config -f own safe.directory "$PWD/r"`,
		},
		{
			name: "BothExceptedBehindALink", dir: "r", env: []string{"GIT_CONFIG_GLOBAL", "own"},
			script: `repo r; mv r/.git s; ln -s ../s r/.git; chown 1001 r s; git config -f own safe.directory '*'`,
		},
		{name: "SudoOfTheOwner", script: `repo r; chown -R 1001 r`, dir: "r", env: []string{"SUDO_UID", "1001"}},
		{
			name: "SudoOfAThird", script: `repo r; chown -R 1001 r`, dir: "r", env: []string{"SUDO_UID", "1002"},
			says: `belongs to uid 1001, not to uid 1002`, hint: `/r"`,
		},
		{name: "CommonDirectoryAsInGit", script: `repo r; git -C r worktree add -q ../w; chown 1001 r/.git`, dir: "w"},
		{name: "FilesAreNoMatter", script: `repo r; chown 1001 r/src/a`, dir: "r"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := sh(t, tt.script)
			if len(tt.env) == 2 {
				t.Setenv(tt.env[0], tt.env[1])
			}
			if tt.env != nil && tt.env[0] == "GIT_CONFIG_GLOBAL" {
				t.Setenv(tt.env[0], filepath.Join(base, tt.env[1]))
			}
			p, err := Find(filepath.Join(base, tt.dir), os.Getenv)
			if tt.says != "" {
				checkRefusal(t, p, err, &OwnerError{}, tt.says, tt.hint)
			} else if err != nil {
				t.Errorf("Find: %v", err)
			}
			_, err = gitPlace(filepath.Join(base, tt.dir))
			if accepts := tt.says == "" || tt.accepts; (err == nil) != accepts {
				t.Errorf("git accepts: got %v, want %v (%v)", err == nil, accepts, err)
			}
		})
	}
}
