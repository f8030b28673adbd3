package settings

import (
	"os"
	"testing"
)

// A part of the git directory that leads into what the role may write would be
// closed under its own name only, and git runs it (C18).
func TestLinkOutOfTheGitDirectory(t *testing.T) {
	for _, tt := range []struct{ name, link, policy, want string }{
		{"Hooks", "hooks -> ../src/hooks", "writes = ['src/**']", "src/hooks"},
		{"Config", "config.worktree -> ../src/cfg", "writes = ['src/cfg']", "src/cfg"},
		{"AboveTheGrant", "hooks -> ../src", "writes = ['src/hooks/**']", "src"},
		{"ElsewhereInTheRepository", "hooks -> ../other", "writes = ['src/**']", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, "src/hooks/", "src/cfg", "other/")
			if err := os.RemoveAll(g.root + "/.git/hooks"); err != nil {
				t.Fatal(err)
			}
			g.make(t, "$ROOT/.git/"+tt.link)
			policy := asPolicy(tt.policy)
			if tt.want == "" {
				g.answer(t, policy)
				return
			}
			_, err := g.resolve(t, policy)
			refused, ok := err.(*RefusedError)
			if !ok || refused.Hint() == "" || g.fold(refused.Msg) != "$ROOT/.git/"+tt.link[:len(tt.link)-len(" -> ../"+tt.want)]+" is a symlink to $ROOT/"+tt.want+", which the role may write" {
				t.Errorf("got «%v», want a refusal that names the link and %s", err, tt.want)
			}
		})
	}
}
