package native_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

// granted is all scratch in which something is known to be executed.
var granted = []string{
	".agents", ".aider", ".cache", ".cargo", ".claude", ".codex", ".config/agents", ".config/amp", ".config/crush", ".config/goose",
	".config/opencode", ".copilot", ".cursor", ".gemini", ".gradle", ".local/share", ".local/state", ".m2", ".pi", ".qwen", ".rustup",
}

// Each place that the settings know the host to execute from scratch can be made
// where it is not, as check says, and cannot be written or taken away where it is
// (SD-11, SD-12, ATT-5, ATT-16).
func TestExecutedPlaces(t *testing.T) {
	for _, level := range levels {
		t.Run(level.name, func(t *testing.T) {
			home := plantHome(t)
			granted := granted
			if level.name != "Open" { // where ~/.config is no more
				granted = slices.DeleteFunc(slices.Clone(granted), func(dir string) bool { return strings.HasPrefix(dir, ".config/") })
			}
			policy := level.runtime + "writes = [\"~/" + strings.Join(granted, "\", \"~/") + "\"]\n" + scratchOnly
			root := sandboxtest.Repo(t, map[string]string{"f": "f\n"})
			for _, dir := range granted {
				if err := os.MkdirAll(filepath.Join(home, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			before, err := answerOf(t, root, policy, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(before.Gaps) < 150 {
				t.Fatalf("got %d places that are not there, want all that are known", len(before.Gaps))
			}
			var places []string
			for _, gap := range before.Gaps {
				p := strings.Replace(gap.Path, "*", "x", 1)
				if v := before.Spec.Verdict(sandbox.OpWrite, p); !v.Allowed {
					t.Errorf("%s is said to be open, and %s", p, v.Rule)
				}
				if gap.Left != "" {
					continue
				}
				plantAt(t, p)
				places = append(places, p)
			}
			after, err := answerOf(t, root, policy, 0)
			if err != nil {
				t.Fatal(err)
			}
			b := openWithActor(t, native.New(), after.Spec)
			t.Cleanup(func() { _ = b.close() })
			for _, p := range places {
				inside, beside := p, p+".beside"
				if !isFile(p) {
					inside = filepath.Join(p, "f")
				}
				b.ok(t, act{Op: "save", Path: beside, Text: "x"})
				b.refused(t, act{Op: "write", Path: inside, Text: "x"})
				b.refused(t, act{Op: "rename", Path: beside, To: inside})
				b.refused(t, act{Op: "rename", Path: p, To: p + ".moved"})
				b.ok(t, act{Op: "unlink", Path: beside})
			}
			if err := b.close(); err != nil {
				t.Errorf("the run: %v", err)
			}
		})
	}
}

// isFile guesses by its name whether p is a file where it is.
func isFile(p string) bool { return strings.Contains(filepath.Base(p)[1:], ".") }

// plantAt makes p: a file, or a directory with one in it.
func plantAt(t *testing.T, p string) {
	t.Helper()
	if !isFile(p) {
		p = filepath.Join(p, "f")
	}
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte("the person's\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
