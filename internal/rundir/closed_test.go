package rundir

import (
	"sync"
	"testing"
)

// A box's last report may ask for a stand-in when the run has ended: an error,
// and nothing made.
func TestEnsureAfterClose(t *testing.T) {
	work := t.TempDir()
	d := start(t, t.TempDir(), work+"/f")
	end(t, d)
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("Ensure after Close panics: %v", r)
		}
		wantTree(t, work)
	}()
	if made, err := d.Ensure(work+"/f", true); err == nil {
		t.Errorf("Ensure after Close = %q, want an error", made)
	}
}

// The report comes from the box's own goroutine, while the run is closed by
// another: whichever is first, nothing is left, and nothing is shared.
func TestStandInWhileClosing(t *testing.T) {
	for range 50 {
		work := t.TempDir()
		d := start(t, t.TempDir(), work+"/f")
		var both sync.WaitGroup
		both.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("StandIn panics: %v", r)
				}
			}()
			_ = d.StandIn(work + "/f")
		})
		both.Go(func() {
			if err := d.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
		both.Wait()
		if wantTree(t, work); t.Failed() {
			return
		}
	}
}
