package settings

import (
	"strings"
	"testing"

	"seisin/internal/sandbox"
)

// a key directory is closed whole, and is where it seems to be.
func TestKeyDirectories(t *testing.T) {
	for _, tt := range []struct {
		name string
		make []string
		dir  string
		want []string
		note string
	}{
		{"One", []string{".secrets/k"}, `".secrets"`, []string{"$ROOT/.secrets dir"}, ""},
		{"Many", []string{"a/", "b/c/"}, `["b/c", "a"]`, []string{"$ROOT/a dir", "$ROOT/b/c dir"}, ""},
		{"Absent", nil, `".secrets"`, []string{"$ROOT/.secrets dir absent"}, ""},
		{"AbsentAndNested", nil, `"x/y/keys"`, []string{"$ROOT/x/y/keys dir absent"}, ""},
		{"Outside", []string{"$OUT/k/"}, `"$OUT/k"`, []string{"$OUT/k dir"}, ""},
		{"OutsideAbsent", nil, `"$OUT/k"`, []string{"$OUT/k dir absent"}, ""},
		{"InTheHome", []string{"$HOME/keys/"}, `"$HOME/keys"`, []string{"$HOME/keys dir"}, ""},
		// a link above it is how the way there is, not where it is.
		{"AncestorIsALink", []string{"$OUT/l -> $OUT", "$OUT/k/"}, `"$OUT/l/k"`, []string{"$OUT/k dir"},
			`2: [keys] dir "$OUT/l/k" goes through the symlink "$OUT/l" to "$OUT/k"`},
		{"AncestorIsALinkInside", []string{"l -> docs", "docs/k/"}, `"l/k"`, []string{"$ROOT/docs/k dir"},
			`2: [keys] dir "l/k" goes through the symlink "$ROOT/l" to "$ROOT/docs/k"`},
		{"AncestorLeavesTheRepository", []string{"l -> $OUT"}, `"l/k"`, []string{"$OUT/k dir absent"},
			`2: [keys] dir "l/k" goes through the symlink "$ROOT/l" to "$OUT/k"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, tt.make...)
			writes := "**"
			if tt.note != "" {
				writes = "src/**" // with all of it the link could be a role's
			}
			a := g.answer(t, "[keys]\ndir = "+tt.dir+"\n[roles.dev]\nwrites = ['"+writes+"']\nkeys = ['k']\n")
			if got := strings.Join(g.notes(a), "\n"); got != tt.note {
				t.Errorf("got the note  «%s»\nwant the note «%s»", got, tt.note)
			}
			wantLines(t, "hidden", g.grants(a.Spec.Hidden, sandbox.Keys), tt.want)
			for _, grant := range a.Spec.Hidden {
				for _, op := range []sandbox.Op{sandbox.OpRead, sandbox.OpWrite, sandbox.OpReplace} {
					if v := a.Spec.Verdict(op, grant.Path+"/k"); v.Allowed {
						t.Errorf("%s of %s is allowed: %s", op, g.fold(grant.Path), v.Rule)
					}
				}
			}
		})
	}
}

func TestKeyDirectoriesRefused(t *testing.T) {
	const (
		role    = "\n[roles.dev]\nwrites = ['src/**']\nkeys = ['k']\n"
		nothing = "name a directory that holds keys and nothing else"
	)
	refuseAll(t, []refusal{
		// the mask would lie on the target, or nowhere.
		{"Link", []string{".secrets -> $OUT"}, "[keys]\ndir = '.secrets'" + role, 2,
			`[keys] dir ".secrets" is a symlink to "$OUT"`, `name the real directory: dir = "$OUT"`},
		{"LinkInside", []string{"k/", ".secrets -> k"}, "[keys]\ndir = [\n'.secrets']" + role, 3,
			`[keys] dir ".secrets" is a symlink to "$ROOT/k"`, `name the real directory: dir = "$ROOT/k"`},
		{"LinkOutside", []string{"$OUT/k/", "$OUT/l -> k"}, "[keys]\ndir = '$OUT/l'" + role, 2,
			`[keys] dir "$OUT/l" is a symlink to "$OUT/k"`, `name the real directory: dir = "$OUT/k"`},
		{"File", []string{"k"}, "[keys]\ndir = 'k'" + role, 2, `[keys] dir "k" is not a directory`, "name the directory that holds it"},
		{"FIFO", []string{"k |"}, "[keys]\ndir = 'k'" + role, 2, `[keys] dir "k" is not a directory`, "name the directory that holds it"},
		// The link is refused as any is, also where it leads nowhere.
		{"Dangling", []string{".secrets -> $OUT/none"}, "[keys]\ndir = '.secrets'" + role, 2,
			`[keys] dir ".secrets" leads nowhere: lstat $OUT/none: no such file or directory`, mend},
		{"DanglingOnTheWay", []string{"l -> none"}, "[keys]\ndir = 'l/keys'" + role, 2,
			`[keys] dir "l/keys" leads nowhere: lstat $ROOT/none: no such file or directory`, mend},
		{"Loop", []string{".secrets -> .secrets"}, "[keys]\ndir = '.secrets'" + role, 2,
			`[keys] dir ".secrets" leads nowhere: follow $ROOT/.secrets: too many levels of symbolic links`, mend},
		{"BelowAFile", []string{"f"}, "[keys]\ndir = 'f/keys'" + role, 2,
			`[keys] dir "f/keys": "$ROOT/f/keys" is below a file`, "name what is below directories only"},
		{"HoldsTheRepository", nil, "[keys]\ndir = '$ROOT'" + role, 2,
			`[keys] dir "$ROOT" holds the repository or the home directory`, nothing},
		{"HoldsTheHome", nil, "[keys]\ndir = '$HOME'" + role, 2,
			`[keys] dir "$HOME" holds the repository or the home directory`, nothing},
		{"AboveTheHome", []string{"$OUT/r -> /"}, "[keys]\ndir = '$OUT/r/var'" + role, 2,
			`[keys] dir "$OUT/r/var" holds the repository or the home directory`, nothing},
		{"InDev", nil, "[keys]\ndir = '/dev/shm/k'" + role, 2,
			`[keys] dir "/dev/shm/k": every box has its own /dev and /proc`, "keep keys elsewhere"},
	})
}
