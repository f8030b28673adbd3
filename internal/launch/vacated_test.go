package launch

import (
	"context"
	"os"
	"testing"
	"time"

	"seisin/internal/sandbox"
)

// What a run left on disk is cleared away as soon as the box is vacated, while
// the provider is still at closing it, and once.
func TestClearedAwayWhileTheBoxCloses(t *testing.T) {
	g := newGround(t)
	g.write(t, "src/")
	f := &fake{}
	f.opened = func(at sandbox.Site) {
		f.closing = func(context.Context) {
			wantTree(t, g.work, "src/", "src/a/", "src/a/gen/")
			at.Vacated()
			for start := time.Now(); ; time.Sleep(time.Millisecond) {
				if _, err := os.Lstat(g.work + "/src/a"); err != nil {
					break
				}
				if time.Since(start) > 30*time.Second {
					t.Fatal("what was made for the run is still there")
				}
			}
		}
	}
	if _, err := g.run(t, f, "write src", "closed src/a/gen").Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantTree(t, g.work, "src/")
	g.wantNoRun(t)
}
