package native_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"seisin/internal/sandbox/sandboxtest"
)

// What the host has mounted in a territory comes with it: without set-user-ID,
// without devices, cut off from what the host mounts later, and no more writable
// than it was (F4). One that is read-only takes that from none of the others.
func TestSubmounts(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"seisin.toml": srcPolicy, "src/ro/f": "", "src/rw/f": "", "src/shared/f": ""})
	// Mounts need a namespace of their own, which goes with the process.
	how := "-m"
	if os.Getuid() != 0 {
		how = "-rm"
	}
	cmd := exec.Command("unshare", how, "sh", "-ec", `
		for d in ro rw shared; do mount --bind src/$d src/$d; done
		mount -o remount,bind,ro src/ro
		mount --make-shared src/shared
		"$0" run --quiet dev -- sh -c '
			grep /src/ /proc/self/mountinfo | tail -n 3 | cut -d" " -f5- | sed "s/ - .*//"
			for d in ro rw shared; do touch src/$d/new 2>/dev/null && echo wrote $d; done; true'`, sandboxtest.Binary(t))
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if want := 5; len(lines) != want {
		t.Fatalf("got %d lines, want three mounts and two writes:\n%s", len(lines), out)
	}
	for _, line := range lines[:3] {
		if !strings.Contains(line, filepath.Join(root, "src")) || !strings.Contains(line, "nosuid,nodev") ||
			strings.Contains(line, "shared:") || strings.Contains(line, "master:") {
			t.Errorf("got the mount %q, want nosuid,nodev and no tie to the host's", line)
		}
	}
	if writes := strings.Join(lines[3:], ", "); writes != "wrote rw, wrote shared" {
		t.Errorf("got %q, want writes to all but ro", writes)
	}
}
