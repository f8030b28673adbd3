package settings

import (
	"os"
	"strings"
	"testing"
)

// A link at a name that a role may replace can be the role's: the next start
// would grant what it leads to. It is refused, whoever made it, and its name,
// where it leads and by which rule it can be there are told (A-15, A-42, C18).
func TestPlantedLinks(t *testing.T) {
	const (
		dev = "[roles.dev]\nwrites = ['src/**', 'src/gen/**']\n"
		out = "take the link out, or name the real path: "
	)
	because := func(from, link, to, rule string) string {
		return from + ` goes through the symlink "` + link + `" to "` + to + `", and a role may have put it there: ` + rule
	}
	byDev := func(writes string, line string) string {
		return `roles.dev.writes "` + writes + `" (seisin.toml:` + line + `)`
	}
	refuseAll(t, []refusal{
		// rmdir src/gen; ln -s .. src/gen
		{"ToTheTop", []string{"src/gen -> .."}, dev, 2, because(`writes "src/gen/**"`, "$ROOT/src/gen", "$ROOT", byDev("src/**", "2")),
			`take the link out: rm "$ROOT/src/gen"`},
		{"ToANeighbour", []string{"other/", "src/gen -> ../other"}, dev, 2,
			because(`writes "src/gen/**"`, "$ROOT/src/gen", "$ROOT/other", byDev("src/**", "2")), out + `"other/**"`},
		{"ToItself", []string{"src/gen -> gen"}, dev, 2, because(`writes "src/gen/**"`, "$ROOT/src/gen", "itself", byDev("src/**", "2")),
			`take the link out: rm "$ROOT/src/gen"`},
		{"ToNothing", []string{"src/gen -> ../none"}, dev, 2,
			because(`writes "src/gen/**"`, "$ROOT/src/gen", "$ROOT/none", byDev("src/**", "2")), `take the link out: rm "$ROOT/src/gen"`},
		{"OutOfTheRepository", []string{"src/gen -> $OUT"}, dev, 2,
			because(`writes "src/gen/**"`, "$ROOT/src/gen", "$OUT", byDev("src/**", "2")), `take the link out: rm "$ROOT/src/gen"`},
		{"File", []string{"other/o", "src/cfg -> ../other/o"}, "writes = ['src/**', 'src/cfg']", 2,
			because(`writes "src/cfg"`, "$ROOT/src/cfg", "$ROOT/other/o", byDev("src/**", "2")), out + `"other/o"`},
		{"OnTheWay", []string{"other/", "src/x -> ../other"}, "writes = ['src/**', 'src/x/y/**']", 2,
			because(`writes "src/x/y/**"`, "$ROOT/src/x", "$ROOT/other", byDev("src/**", "2")), out + `"other/y/**"`},
		{"BehindAnother", []string{"l -> src/x", "other/", "src/x -> ../other"}, "writes = ['src/**', 'l/**']", 2,
			because(`writes "l/**"`, "$ROOT/src/x", "$ROOT/other", byDev("src/**", "2")), out + `"other/**"`},
		{"OfAnotherRole", []string{"other/", "src/gen -> ../other"}, "[roles.planter]\nwrites = ['src/**']\n[roles.dev]\nwrites = ['src/gen/**']\n", 4,
			because(`writes "src/gen/**"`, "$ROOT/src/gen", "$ROOT/other", `roles.planter.writes "src/**" (seisin.toml:2)`), out + `"other/**"`},
		{"OfARoleThatIsRefused", []string{"other/", "src/gen -> ../other"}, "[roles.planter]\nwrites = ['src/**', 'src/gen/x']\n[roles.dev]\nwrites = ['src/gen/**']\n", 4,
			because(`writes "src/gen/**"`, "$ROOT/src/gen", "$ROOT/other", `roles.planter.writes "src/**" (seisin.toml:2)`), out + `"other/**"`},
		{"WhereALinkLeads", []string{"lib/", "cur -> lib", "other/", "lib/gen -> ../other"}, "writes = ['cur/**', 'lib/gen/**']", 2,
			because(`writes "lib/gen/**"`, "$ROOT/lib/gen", "$ROOT/other", byDev("cur/**", "2")), out + `"other/**"`},
		// What it grants holds the link itself.
		{"HoldsItself", []string{"src/top -> .."}, "writes = ['src/top/**']", 2,
			because(`writes "src/top/**"`, "$ROOT/src/top", "$ROOT", byDev("src/top/**", "2")), `take the link out: rm "$ROOT/src/top"`},
		{"HoldsItselfOutside", []string{"$OUT/l -> ."}, "writes = ['$OUT/l/**']", 2,
			because(`writes "$OUT/l/**"`, "$OUT/l", "$OUT", byDev("$OUT/l/**", "2")), out + `"$OUT/**"`},

		// Every role may write scratch.
		{"InScratch", []string{"$HOME/.cache/foo -> $OUT"}, "writes = ['$HOME/.cache/foo/**']", 2,
			because(`writes "$HOME/.cache/foo/**"`, "$HOME/.cache/foo", "$OUT", "scratch ~/.cache: every role may write it"), out + `"$OUT/**"`},
		{"ToTheMachine", []string{"$HOME/.cache/foo -> /"}, "writes = ['$HOME/.cache/foo/**']", 2,
			because(`writes "$HOME/.cache/foo/**"`, "$HOME/.cache/foo", "/", "scratch ~/.cache: every role may write it"), `take the link out: rm "$HOME/.cache/foo"`},
		{"ToTheSystem", []string{"$HOME/.cache/foo -> /etc"}, "[runtime]\nwrites = ['~/.cache', '~/.cache/foo']\n[roles.dev]\n", 2,
			because(`scratch "~/.cache/foo"`, "$HOME/.cache/foo", "/etc", `[runtime] writes "~/.cache" (seisin.toml:2)`), `take the link out: rm "$HOME/.cache/foo"`},
		{"InScratchThatIsALink", []string{"$OUT/big/", "$HOME/.cache -> $OUT/big", "$OUT/big/foo -> $HOME"}, "writes = ['$OUT/big/foo/x/**']", 2,
			because(`writes "$OUT/big/foo/x/**"`, "$OUT/big/foo", "$HOME", "scratch ~/.cache: every role may write it"), out + `"$HOME/x/**"`},
		{"ScratchInScratch", []string{"$HOME/.cache/foo -> $OUT"}, "[runtime]\nwrites = ['~/.cache', '~/.cache/foo']\n[roles.dev]\n", 2,
			because(`scratch "~/.cache/foo"`, "$HOME/.cache/foo", "$OUT", `[runtime] writes "~/.cache" (seisin.toml:2)`), out + `"$OUT"`},
		{"InScratchOfOtherPolicies", []string{"$HOME/.cache/foo -> $OUT"}, "[runtime]\nwrites = []\n[roles.dev]\nwrites = ['$HOME/.cache/foo/**']\n", 4,
			because(`writes "$HOME/.cache/foo/**"`, "$HOME/.cache/foo", "$OUT", "scratch ~/.cache: roles of other policies may write it"), out + `"$OUT/**"`},
		{"ScratchInATerritory", []string{"$OUT/t/c -> $HOME/x"}, "[runtime]\nwrites = ['$OUT/t/c']\n[roles.dev]\n[roles.wide]\nwrites = ['$OUT/t/**']\n", 2,
			because(`scratch "$OUT/t/c"`, "$OUT/t/c", "$HOME/x", `roles.wide.writes "$OUT/t/**" (seisin.toml:5)`), `take the link out: rm "$OUT/t/c"`},

		// What takes away, and what hides, is moved as well.
		{"NeverWrites", []string{"src/l -> ../docs"}, "writes = ['**']\nnever_writes = ['src/l/**']", 3,
			because(`never_writes "src/l/**"`, "$ROOT/src/l", "$ROOT/docs", byDev("**", "2")), out + `"docs/**"`},
		{"NeverWritesOfAnother", []string{"src/l -> ../docs"}, "[roles.dev]\nwrites = ['src/a', 'docs/**']\nnever_writes = ['src/l/**']\n[roles.other]\nwrites = ['src/**']\n", 3,
			because(`never_writes "src/l/**"`, "$ROOT/src/l", "$ROOT/docs", `roles.other.writes "src/**" (seisin.toml:5)`), out + `"docs/**"`},
		{"Sidecar", []string{"src/x.sqlite", "src/x.sqlite-wal -> ../docs/d"}, "writes = ['src/**']\nnever_writes = ['src/x.sqlite']", 3,
			`never_writes "src/x.sqlite": "$ROOT/src/x.sqlite-wal" is a symlink`, `take the link out: rm "$ROOT/src/x.sqlite-wal"`},
		{"Keys", []string{"l -> src", "src/k/"}, "[keys]\ndir = 'l/k'\n[roles.dev]\nwrites = ['**']\n", 2,
			because(`[keys] dir "l/k"`, "$ROOT/l", "$ROOT/src", byDev("**", "4")), out + `"$ROOT/src/k"`},
	})
}

// A link where no role may put one is the person's, and is followed.
func TestLinksOfThePerson(t *testing.T) {
	for _, tt := range []struct {
		name   string
		make   []string
		policy string
		notes  string // the last of them
	}{
		{"BesideATerritory", []string{"in -> src"}, "writes = ['docs/**', 'in/**']", `2: writes "in/**" goes through the symlink "$ROOT/in" to "$ROOT/src"`},
		{"NameBeginsAlike", []string{"src2 -> docs"}, "writes = ['src/**', 'src2/**']", `2: writes "src2/**" goes through the symlink "$ROOT/src2" to "$ROOT/docs"`},
		// The name of a grant is a mount, and no role replaces it.
		{"NameOfAGrant", []string{"lib -> src"}, "writes = ['lib/**', 'lib/x/**']", `2: writes "lib/x/**" goes through the symlink "$ROOT/lib" to "$ROOT/src/x"`},
		// The repository is no scratch, also where it lies in it (C24).
		{"RepositoryInScratch", []string{"in -> src"}, "[runtime]\nwrites = ['$OUTER']\n[roles.dev]\nwrites = ['in/**']\n",
			`2: [runtime] writes replaces the defaults and leaves out ~/.claude ~/.codex ~/.local/share ~/.local/state ~/.cache`},
		// What is refused in any case gives nobody anything.
		{"RefusedGrant", []string{"in -> src"}, "[roles.dev]\nwrites = ['in/**']\n[roles.wide]\nwrites = ['$OUTER/**']\n",
			`2: writes "in/**" goes through the symlink "$ROOT/in" to "$ROOT/src"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, tt.make...)
			outer := g.root[:strings.LastIndexByte(g.root, '/')]
			if strings.Contains(tt.policy, "[runtime]") {
				// Beside the home, which no scratch may hold.
				g.root, outer = inScratch(t, g)
			}
			a := g.answer(t, asPolicy(strings.ReplaceAll(tt.policy, "$OUTER", outer)))
			notes := g.notes(a)
			if len(notes) == 0 || notes[len(notes)-1] != tt.notes {
				t.Errorf("got notes %q, want «%s»", notes, tt.notes)
			}
		})
	}
}

// A directory of the system is no scratch by way of a link: nobody would see
// it in the policy. Named by itself it is the person's word.
func TestLinksIntoTheSystem(t *testing.T) {
	const own = "take the link out, or let it lead to a directory of your own"
	refuseAll(t, []refusal{
		{"Scratch", []string{"$HOME/.cache -> /etc"}, "[roles.dev]\n", 0,
			`scratch "~/.cache" goes through the symlink "$HOME/.cache" to "/etc", a directory of the system`, own},
		{"Below", []string{"$HOME/.cache -> /usr/share"}, "[roles.dev]\n", 0,
			`scratch "~/.cache" goes through the symlink "$HOME/.cache" to "/usr/share", a directory of the system`, own},
		{"Top", []string{"$HOME/.cache -> /opt"}, "[roles.dev]\n", 0,
			`scratch "~/.cache" goes through the symlink "$HOME/.cache" to "/opt", a directory of the system`, own},
		{"Writes", []string{"$OUT/l -> /etc"}, "writes = ['$OUT/l/x/**']", 2,
			`writes "$OUT/l/x/**" goes through the symlink "$OUT/l" to "/etc/x", a directory of the system`, own},
	})
	g := newGround(t)
	a := g.answer(t, asPolicy("writes = ['/opt/seisin-none/**']"))
	wantLines(t, "notes", g.notes(a), []string{"2: " + outside + "/opt/seisin-none"})
	for p, want := range map[string]bool{"/": true, "/usr": true, "/usr/local/x": true, "/var": true, "/var/cache/x": false, "/home/u": false, "/srv/x": false, "/etcetera": false} {
		if got := isSystem(p); got != want {
			t.Errorf("isSystem(%q) = %v, want %v", p, got, want)
		}
	}
}

// The home, and what is closed in it, are found by the environment; a role
// that writes the home would move them.
func TestPlantedLinksOfTheHome(t *testing.T) {
	for _, tt := range []refusal{
		{make: []string{".cache -> $OUT"}, policy: "writes = ['**']",
			msg:  `scratch "~/.cache" goes through the symlink "$ROOT/.cache" to "$OUT", and a role may have put it there: roles.dev.writes "**" (seisin.toml:2)`,
			hint: `take the link out: rm "$ROOT/.cache"`},
		{make: []string{".config -> $OUT"}, policy: "writes = ['**']",
			msg:  `XDG_CONFIG_HOME "$ROOT/.config/seisin" goes through the symlink "$ROOT/.config" to "$OUT", and a role may have put it there: roles.dev.writes "**" (seisin.toml:2)`,
			hint: `take the link out: rm "$ROOT/.config"`},
		{make: []string{".local/state -> $OUT"}, policy: "writes = ['.local/**']",
			msg:  `XDG_STATE_HOME "$ROOT/.local/state/seisin" goes through the symlink "$ROOT/.local/state" to "$OUT", and a role may have put it there: roles.dev.writes ".local/**" (seisin.toml:2)`,
			hint: `take the link out: rm "$ROOT/.local/state"`},
	} {
		g := newGround(t)
		g.setenv(t, map[string]string{"HOME": g.root})
		tt.check(t, g)
	}
	g := newGround(t)
	g.make(t, "$OUT/w/", "$OUT/w/me -> $HOME")
	g.setenv(t, map[string]string{"HOME": "$OUT/w/me"})
	refusal{policy: "writes = ['$OUT/w/**']", hint: `take the link out: rm "$OUT/w/me"`,
		msg: `HOME "$OUT/w/me" goes through the symlink "$OUT/w/me" to "$HOME", and a role may have put it there: roles.dev.writes "$OUT/w/**" (seisin.toml:2)`}.check(t, g)
}

// TMPDIR by way of such a link is not the run's own: sandbox-runtime's file
// would grant the host's.
func TestPlantedTmpdir(t *testing.T) {
	g := newGround(t)
	g.make(t, "$HOME/.cache/t -> $OUT")
	t.Setenv("TMPDIR", g.home+"/.cache/t")
	a := g.answer(t, asPolicy(""))
	wantLines(t, "private", g.grants(a.Spec.Private), []string{"/tmp dir", "/var/tmp dir"})
	wantLines(t, "notes", g.notes(a), []string{`0: TMPDIR is /tmp inside: "$HOME/.cache/t" goes through a symlink that a role may have put there`})
}

// inScratch moves the repository into a directory of its own, and returns both.
func inScratch(t *testing.T, g *ground) (root, outer string) {
	t.Helper()
	outer = g.out + "/deep"
	root = outer + "/r"
	g.make(t, outer+"/")
	if err := os.Rename(g.root, root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	return root, outer
}
