package rundir

import "testing"

// An heir can name nothing that it could write. What it cannot remove must
// stay in the registry for the next run, and what came late is its run's too.
func TestAnHeirForgetsNothing(t *testing.T) {
	t.Run("MadeAfterTheHeirWasThere", func(t *testing.T) {
		state, work := t.TempDir(), t.TempDir()
		f := startFamily(t, state, late+work+"/g")
		if got, want := f.orphan(t), "heir: done\n"; got != want {
			t.Errorf("the heir says %q, want %q", got, want)
		}
		end(t, start(t, state))
		wantTree(t, work)
	})
	t.Run("OneMadeBeforeAndOneAfter", func(t *testing.T) {
		state, work := t.TempDir(), t.TempDir()
		f := startFamily(t, state, work+"/f", late+work+"/g")
		if got, want := f.orphan(t), "heir: done\n"; got != want {
			t.Errorf("the heir says %q, want %q", got, want)
		}
		wantRuns(t, state)
		end(t, start(t, state))
		wantTree(t, work)
	})
	t.Run("MadeByAnother", func(t *testing.T) {
		state, work := t.TempDir(), t.TempDir()
		maker := start(t, state, work+"/f")
		ensure(t, maker, work+"/f", false)
		f := startFamily(t, state, work+"/f")
		end(t, maker)
		wantTree(t, work, "f")
		if got, want := f.orphan(t), "heir: done\n"; got != want {
			t.Errorf("the heir says %q, want %q", got, want)
		}
		end(t, start(t, state))
		wantTree(t, work)
	})
	t.Run("MadeByADeadRun", func(t *testing.T) {
		state, work := t.TempDir(), t.TempDir()
		f := startFamily(t, state)
		dead := start(t, state, work+"/f")
		ensure(t, dead, work+"/f", false)
		die(dead)
		if got, want := f.orphan(t), "heir: done\n"; got != want {
			t.Errorf("the heir says %q, want %q", got, want)
		}
		end(t, start(t, state))
		wantTree(t, work)
	})
	t.Run("HoldsWhatADeadRunMade", func(t *testing.T) {
		state, work := t.TempDir(), t.TempDir()
		f := startFamily(t, state, work+"/d/")
		dead := start(t, state, work+"/d/x")
		ensure(t, dead, work+"/d/x", false)
		die(dead)
		if got, want := f.orphan(t), "heir: done\n"; got != want {
			t.Errorf("the heir says %q, want %q", got, want)
		}
		end(t, start(t, state))
		wantTree(t, work)
	})
}
