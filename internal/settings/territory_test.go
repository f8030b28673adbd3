package settings

import (
	"strings"
	"testing"

	"seisin/internal/sandbox"
)

const outside = "WRITES OUTSIDE THE REPOSITORY: "

// what a pattern grants on a tree is what stands there.
func TestTerritory(t *testing.T) {
	for _, tt := range []struct {
		name   string
		make   []string
		writes string
		want   []string // the territory
		notes  []string // besides the territory
	}{
		{"Nothing", nil, ``, nil, nil},
		{"Subtree", nil, `"src/**"`, []string{"$ROOT/src dir"}, nil},
		{"TrailingSlash", nil, `"src/"`, []string{"$ROOT/src dir"}, nil},
		{"LiteralDirectory", nil, `"src"`, []string{"$ROOT/src dir"}, nil},
		{"LiteralFile", nil, `"NOTES.md"`, []string{"$ROOT/NOTES.md file"}, nil},
		{"WholeRepository", nil, `"**"`, []string{"$ROOT dir"}, nil},
		{"Many", nil, `"src/**", "docs/d", "NOTES.md"`, []string{"$ROOT/NOTES.md file", "$ROOT/docs/d file", "$ROOT/src dir"}, nil},
		{"OneInAnother", nil, `"src/**", "src/a"`, []string{"$ROOT/src dir", "$ROOT/src/a file"}, nil},

		// C15, LX-5: an absent grant is a grant.
		{"AbsentSubtree", nil, `"docs/new/**"`, []string{"$ROOT/docs/new dir absent"}, nil},
		{"AbsentLiteral", nil, `"NEW.md"`, []string{"$ROOT/NEW.md file absent"}, nil},
		{"AbsentAndNested", nil, `"x/y/z/**", "x/y/f"`, []string{"$ROOT/x/y/f file absent", "$ROOT/x/y/z dir absent"}, nil},

		// Of two words for one absent name, the file's would make the other void.
		{"AbsentTwice", nil, `"new", "new/**"`, []string{"$ROOT/new dir absent"}, nil},
		{"AbsentTwiceTheOtherWay", nil, `"new/**", "new"`, []string{"$ROOT/new dir absent"}, nil},

		// the kernel acts on what a link leads to.
		{"LinkToADirectory", []string{"cur -> src"}, `"cur/**"`, []string{"$ROOT/src dir"},
			[]string{`2: writes "cur/**" goes through the symlink "$ROOT/cur" to "$ROOT/src"`}},
		{"LinkToAFile", []string{"N -> NOTES.md"}, `"N"`, []string{"$ROOT/NOTES.md file"},
			[]string{`2: writes "N" goes through the symlink "$ROOT/N" to "$ROOT/NOTES.md"`}},
		{"LinkOnTheWay", []string{"cur -> src"}, `"cur/a"`, []string{"$ROOT/src/a file"},
			[]string{`2: writes "cur/a" goes through the symlink "$ROOT/cur" to "$ROOT/src/a"`}},
		{"AbsentBelowALink", []string{"cur -> src"}, `"cur/new/**"`, []string{"$ROOT/src/new dir absent"},
			[]string{`2: writes "cur/new/**" goes through the symlink "$ROOT/cur" to "$ROOT/src/new"`}},
		{"LinkOverTwoLinks", []string{"one -> two", "two -> $ROOT/src"}, `"one/**"`, []string{"$ROOT/src dir"},
			[]string{`2: writes "one/**" goes through the symlink "$ROOT/one" to "$ROOT/src"`}},
		{"LinkAndWhatItLeadsTo", []string{"cur -> src"}, `"src/**", "cur/**"`, []string{"$ROOT/src dir"},
			[]string{`2: writes "cur/**" goes through the symlink "$ROOT/cur" to "$ROOT/src"`}},
		{"LinkOutAndBack", []string{"$OUT/back -> $ROOT/src", "away -> $OUT/back"}, `"away/**"`, []string{"$ROOT/src dir"},
			[]string{`2: writes "away/**" goes through the symlink "$ROOT/away" to "$ROOT/src"`}},

		// names that begin alike are others.
		{"BesideAKeyDirectory", []string{".secrets2/"}, `".secrets2/**", ".gitignore"`, []string{"$ROOT/.gitignore file absent", "$ROOT/.secrets2 dir"}, nil},

		// outside it is granted by name, and said.
		{"Outside", []string{"$OUT/sib/"}, `"$OUT/sib/**"`, []string{"$OUT/sib dir"}, []string{"2: " + outside + "$OUT/sib"}},
		{"OutsideFile", []string{"$OUT/f"}, `"$OUT/f"`, []string{"$OUT/f file"}, []string{"2: " + outside + "$OUT/f"}},
		{"OutsideAbsent", nil, `"$OUT/new/**"`, []string{"$OUT/new dir absent"}, []string{"2: " + outside + "$OUT/new"}},
		{"OutsideThroughALink", []string{"$OUT/l -> $OUT", "$OUT/d/"}, `"$OUT/l/d/**"`, []string{"$OUT/d dir"}, []string{
			`2: writes "$OUT/l/d/**" goes through the symlink "$OUT/l" to "$OUT/d"`, "2: " + outside + "$OUT/d"}},
		{"InTheHome", []string{"$HOME/proj/"}, `"$HOME/proj/**"`, []string{"$HOME/proj dir"}, []string{"2: " + outside + "$HOME/proj"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, tt.make...)
			a := g.answer(t, "[roles.dev]\nwrites = ["+tt.writes+"]\n[keys]\ndir = '.secrets'\n")
			wantLines(t, "territory", g.grants(a.Spec.Write, sandbox.Territory), tt.want)
			wantLines(t, "notes", g.notes(a), tt.notes)
		})
	}
}

// The rule is quoted as the policy says it, with its line, whatever it
// resolves to.
func TestTerritoryRules(t *testing.T) {
	g := newGround(t)
	g.make(t, "cur -> docs")
	a := g.answer(t, "[roles.dev]\nwrites = [\n  'src/',\n  'cur/**',\n]\nnever_writes = ['src/gen/**']\n")
	var got []string
	for _, grant := range append(a.Spec.Write, a.Spec.Closed...) {
		if grant.Part == sandbox.Territory || grant.Part == sandbox.Never {
			got = append(got, g.fold(grant.Path)+": "+grant.Rule)
		}
	}
	wantLines(t, "rules", got, []string{
		`$ROOT/docs: roles.dev.writes "cur/**" (seisin.toml:4)`,
		`$ROOT/src: roles.dev.writes "src/" (seisin.toml:3)`,
		`$ROOT/src/gen: roles.dev.never_writes "src/gen/**" (seisin.toml:6)`,
	})
}

// UA-16: SQLite writes beside its database, and nothing else is a sidecar.
func TestSidecars(t *testing.T) {
	for _, tt := range []struct {
		name string
		make []string
		key  string
		want []string
	}{
		{"Sqlite", []string{"d/x.sqlite"}, `writes = ["d/x.sqlite"]`, []string{
			"$ROOT/d/x.sqlite file", "$ROOT/d/x.sqlite-journal file absent", "$ROOT/d/x.sqlite-shm file absent", "$ROOT/d/x.sqlite-wal file absent"}},
		{"Sqlite3", []string{"x.sqlite3", "x.sqlite3-wal"}, `writes = ["x.sqlite3"]`, []string{
			"$ROOT/x.sqlite3 file", "$ROOT/x.sqlite3-journal file absent", "$ROOT/x.sqlite3-shm file absent", "$ROOT/x.sqlite3-wal file"}},
		{"Absent", nil, `writes = ["x.sqlite"]`, []string{
			"$ROOT/x.sqlite file absent", "$ROOT/x.sqlite-journal file absent", "$ROOT/x.sqlite-shm file absent", "$ROOT/x.sqlite-wal file absent"}},
		{"NotOfAnyDatabase", []string{"x.db"}, `writes = ["x.db", "sqlite", "x.sqlite2"]`, []string{
			"$ROOT/sqlite file absent", "$ROOT/x.db file", "$ROOT/x.sqlite2 file absent"}},
		{"NotOfADirectory", []string{"x.sqlite/"}, `writes = ["x.sqlite"]`, []string{"$ROOT/x.sqlite dir"}},
		{"NotOfAnAbsentDirectory", nil, `writes = ["x.sqlite/**"]`, []string{"$ROOT/x.sqlite dir absent"}},
		{"BesideWhatALinkLeadsTo", []string{"d/x.sqlite", "db.sqlite -> d/x.sqlite"}, `writes = ["db.sqlite"]`, []string{
			"$ROOT/d/x.sqlite file", "$ROOT/d/x.sqlite-journal file absent", "$ROOT/d/x.sqlite-shm file absent", "$ROOT/d/x.sqlite-wal file absent"}},
		// What stands there and is nothing of SQLite's would be a way out.
		{"NoLinks", []string{"x.sqlite", "x.sqlite-wal -> $HOME/.bashrc", "x.sqlite-shm/", "x.sqlite-journal |"}, `writes = ["x.sqlite"]`, []string{
			"$ROOT/x.sqlite file"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, tt.make...)
			a := g.answer(t, asPolicy(tt.key))
			wantLines(t, "territory", g.grants(a.Spec.Write, sandbox.Territory), tt.want)
			for _, grant := range a.Spec.Write {
				for _, suffix := range sidecars {
					if strings.HasSuffix(grant.Path, suffix) && !strings.HasSuffix(grant.Rule, ": SQLite's "+suffix) {
						t.Errorf("%q has the rule «%s», want that it is SQLite's", grant.Path, grant.Rule)
					}
				}
			}
		})
	}
}

// What takes away, UA-15. It lies in the repository, wins over every grant,
// and says so where it takes nothing.
func TestNeverWrites(t *testing.T) {
	const takes = `" takes nothing away: no writes of role "dev" covers it`
	for _, tt := range []struct {
		name   string
		make   []string
		policy string
		want   []string // closed, of this role
		notes  []string
	}{
		{"Subtree", []string{"src/gen/"}, "writes = ['src/**']\nnever_writes = ['src/gen/**']", []string{"$ROOT/src/gen dir"}, nil},
		{"File", nil, "writes = ['src/**']\nnever_writes = ['src/a']", []string{"$ROOT/src/a file"}, nil},
		{"Absent", nil, "writes = ['src/**']\nnever_writes = ['src/gen/**', 'src/.env']", []string{"$ROOT/src/.env file absent", "$ROOT/src/gen dir absent"}, nil},
		{"AbsentTwice", nil, "writes = ['src/**']\nnever_writes = ['src/new', 'src/new/**']", []string{"$ROOT/src/new dir absent"}, nil},
		{"ThroughALink", []string{"l -> docs"}, "writes = ['docs/**']\nnever_writes = ['l/gen/**']", []string{"$ROOT/docs/gen dir absent"},
			[]string{`3: never_writes "l/gen/**" goes through the symlink "$ROOT/l" to "$ROOT/docs/gen"`}},
		{"OfAWiderGrant", nil, "writes = ['**']\nnever_writes = ['docs/d']", []string{"$ROOT/docs/d file"}, nil},
		{"AroundAGrant", nil, "writes = ['src/a']\nnever_writes = ['src/**']", []string{"$ROOT/src dir"}, nil},
		{"TakesNothing", nil, "writes = ['src/**']\nnever_writes = ['docs/**']", []string{"$ROOT/docs dir"}, []string{`3: never_writes "docs/**` + takes}},
		{"TakesNothingOfNothing", nil, "never_writes = ['docs/**']", []string{"$ROOT/docs dir"}, []string{`2: never_writes "docs/**` + takes}},
		{"NameBeginsAlike", nil, "writes = ['src/**']\nnever_writes = ['src2/**']", []string{"$ROOT/src2 dir absent"}, []string{`3: never_writes "src2/**` + takes}},
		{"Sidecars", []string{"src/x.sqlite", "src/x.sqlite-wal"}, "writes = ['src/**']\nnever_writes = ['src/x.sqlite']", []string{
			"$ROOT/src/x.sqlite file", "$ROOT/src/x.sqlite-journal file absent", "$ROOT/src/x.sqlite-shm file absent", "$ROOT/src/x.sqlite-wal file"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, tt.make...)
			a := g.answer(t, asPolicy(tt.policy))
			wantLines(t, "closed", g.grants(a.Spec.Closed, sandbox.Never), tt.want)
			wantLines(t, "notes", g.notes(a), tt.notes)
			for _, grant := range a.Spec.Closed {
				if v := a.Spec.Verdict(sandbox.OpWrite, grant.Path+"/x"); v.Allowed {
					t.Errorf("%q can be written: %s", grant.Path, v.Rule)
				}
			}
		})
	}
}

// observing grants the repository and nothing else, and what
// nobody writes stays closed.
func TestObserve(t *testing.T) {
	g := newGround(t)
	g.make(t, ".secrets/k", "$OUT/sib/")
	const policy = "[keys]\ndir = '.secrets'\n[roles.dev]\nwrites = ['src/**', 'new.txt', '$OUT/sib/**']\nnever_writes = ['docs/**']\n"
	plain, a := g.answer(t, policy), g.answer(t, policy, observing)
	wantLines(t, "territory", g.grants(a.Spec.Write, sandbox.Territory), []string{"$ROOT dir", "$OUT/sib dir"})
	if got := g.notes(a); len(got) != 1 || got[0] != "4: "+outside+"$OUT/sib" {
		t.Errorf("got notes %q, want the one about $OUT/sib", got)
	}
	wantLines(t, "closed", g.grants(a.Spec.Closed), g.grants(plain.Spec.Closed))
	wantLines(t, "hidden", g.grants(a.Spec.Hidden), g.grants(plain.Spec.Hidden))
	wantLines(t, "scratch", g.grants(a.Spec.Write, sandbox.Scratch), g.grants(plain.Spec.Write, sandbox.Scratch))
	for name, want := range map[string]bool{
		"/src/a": true, "/new/deep": true, "/x": true,
		"/docs/d": false, "/seisin.toml": false, "/.git/config": false, "/.secrets/k": false, "/.git/seisin/log": false,
	} {
		if v := a.Spec.Verdict(sandbox.OpWrite, g.root+name); v.Allowed != want {
			t.Errorf("observing, a write of %s is allowed: %v (%s), want %v", name, v.Allowed, v.Rule, want)
		}
	}
	if v := a.Spec.Verdict(sandbox.OpWrite, g.out+"/x"); v.Allowed {
		t.Errorf("observing writes outside: %s", v.Rule)
	}
	const rule = "--observe: the whole repository is writable in this run"
	if v := a.Spec.Verdict(sandbox.OpWrite, g.root+"/src/a"); v.Rule != rule {
		t.Errorf("got rule «%s», want «%s»", v.Rule, rule)
	}
}
