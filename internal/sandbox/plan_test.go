package sandbox

import (
	"strings"
	"testing"
)

// TestPlan says which mounts a spec needs, and which it does not: each one
// that hangs on a name can be thrown off by the host (LX-3).
func TestPlan(t *testing.T) {
	for _, tt := range []struct {
		name string
		spec []string
		want string // the mounts that this spec adds, outermost first
	}{
		{"Nothing", nil, ``},
		{"Grant", []string{"write /r/src"}, `
			/r/src rw`},
		{"FileGrant", []string{"write /r/NOTES.md file"}, `
			/r/NOTES.md rw file`},
		{"GrantInsideAGrantVanishes", []string{"write /r/src", "write /r/src/api", "write /r/src/f file"}, `
			/r/src rw`},
		{"NeighbourIsNotInside", []string{"write /r/src", "write /r/src2", "write /r/src-3"}, `
			/r/src rw
			/r/src-3 rw
			/r/src2 rw`},

		{"InsideBeforeTheNextNeighbour", []string{"write /r/a-b", "write /r/a", "closed /r/a/b", "write /r/b"}, `
			/r/a rw
			/r/a/b ro stand-in
			/r/a-b rw
			/r/b rw`},

		// LX-6: what a read-only parent protects has no mount to fall off.
		{"PolicyBelowAReadOnlyParent", []string{"write /r/src", "closed /r/seisin.toml file", "closed /r/.git"}, `
			/r/src rw`},
		{"ClosedBelowAReadOnlyParentInAGrant", []string{"write /r", "closed /r/a", "closed /r/a/b"}, `
			/r rw
			/r/a ro stand-in`},
		{"NeverOfTheWholeGrant", []string{"write /r/src", "closed /r/src"}, ``},
		// A-47, SD-14
		{"WholeRepository", []string{"write /r", "closed /r/seisin.toml file", "closed /r/.git", "hidden /r/.git/seisin"}, `
			/r rw
			/r/.git ro stand-in
			/r/.git/seisin empty
			/r/seisin.toml ro file end`},
		{"LinkedWorktree", []string{"write /w", "closed /w/.git file", "closed /m/.git", "hidden /m/.git/seisin"}, `
			/m/.git/seisin empty
			/w rw
			/w/.git ro file end`},

		// LX-1, LX-2: or mv src/a src/q would take the closed place with it.
		{"NeverPinsWhatLeadsToIt", []string{"write /r/src", "closed /r/src/a/b/gen"}, `
			/r/src rw
			/r/src/a rw pin stand-in
			/r/src/a/b rw pin stand-in
			/r/src/a/b/gen ro stand-in`},
		{"PinsAreShared", []string{"write /r", "closed /r/a/x", "closed /r/a/b/y file", "hidden /r/a/b/z"}, `
			/r rw
			/r/a rw pin stand-in
			/r/a/b rw pin stand-in
			/r/a/b/y ro file end
			/r/a/b/z empty stand-in
			/r/a/x ro stand-in`},
		{"PinInPlaceOfARedundantGrant", []string{"write /r", "write /r/src", "closed /r/src/gen"}, `
			/r rw
			/r/src rw pin stand-in
			/r/src/gen ro stand-in`},
		{"NoPinBelowAReadOnlyPlace", []string{"write /r", "closed /r/.git", "hidden /r/.git/a/b/c"}, `
			/r rw
			/r/.git ro stand-in
			/r/.git/a/b/c empty`},

		{"Hidden", []string{"hidden /r/.secrets"}, `
			/r/.secrets empty`},
		{"HiddenFile", []string{"hidden /r/.git file"}, `
			/r/.git empty file`},
		{"HiddenInAGrant", []string{"write /r", "hidden /r/.secrets"}, `
			/r rw
			/r/.secrets empty stand-in`},
		{"HiddenInHidden", []string{"hidden /r/.git", "hidden /r/.git/seisin"}, `
			/r/.git empty`},
		{"HiddenInClosed", []string{"write /r", "closed /r/a", "hidden /r/a/k"}, `
			/r rw
			/r/a ro stand-in
			/r/a/k empty`},
		{"HiddenAndClosed", []string{"write /r", "closed /r/.git", "hidden /r/.git"}, `
			/r rw
			/r/.git empty stand-in`},

		// the denial wins, however wide or deep the grant is.
		{"GrantInClosed", []string{"write /r", "closed /r/a", "write /r/a/b", "write /r/a/b/c/f file"}, `
			/r rw
			/r/a ro stand-in`},
		{"GrantInHidden", []string{"write /r/.k/a", "hidden /r/.k"}, `
			/r/.k empty`},
		{"GrantInClosedBelowAReadOnlyParent", []string{"closed /r/a", "write /r/a/b"}, ``},
		{"GrantEqualToClosed", []string{"write /r", "write /r/a", "closed /r/a"}, `
			/r rw
			/r/a ro stand-in`},
		{"GrantEqualToHidden", []string{"write /r/a", "hidden /r/a"}, `
			/r/a empty`},
		{"PrivateInClosed", []string{"closed /r/a", "private /r/a/tmp"}, ``},
		{"PrivateEqualToHidden", []string{"private /t", "hidden /t"}, `
			/t empty`},
		// What the host makes in a skeleton later is not there, so nothing is masked.
		{"Skeleton", []string{"skeletons /h", "entries /h/a", "entries /h/f file", "entries /h/.ssh", "hidden /h/.ssh", "hidden /h/.aws"}, `
/h skeleton
/h/a ro
/h/f ro file`},
		{"GrantsInASkeleton", []string{"skeletons /h", "entries /h/a", "write /h/.cache", "write /h/a/r/src", "hidden /h/.c", "read /h/.c/gh"}, `
/h skeleton
/h/.c/gh ro
/h/.cache rw
/h/a ro
/h/a/r/src rw`},
		{"ClosedShowsASkeleton", []string{"skeletons /h", "closed /h", "entries /h/a"}, `
/h skeleton
/h/a ro`},
		{"SkeletonInATerritory", []string{"write /h", "skeletons /h/d", "entries /h/d/a", "hidden /h/d/.c"}, `
/h rw
/h/d rw pin stand-in
/h/d/.c empty stand-in`},
		{"SkeletonInAPlaceOfTheRunsOwn", []string{"private /tmp", "shown /tmp/h", "skeletons /tmp/h", "hidden /tmp/h/.c"}, `
/tmp rw own
/tmp/h skeleton`},
		{"SkeletonOfThePrivatePlaceItself", []string{"private /tmp", "skeletons /tmp", "hidden /tmp/.c"}, `
/tmp rw own
/tmp/.c empty stand-in`},
		{"ShownInHidden", []string{"hidden /h", "shown /h/r"}, `
			/h empty`},

		// one file at a time, and only what is hidden is opened again.
		{"ReadInHidden", []string{"hidden /r/.k", "read /r/.k/dev.key file", "read /r/.k/more"}, `
			/r/.k empty
			/r/.k/dev.key ro file
			/r/.k/more ro`},
		{"ReadOfWhatIsNotHidden", []string{"write /r", "closed /r/a", "read /r/a/x", "read /r/b", "read /etc"}, `
			/r rw
			/r/a ro stand-in`},
		{"ReadInReadInHidden", []string{"hidden /r/.k", "read /r/.k/a", "read /r/.k/a/b"}, `
			/r/.k empty
			/r/.k/a ro`},
		{"HiddenInReadInHidden", []string{"hidden /h", "read /h/own", "hidden /h/own/k"}, `
			/h empty
			/h/own ro
			/h/own/k empty`},
		// It opens what lies deeper than the hidden, never the hidden itself.
		{"ReadEqualToHidden", []string{"write /r", "hidden /r/k", "read /r/k"}, `
			/r rw
			/r/k empty stand-in`},
		{"ReadEqualToClosed", []string{"write /r", "closed /r/k", "read /r/k"}, `
			/r rw
			/r/k ro stand-in`},
		// What a denial makes void does not take the Read of its path with it.
		{"ReadEqualToAVoidGrant", []string{"hidden /h", "read /h/own", "write /h/own"}, `
			/h empty
			/h/own ro`},
		{"ReadEqualToAVoidClosed", []string{"hidden /h", "read /h/own", "closed /h/own"}, `
			/h empty
			/h/own ro`},
		{"ReadEqualToAVoidPlace", []string{"hidden /h", "read /h/a", "shown /h/a", "read /h/b", "private /h/b"}, `
			/h empty
			/h/a ro
			/h/b ro`},
		{"GrantInReadInHidden", []string{"hidden /h", "read /h/own", "write /h/own/w"}, `
			/h empty
			/h/own ro`},

		// C24: a repository in what every role may write.
		{"RepositoryInScratch", []string{
			"write /h/.cache", "shown /h/.cache/p", "write /h/.cache/p/src",
			"closed /h/.cache/p/seisin.toml file", "closed /h/.cache/p/.git", "hidden /h/.cache/p/.git/seisin",
		}, `
			/h/.cache rw
			/h/.cache/p ro end
			/h/.cache/p/.git/seisin empty
			/h/.cache/p/src rw`},
		{"RepositoryDeepInScratch", []string{"write /h/.cache", "shown /h/.cache/a/b/p", "write /h/.cache/a/b/p/src"}, `
			/h/.cache rw
			/h/.cache/a rw pin stand-in
			/h/.cache/a/b rw pin stand-in
			/h/.cache/a/b/p ro end
			/h/.cache/a/b/p/src rw`},
		{"WholeRepositoryInScratch", []string{
			"write /h/.cache", "shown /h/.cache/p", "write /h/.cache/p", "closed /h/.cache/p/.git",
		}, `
			/h/.cache rw
			/h/.cache/p rw pin stand-in
			/h/.cache/p/.git ro stand-in`},
		{"ShownWhereAllIsShown", []string{"shown /r", "write /r/src"}, `
			/r/src rw`},

		{"PrivateTmp", []string{"private /tmp"}, `
			/tmp rw own`},
		{"RepositoryInTmp", []string{"private /tmp", "shown /tmp/w/r", "write /tmp/w/r/src", "closed /tmp/w/r/seisin.toml file"}, `
			/tmp rw own
			/tmp/w rw own pin stand-in
			/tmp/w/r ro
			/tmp/w/r/src rw`},
		{"WholeRepositoryInTmp", []string{"private /tmp", "shown /tmp/w/r", "write /tmp/w/r", "closed /tmp/w/r/a/seisin.toml file"}, `
			/tmp rw own
			/tmp/w rw own pin stand-in
			/tmp/w/r rw
			/tmp/w/r/a rw pin stand-in
			/tmp/w/r/a/seisin.toml ro file end`},
		{"GrantInTmp", []string{"private /tmp", "write /tmp/a", "write /tmp/a/b"}, `
			/tmp rw own
			/tmp/a rw`},
		{"GrantOfTmpItself", []string{"private /tmp", "write /tmp"}, `
			/tmp rw`},
		{"TmpdirInScratch", []string{"write /h/.cache", "private /h/.cache/x/tmp"}, `
			/h/.cache rw
			/h/.cache/x rw pin stand-in
			/h/.cache/x/tmp rw own`},
		{"TmpdirInTmp", []string{"private /tmp", "private /tmp/me"}, `
			/tmp rw own
			/tmp/me rw own`},
		{"TmpdirAboveTheRepository", []string{"private /w", "shown /w/r", "write /w/r/src", "hidden /w/r/.k"}, `
			/w rw own
			/w/r ro
			/w/r/.k empty
			/w/r/src rw`},

		{"WhatEveryBoxHas", []string{"write /dev", "closed /proc", "hidden /run", "private /dev/shm", "write /dev/null file"}, ``},
		{"InWhatEveryBoxHas", []string{"write /run/user/7/x", "hidden /run/secrets", "write /dev/shm/a/b"}, `
			/run/secrets empty
			/run/user/7/x rw`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := show(specOf(t, tt.spec...).Plan())
			want := strings.TrimPrefix(strings.ReplaceAll(tt.want, "\t", ""), "\n")
			if want != "" {
				want += "\n"
			}
			if got != want {
				t.Errorf("the plan of %q:\ngot\n%s\nwant\n%s", tt.spec, got, want)
			}
		})
	}
}
