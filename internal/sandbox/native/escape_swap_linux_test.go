package native_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"seisin/internal/launch"
	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
	"seisin/internal/settings"
)

// Between the policy's reading and the mounts, somebody who can rename a
// granted name puts something else there: a link out of the territory, another
// directory, a directory where a file was (F19, P-3). THIS TEST VERIFIES that
// the run is refused, and that nothing was written behind it. The control is
// the same run with nothing swapped. What was there is kept each time: a number
// that is free may be the new file's, and then nothing tells it from the old.
func TestSwappedGrantIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name, swap string
		refused    bool
	}{
		{"Nothing", "true", false},
		{"Link", "mv src was && ln -s other src", true},
		{"AbsoluteLink", "mv src was && ln -s \"$PWD/other\" src", true},
		{"Exchanged", "mv src was && mv other src && mv was other", true},
		{"LinkAbove", "mv deep was && ln -s other deep", true},
		{"DirectoryForAFile", "mv f was.f && mkdir f", true},
		{"AnotherFile", "mv f was.f && cp other/x f", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sandboxtest.Home(t)
			root := sandboxtest.Repo(t, map[string]string{"src/x": "x\n", "other/x": "x\n", "deep/src/x": "x\n", "other/src/x": "x\n", "f": "f\n"})
			spec, err := specFor(t, root, "[roles.dev]\nwrites = [\"src/**\", \"deep/src/**\", \"f\"]\n")
			if err != nil {
				t.Fatal(err)
			}
			shell(t, root, tt.swap)
			m, err := settings.Here()
			if err != nil {
				t.Fatal(err)
			}
			exit, err := launch.Run{
				Provider: native.New(), Spec: spec, State: m.State(), Note: func(string, ...any) {},
				Command: []string{"sh", "-c", "for d in src deep/src other other/src; do echo y > $d/x; done 2>/dev/null; true"},
			}.Do(context.Background())
			if (err != nil) != tt.refused {
				t.Errorf("got %v, %v; want it refused: %v", exit, err, tt.refused)
			}
			for _, name := range []string{"src/x", "other/x", "was/x", "other/src/x"} {
				text, err := os.ReadFile(filepath.Join(root, name))
				if err == nil && string(text) != "x\n" && (tt.refused || name != "src/x") {
					t.Errorf("%s is %q", name, text)
				}
			}
		})
	}
}
