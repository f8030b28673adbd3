package gitdir

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindWithGitVariables(t *testing.T) {
	base := sh(t, `repo r; repo s; git -C r worktree add -q ../w; mkdir none; ln -s r link`)
	for _, tt := range []struct {
		name   string
		dir    string
		gitDir string
		top    string
		common string
		want   string // the variable refused, "" for none
	}{
		{name: "None", dir: "w/src"},
		{name: "OwnGitdir", dir: "w", gitDir: "{}/r/.git/worktrees/w"}, // as git sets it for an alias or a hook
		{name: "OwnGitfile", dir: "w", gitDir: ".git"},
		{name: "OwnDotGit", dir: "r", gitDir: ".git"},
		{name: "OwnGitdirThroughALink", dir: "r", gitDir: "{}/link/.git"},
		{name: "OwnGitdirAndTop", dir: "w/src", gitDir: "../.git", top: ".."},
		{name: "OwnTop", dir: "r", top: "."},
		{name: "OwnTopFromBelow", dir: "r/src", top: "{}/r"},
		{name: "AnothersGitdir", dir: "r", gitDir: "{}/s/.git", want: "GIT_DIR"},
		{name: "CommonForLinked", dir: "w", gitDir: "{}/r/.git", want: "GIT_DIR"},
		{name: "GitdirIsMissing", dir: "r", gitDir: "{}/gone", want: "GIT_DIR"},
		// git would take src for the top of the work tree.
		{name: "GitdirAloneFromBelow", dir: "r/src", gitDir: "{}/r/.git", want: "GIT_DIR"},
		{name: "AnothersTop", dir: "r", top: "{}/s", want: "GIT_WORK_TREE"},
		{name: "TopBelow", dir: "r/src", top: ".", want: "GIT_WORK_TREE"},
		{name: "OwnGitdirAnothersTop", dir: "r", gitDir: ".git", top: "{}/s", want: "GIT_WORK_TREE"},
		{name: "Common", dir: "w", common: "{}/r/.git", want: "GIT_COMMON_DIR"},
		{name: "GitdirFromNowhere", dir: "none", gitDir: "{}/r/.git", want: "GIT_DIR"},
		{name: "TopFromNowhere", dir: "none", top: "{}/r", want: "GIT_WORK_TREE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := func(s string) string { return strings.ReplaceAll(s, "{}", base) }
			vars := map[string]string{"GIT_DIR": in(tt.gitDir), "GIT_WORK_TREE": in(tt.top), "GIT_COMMON_DIR": in(tt.common)}
			env := func(name string) string {
				if v, ok := vars[name]; ok {
					return v
				}
				return os.Getenv(name)
			}
			p, err := Find(filepath.Join(base, tt.dir), env)
			if tt.want == "" {
				if err != nil {
					t.Errorf("Find: %v", err)
				}
				return
			}
			hint := "unset " + tt.want
			if tt.dir == "none" { // there, unsetting it alone is no help
				hint += ", and change to the work tree"
			}
			checkRefusal(t, p, err, &EnvError{}, tt.want+" is set to", hint)
		})
	}
}

// Whatever git itself sets for an alias, Find accepts, and finds what it finds
// without. The alias prints its environment and its directory.
func TestFindInAnAlias(t *testing.T) {
	base := sh(t, `repo sub; repo r; git -C r worktree add -q ../w; repo --separate-git-dir=store sep
		git -C r -c protocol.file.allow=always submodule -q add ../sub lib`)
	for _, dir := range []string{"r", "r/src", "w", "w/src", "sep/src", "r/lib", "r/lib/src"} {
		t.Run(dir, func(t *testing.T) {
			cmd := exec.Command("git", "-c", "alias.show-env=!pwd; env", "show-env")
			cmd.Dir = filepath.Join(base, dir)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			cwd, rest, _ := strings.Cut(string(out), "\n")
			vars := map[string]string{}
			for line := range strings.Lines(rest) {
				name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
				vars[name] = value
			}
			got, err := Find(cwd, func(name string) string { return vars[name] })
			if err != nil {
				t.Fatalf("%v (GIT_DIR=%q GIT_WORK_TREE=%q)", err, vars["GIT_DIR"], vars["GIT_WORK_TREE"])
			}
			want, err := Find(cmd.Dir, os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			if *got != *want {
				t.Errorf("got  %+v\nwant %+v", *got, *want)
			}
		})
	}
}
