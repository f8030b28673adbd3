package settings

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"seisin/internal/gitdir"
	"seisin/internal/roles"
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
			a := g.answer(t, "[keys]\ndir = "+tt.dir+"\n[roles.dev]\nwrites = ['"+writes+"']\n")
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

// the keys that a role names, and nothing beside them, each where
// its name says.
func TestKeys(t *testing.T) {
	const two = "[keys]\ndir = ['.secrets', 'b']\n"
	for _, tt := range []struct {
		name string
		make []string
		head string
		keys string
		want []string
		note string
	}{
		{"Bare", []string{".secrets/k", ".secrets/other"}, two, `'k'`, []string{"$ROOT/.secrets/k file"}, ""},
		{"BareIsInTheFirst", []string{".secrets/", "b/k"}, two, `'k'`, []string{"$ROOT/.secrets/k file absent"},
			`4: keys "k" does not exist: it was looked for at $ROOT/.secrets/k`},
		{"WithASlash", []string{"b/x.txt"}, two, `'b/x.txt'`, []string{"$ROOT/b/x.txt file"}, ""},
		{"Deeper", []string{".secrets/d/k"}, two, `'.secrets/d/k'`, []string{"$ROOT/.secrets/d/k file"}, ""},
		{"Absolute", []string{"$OUT/k/a"}, "[keys]\ndir = ['$OUT/k']\n", `'$OUT/k/a'`, []string{"$OUT/k/a file"}, ""},
		{"BareOutside", []string{"$OUT/k/a"}, "[keys]\ndir = ['$OUT/k']\n", `'a'`, []string{"$OUT/k/a file"}, ""},
		{"Two", []string{".secrets/k", ".secrets/l"}, two, `'l', 'k'`, []string{"$ROOT/.secrets/k file", "$ROOT/.secrets/l file"}, ""},
		// SD-5: what is granted is where it leads, under its own name.
		{"ALinkWithin", []string{"b/k", ".secrets/l -> ../b/k"}, two, `'l'`, []string{"$ROOT/b/k file"},
			`4: keys "l" goes through the symlink "$ROOT/.secrets/l" to "$ROOT/b/k"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, tt.make...)
			a := g.answer(t, tt.head+"[roles.dev]\nkeys = ["+tt.keys+"]\nwrites = ['src/**']\n")
			wantLines(t, "keys", g.grants(a.Spec.Read, sandbox.Keys), tt.want)
			if got := strings.Join(g.notes(a), "\n"); got != tt.note {
				t.Errorf("got the note  «%s»\nwant the note «%s»", got, tt.note)
			}
			for _, key := range a.Spec.Read {
				if v := a.Spec.Verdict(sandbox.OpRead, key.Path); !v.Allowed || !strings.HasPrefix(v.Rule, "roles.dev.keys ") {
					t.Errorf("reading %s: got %+v, want it allowed", g.fold(key.Path), v)
				}
				for op, name := range map[sandbox.Op]string{
					sandbox.OpWrite: key.Path, sandbox.OpReplace: key.Path, sandbox.OpRead: filepath.Dir(key.Path) + "/other",
				} {
					if v := a.Spec.Verdict(op, name); v.Allowed {
						t.Errorf("%s of %s is allowed: %s", op, g.fold(name), v.Rule)
					}
				}
			}
		})
	}
}

func TestKeysRefused(t *testing.T) {
	const (
		dir  = "[keys]\ndir = '.secrets'\n[roles.dev]\n"
		into = "put the file into a key directory, or declare the directory that it is in: [keys] dir"
		own  = "put the file itself into a key directory, or declare the directory that it is in: [keys] dir"
	)
	refuseAll(t, []refusal{
		// a list that nobody reads twice is no way out of the repository.
		{"Outside", []string{"$HOME/.ssh/id"}, dir + "keys = ['$HOME/.ssh/id']", 4, `keys "$HOME/.ssh/id" is "$HOME/.ssh/id", which is in no key directory`, into},
		{"LinkOutside", []string{"$HOME/.ssh/id", ".secrets/k -> $HOME/.ssh/id"}, dir + "keys = ['k']", 4,
			`keys "k" goes through the symlink "$ROOT/.secrets/k" to "$HOME/.ssh/id", which is in no key directory`, own},
		{"Prefix", []string{".secrets2/x"}, dir + "keys = ['.secrets2/x']", 4, `keys ".secrets2/x" is "$ROOT/.secrets2/x", which is in no key directory`, into},
		// SD-4: one entry would open all of them.
		{"TheDirectory", []string{".secrets/x"}, dir + "keys = ['$ROOT/.secrets']", 4, `keys "$ROOT/.secrets" is "$ROOT/.secrets", which is in no key directory`, into},
		{"ADirectory", []string{".secrets/d/x"}, dir + "keys = ['d']", 4, `keys "d" is a directory`, "name each key that the role may read"},
		{"FIFO", []string{".secrets/p |"}, dir + "keys = ['p']", 4, `keys "p" is neither a file nor a directory`, "name a regular file"},
		{"Dangling", []string{".secrets/k -> none"}, dir + "keys = ['k']", 4, `keys "k" leads nowhere: lstat $ROOT/.secrets/none: no such file or directory`, mend},
		{"State", nil, "[keys]\ndir = '.git/seisin'\n[roles.dev]\nkeys = ['k']", 4,
			`keys "k": $ROOT/.git/seisin is this tool's own state: no role sees it`, "keep keys elsewhere"},
	})
}

// C02: a linked work tree has none of the ignored key files. They are those of
// the main work tree, and no other role's key in any work tree can be read.
func TestKeysOfOtherWorkTrees(t *testing.T) {
	g := newGround(t)
	g.make(t, ".secrets/dev.key", ".secrets/qa.key")
	for _, name := range []string{"one", "two"} {
		if out, err := exec.Command("git", "-C", g.root, "worktree", "add", "-q", g.out+"/"+name, "-b", name).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	g.make(t, "$OUT/two/.secrets/two.key")
	const policy = "[keys]\ndir = '.secrets'\n[roles.dev]\nwrites = ['**']\nkeys = ['dev.key']\n"
	at := func(root string) sandbox.Spec {
		t.Helper()
		name := filepath.Join(root, roles.FileName)
		if err := os.WriteFile(name, []byte(policy), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := roles.Parse(name, []byte(policy))
		if err != nil {
			t.Fatal(err)
		}
		place, err := gitdir.Find(root, os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Here()
		if err != nil {
			t.Fatal(err)
		}
		a, err := For(p, &p.Roles[0], place, m, Options{Cwd: root})
		if err != nil {
			t.Fatal(err)
		}
		return a.Spec
	}
	for _, tt := range []struct {
		root string
		read map[string]bool
	}{
		{"$ROOT", map[string]bool{"$ROOT/.secrets/dev.key": true, "$ROOT/.secrets/qa.key": false, "$OUT/two/.secrets/two.key": false, "$OUT/one/.secrets/x": false}},
		{"$OUT/one", map[string]bool{"$ROOT/.secrets/dev.key": true, "$ROOT/.secrets/qa.key": false, "$OUT/two/.secrets/two.key": false, "$OUT/one/.secrets/x": false}},
		// This one has a directory of its own, and its keys are in it.
		{"$OUT/two", map[string]bool{"$ROOT/.secrets/dev.key": false, "$ROOT/.secrets/qa.key": false, "$OUT/two/.secrets/dev.key": true, "$OUT/two/.secrets/two.key": false}},
	} {
		s := at(g.expand(tt.root))
		for name, want := range tt.read {
			if v := s.Verdict(sandbox.OpRead, g.expand(name)); v.Allowed != want {
				t.Errorf("from %s: reading %s: got %+v, want %v", tt.root, name, v, want)
			}
			if v := s.Verdict(sandbox.OpWrite, g.expand(name)); v.Allowed {
				t.Errorf("from %s: writing %s: got %+v", tt.root, name, v)
			}
		}
	}
}
