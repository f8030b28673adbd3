package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"seisin/internal/sandbox/sandboxtest"
)

// A directory that cannot be entered is there: the hint must not say that it
// is not, and one that is gone has another.
func TestWhereNobodyCanStand(t *testing.T) {
	sandboxtest.Home(t)
	t.Chdir(sandboxtest.Repo(t, map[string]string{"seisin.toml": "[roles.dev]\n", "closed/a": "", "gone/a": ""}))
	for _, tt := range []struct{ make, want string }{
		{"cd closed && chmod 000 .", "hint: see its mode"},
		{"cd gone && rm -r ../gone", "hint: change to a directory that is there"},
	} {
		if os.Getuid() == 0 && strings.Contains(tt.make, "chmod") {
			continue // outside a box, root enters it
		}
		out, err := exec.Command("sh", "-c", tt.make+" && git-seisin check").CombinedOutput()
		if err == nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: got %v and %q, want a failure with %q", tt.make, err, out, tt.want)
		}
	}
	_ = os.Chmod("closed", 0o700)
}
