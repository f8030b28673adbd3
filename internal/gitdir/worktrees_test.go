package gitdir

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// C02: all checkouts of a repository share its secrets, so each must be known.
func TestOthers(t *testing.T) {
	for _, tt := range []struct {
		name, script, dir, main string
		linked                  []string
	}{
		{"Alone", `repo r`, "r", "", nil},
		{"FromMain", `repo r; git -C r worktree add -q ../w; git -C r worktree add -q ../v`, "r", "", []string{"v", "w"}},
		{"FromLinked", `repo r; git -C r worktree add -q ../w; git -C r worktree add -q ../v`, "w", "r", []string{"v"}},
		{"Relative", `repo r; git -C r worktree add -q ../w; echo ../../../../w/.git >r/.git/worktrees/w/gitdir`, "r", "", []string{"w"}},
		{"Gone", `repo r; git -C r worktree add -q ../w; rm -r w`, "r", "", nil},
		{"MovedThroughALink", `repo r; git -C r worktree add -q ../w; mv w x; ln -s x w`, "r", "", []string{"x"}},
		{"Bare", `repo r; mkdir c; git clone -q --bare r c/.bare; git -C c/.bare worktree add -q ../feat -b feat; git -C c/.bare worktree add -q ../fix -b fix`, "c/feat", "", []string{"c/fix"}},
		{"Submodule", `repo sub; repo r; git -C r -c protocol.file.allow=always submodule -q add ../sub lib`, "r/lib", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := sh(t, tt.script)
			p, err := Find(filepath.Join(base, tt.dir), os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			main, linked, err := p.Others()
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, w := range tt.linked {
				want = append(want, filepath.Join(base, w))
			}
			if tt.main != "" {
				tt.main = filepath.Join(base, tt.main)
			}
			if main != tt.main || !slices.Equal(linked, want) {
				t.Errorf("got %q, %q; want %q, %q", main, linked, tt.main, want)
			}
		})
	}
}
