package rundir

import (
	"testing"
)

// Two runs with the same absent grant: whoever is the last to leave takes it
// away, whichever of them made it.
func TestTheLastOneOutRemoves(t *testing.T) {
	for _, tt := range []struct {
		name    string
		maker   func(a, b *Dir) *Dir
		leavers func(a, b *Dir) [2]*Dir
	}{
		{"TheMakerLeavesFirst", func(a, _ *Dir) *Dir { return a }, func(a, b *Dir) [2]*Dir { return [2]*Dir{a, b} }},
		{"TheMakerLeavesLast", func(a, _ *Dir) *Dir { return a }, func(a, b *Dir) [2]*Dir { return [2]*Dir{b, a} }},
		{"TheSecondMakes", func(_, b *Dir) *Dir { return b }, func(a, b *Dir) [2]*Dir { return [2]*Dir{a, b} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state, work := t.TempDir(), t.TempDir()
			dir, file := work+"/d/e", work+"/f"
			a, b := start(t, state, dir, file), start(t, state, file, dir)
			ensure(t, tt.maker(a, b), dir, true)
			ensure(t, tt.maker(a, b), file, false)
			for _, d := range []*Dir{a, b} {
				ensure(t, d, dir, true)
				ensure(t, d, file, false)
			}
			leave := tt.leavers(a, b)
			end(t, leave[0])
			wantTree(t, work, "d/", "d/e/", "f")
			end(t, leave[1])
			wantTree(t, work)
			wantRuns(t, state)
		})
	}
}

// A run keeps what it uses, with all that leads to it, and nothing more.
func TestOnlyWhatIsUsedIsKept(t *testing.T) {
	state, work := t.TempDir(), t.TempDir()
	a, b, c := start(t, state, work+"/d/e/f", work+"/own"), start(t, state, work+"/d"), start(t, state, "/elsewhere")
	ensure(t, a, work+"/d/e/f", true)
	ensure(t, a, work+"/own", false)
	wantTree(t, work, "d/", "d/e/", "d/e/f/", "own")
	end(t, a)
	wantTree(t, work, "d/") // b uses it
	end(t, b)
	wantTree(t, work) // c is there still, and has no use for it
	end(t, c)
}

// A path is used if one below it is, and not if one beside it is alike.
func TestUseIsByName(t *testing.T) {
	state, work := t.TempDir(), t.TempDir()
	a := start(t, state, work+"/src", work+"/deep")
	b := start(t, state, work+"/src2", work+"/deep/x/y")
	ensure(t, a, work+"/src", true)
	ensure(t, a, work+"/deep", true)
	end(t, a)
	wantTree(t, work, "deep/")
	end(t, b)
	wantTree(t, work)
}

// The dead use nothing, and what they made is not forgotten.
func TestTheDeadUseNothing(t *testing.T) {
	t.Run("TheMakerDies", func(t *testing.T) {
		state, work := t.TempDir(), t.TempDir()
		a, b := start(t, state, work+"/x"), start(t, state, work+"/x")
		ensure(t, a, work+"/x", false)
		die(a)
		c := start(t, state)
		wantTree(t, work, "x") // b uses it
		wantRuns(t, state, b, c)
		end(t, b)
		wantTree(t, work)
	})
	t.Run("TheUserDies", func(t *testing.T) {
		state, work := t.TempDir(), t.TempDir()
		a, b := start(t, state, work+"/x"), start(t, state, work+"/x")
		ensure(t, a, work+"/x", true)
		die(b)
		end(t, a)
		wantTree(t, work)
		wantRuns(t, state)
	})
	t.Run("AllDie", func(t *testing.T) {
		state, work := t.TempDir(), t.TempDir()
		a, b := start(t, state, work+"/x"), start(t, state, work+"/x")
		ensure(t, a, work+"/x", true)
		die(a)
		die(b)
		wantTree(t, work, "x/")
		end(t, start(t, state))
		wantTree(t, work)
		wantRuns(t, state)
	})
}

// What somebody filled is the person's from then on: no later run takes it
// away, not when it is empty again either.
func TestFilledIsForgotten(t *testing.T) {
	state, work := t.TempDir(), t.TempDir()
	a := start(t, state, work+"/d")
	ensure(t, a, work+"/d", true)
	write(t, work+"/d/x")
	end(t, a)
	remove(t, work+"/d/x")
	end(t, start(t, state, work+"/d"))
	wantTree(t, work, "d/")
}
