package settings

import (
	"path/filepath"
	"testing"

	"seisin/internal/sandbox"
)

// A variable may go up from a symlink: where that is, the link says, and not what
// stands before it. There is closed what is executed, or isolation closes (LX-5).
func TestUpFromALink(t *testing.T) {
	for _, tt := range []struct{ variable, value, policy, closed string }{
		{"PATH", "$HOME/sdk/current/../bin:/usr/bin", "[roles.dev]\n", "$HOME/.local/share/sdk/bin/tool"},
		{"CLAUDE_CONFIG_DIR", "$HOME/sdk/current/../cfg", "[roles.dev]\n", "$HOME/.local/share/sdk/cfg/settings.json"},
		{"CLAUDE_CONFIG_DIR", "$HOME/sdk/current/../cfg", homeClosed, "$HOME/.local/share/sdk/cfg/settings.json"},
		{"XDG_CONFIG_HOME", "$HOME/sdk/current/../cfg", homeClosed, "$HOME/.local/share/sdk/cfg/gh/hosts.yml"},
	} {
		g := newGround(t)
		g.make(t, "$HOME/.local/share/sdk/v1/f", "$HOME/.local/share/sdk/bin/tool", "$HOME/.local/share/sdk/cfg/settings.json",
			"$HOME/.local/share/sdk/cfg/gh/hosts.yml", "$HOME/sdk/bin/", "$HOME/sdk/cfg/", "$HOME/sdk/current -> "+g.home+"/.local/share/sdk/v1")
		t.Setenv(tt.variable, g.expand(tt.value))
		a := g.answer(t, tt.policy)
		if v := a.Spec.Verdict(sandbox.OpWrite, g.expand(tt.closed)); v.Allowed {
			t.Errorf("%s=%s: a write of %s is allowed: %s", tt.variable, tt.value, tt.closed, v.Rule)
		}
		if v := a.Spec.Verdict(sandbox.OpRead, g.expand(tt.closed)); tt.policy != "[roles.dev]\n" && v.Allowed {
			t.Errorf("%s=%s: a read of %s is allowed: %s", tt.variable, tt.value, tt.closed, v.Rule)
		}
	}
	if got, want := plainly("/a/b//c/"), "/a/b/c"; got != filepath.Clean(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
