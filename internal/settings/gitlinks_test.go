package settings

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A part of the git directory that leads into what the role may write would be
// closed under its own name only, and git runs it or acts on it (C18).
func TestLinkOutOfTheGitDirectory(t *testing.T) {
	for _, tt := range []struct{ name, link, policy, want string }{
		{"Hooks", "hooks -> ../src/hooks", "writes = ['src/**']", "src/hooks"},
		{"Config", "config.worktree -> ../src/cfg", "writes = ['src/cfg']", "src/cfg"},
		{"AboveTheGrant", "hooks -> ../src", "writes = ['src/hooks/**']", "src"},
		{"ElsewhereInTheRepository", "hooks -> ../other", "writes = ['src/**']", ""},

		{"OneHook", "hooks/pre-commit -> ../../src/hooks/pc", "writes = ['src/**']", "src/hooks/pc"},
		{"BelowTheHooks", "hooks/lib/x -> ../../../src/cfg", "writes = ['src/**']", "src/cfg"},
		{"Exclude", "info/exclude -> ../../src/cfg", "writes = ['src/cfg']", "src/cfg"},
		{"InScratch", "hooks/pre-commit -> $HOME/.cache/pc", "", "$HOME/.cache/pc"},
		{"ToNothing", "hooks/pre-commit -> ../../src/none/pc", "writes = ['src/**']", "src/none/pc"},
		{"ToAnAbsentGrant", "info/attributes -> ../../new", "writes = ['new']", "new"},
		{"OfAWorktree", "worktrees/w/config.worktree -> ../../../src/cfg", "writes = ['src/**']", "src/cfg"},
		{"OfAModule", "modules/m/hooks/post-checkout -> ../../../../src/cfg", "writes = ['src/**']", "src/cfg"},
		{"OfAModuleInADirectory", "modules/a/b/config -> ../../../../src/cfg", "writes = ['src/**']", "src/cfg"},
		{"HooksNamedLikeStores", "hooks/logs/x -> ../../../src/cfg", "writes = ['src/**']", "src/cfg"},
		{"HooksNamedLikeObjects", "hooks/objects/x -> ../../../src/cfg", "writes = ['src/**']", "src/cfg"},
		{"Circle", "hooks/x -> x", "writes = ['src/**']", ""},
		// What git stores is not run, and there is much of it.
		{"Objects", "objects/pack/x -> ../../../src/cfg", "writes = ['src/**']", ""},
		{"ObjectsOfAnExtension", "lfs/objects/x -> ../../../src/cfg", "writes = ['src/**']", ""},
		{"References", "refs/heads/x -> ../../../src/cfg", "writes = ['src/**']", ""},
		{"ReferencesOfAModule", "modules/m/refs/x -> ../../../../src/cfg", "writes = ['src/**']", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			name, to, _ := strings.Cut(tt.link, " -> ")
			g.make(t, "src/hooks/", "src/cfg", "other/", "$ROOT/.git/modules/m/HEAD")
			if err := os.RemoveAll(g.root + "/.git/" + name); err != nil {
				t.Fatal(err)
			}
			g.make(t, "$ROOT/.git/"+tt.link)
			policy := asPolicy(tt.policy)
			if tt.want == "" {
				g.answer(t, policy)
				return
			}
			want := tt.want
			if !strings.HasPrefix(to, "$") {
				want = "$ROOT/" + want
			}
			refusal{policy: policy, msg: "$ROOT/.git/" + name + " is a symlink to " + want + ", which the role may write",
				hint: "put in its place what it leads to, or grant the role less"}.check(t, g)
		})
	}
}

// What a link of git's leads to may change in between, and so may the way to
// the git directory, where a role can put links.
func TestWayToGitThroughALink(t *testing.T) {
	const because = `, and a role may have put %s there: roles.dev.writes "src/**" (seisin.toml:2)`
	for _, tt := range []struct{ name, kind, msg, hint string }{
		{"Hook", "hook", `$ROOT/.git/hooks/x is a symlink that leads through another, "$ROOT/src/l"` + strings.Replace(because, "%s", "that", 1),
			"put in its place what it leads to"},
		{"Link", "link", `the way to $ROOT/.git goes through the symlink "$ROOT/src/l"` + strings.Replace(because, "%s", "it", 1),
			"let it lead to its git directory without this link"},
		{"Gitfile", "file", `the way to $ROOT/src/l/git goes through the symlink "$ROOT/src/l"` + strings.Replace(because, "%s", "it", 1),
			"let it lead to its git directory without this link"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, "src/l -> $OUT")
			var err error
			switch tt.kind {
			case "hook":
				g.make(t, "$OUT/x", "$ROOT/.git/hooks/x -> ../../src/l/x")
			case "link":
				err = os.Rename(g.root+"/.git", g.out+"/git")
				g.make(t, "$ROOT/.git -> src/l/git")
			case "file":
				err = os.Rename(g.root+"/.git", g.out+"/git")
				if err == nil {
					err = os.WriteFile(g.root+"/.git", []byte("gitdir: "+g.root+"/src/l/git\n"), 0o644)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			refusal{policy: asPolicy("writes = ['src/**']"), msg: tt.msg, hint: tt.hint}.check(t, g)
		})
	}
}

// Git at its usual work has no such links.
func TestGitDirectoryOfAWorktreeIsSound(t *testing.T) {
	g := newGround(t)
	linked := g.out + "/w"
	if out, err := exec.Command("git", "-C", g.root, "worktree", "add", "-q", linked).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	g.root = linked
	g.make(t, "seisin.toml")
	g.answer(t, asPolicy("writes = ['**']"))
}
