package settings

import (
	"errors"
	"os"
	"testing"
)

const (
	nothingAbove = "name the directory that the role needs, and nothing above it"
	nothingMakes = "remove it: nothing makes this writable"
	filesOnly    = "name files and directories only"
	mend         = "mend or remove the link"
	gitsOwn      = "$ROOT/.git is git's own: read in this version"
	thePolicy    = "seisin.toml is the policy: no role writes it"
)

// A-42, C13: a pattern that cannot be held as it is written is refused, and
// says what to write.
func TestTerritoryRefused(t *testing.T) {
	refuseAll(t, []refusal{
		// The way out of the repository through a link is named, not taken.
		{"LinkLeaves", []string{"out -> $OUT"}, `writes = ["out/**"]`, 2,
			`writes "out/**" leaves the repository through a symlink, to "$OUT"`,
			`if the role shall write there, name it: "$OUT/**"`},
		{"LinkedFileLeaves", []string{"$OUT/f", "f -> $OUT/f"}, `writes = ["f"]`, 2,
			`writes "f" leaves the repository through a symlink, to "$OUT/f"`,
			`if the role shall write there, name it: "$OUT/f"`},
		{"LinkOnTheWayLeaves", []string{"src/up -> $OUT"}, `writes = ["src/up/new/**"]`, 2,
			`writes "src/up/new/**" leaves the repository through a symlink, to "$OUT/new"`,
			`if the role shall write there, name it: "$OUT/new/**"`},
		{"LinkLoops", []string{"a -> b", "b -> a"}, `writes = ["a/**"]`, 2,
			`writes "a/**" leads nowhere: follow $ROOT/a: too many levels of symbolic links`, mend},
		{"LinkLoopsOnTheWay", []string{"a -> a"}, `writes = ["a/x/**"]`, 2,
			`writes "a/x/**" leads nowhere: follow $ROOT/a/x: too many levels of symbolic links`, mend},
		{"LinkDangles", []string{"l -> nowhere"}, `writes = ["l"]`, 2,
			`writes "l" leads nowhere: lstat $ROOT/nowhere: no such file or directory`, mend},
		{"LinkDanglesOnTheWay", []string{"l -> nowhere"}, `writes = ["l/x"]`, 2,
			`writes "l/x" leads nowhere: lstat $ROOT/nowhere: no such file or directory`, mend},

		{"BelowAFile", nil, `writes = ["NOTES.md/x"]`, 2, `writes "NOTES.md/x": "$ROOT/NOTES.md/x" is below a file`, "name what is below directories only"},

		{"AbsoluteInside", nil, `writes = ["$ROOT/src/**"]`, 2,
			`writes "$ROOT/src/**" is inside the repository, where patterns are relative to its top`, `write "src/**"`},
		{"AbsoluteInsideThroughALink", []string{"$OUT/l -> $ROOT"}, `writes = ["$OUT/l/src/a"]`, 2,
			`writes "$OUT/l/src/a" is inside the repository, where patterns are relative to its top`, `write "src/a"`},
		{"AbsoluteRoot", nil, `writes = ["$ROOT/**"]`, 2,
			`writes "$ROOT/**" is inside the repository, where patterns are relative to its top`, `write "**"`},
		{"AbsoluteInsideThatLeaves", []string{"out -> $OUT"}, `writes = ["$ROOT/out/**"]`, 2,
			`writes "$ROOT/out/**" is inside the repository, where patterns are relative to its top`, `write "out/**"`},
		{"AboveTheRepository", []string{"$OUT/l -> /"}, `writes = ["$OUT/l/**"]`, 2,
			`writes "$OUT/l/**" holds the whole repository`, `for all of the repository write "**"`},

		{"Home", nil, `writes = ["$HOME/**"]`, 2, `writes "$HOME/**" holds the home directory, or this tool's own files`, nothingAbove},
		{"HomeThroughALink", []string{"$OUT/h -> $HOME"}, `writes = ["$OUT/h/**"]`, 2,
			`writes "$OUT/h/**" holds the home directory, or this tool's own files`, nothingAbove},
		// The approvals and the person's own configuration (design section 4).
		{"Config", nil, `writes = ["$HOME/.config/seisin/**"]`, 2,
			`writes "$HOME/.config/seisin/**" holds the home directory, or this tool's own files`, nothingAbove},
		{"InConfig", nil, `writes = ["$HOME/.config/seisin/approved/x"]`, 2,
			`writes "$HOME/.config/seisin/approved/x" holds the home directory, or this tool's own files`, nothingAbove},
		{"AboveConfig", nil, `writes = ["$HOME/.config/**"]`, 2,
			`writes "$HOME/.config/**" holds the home directory, or this tool's own files`, nothingAbove},
		{"State", nil, `writes = ["$HOME/.local/state/seisin/homes/**"]`, 2,
			`writes "$HOME/.local/state/seisin/homes/**" holds the home directory, or this tool's own files`, nothingAbove},
		{"AboveState", nil, `writes = ["$HOME/.local/**"]`, 2,
			`writes "$HOME/.local/**" holds the home directory, or this tool's own files`, nothingAbove},

		// by whatever name.
		{"Policy", nil, `writes = ["seisin.toml"]`, 2, `writes "seisin.toml": ` + thePolicy, nothingMakes},
		{"PolicyThroughALink", []string{"p -> seisin.toml"}, `writes = ["p"]`, 2, `writes "p": ` + thePolicy, nothingMakes},
		{"PolicyThroughTheTop", []string{"src/top -> .."}, `writes = ["src/top/seisin.toml"]`, 2,
			`writes "src/top/seisin.toml": ` + thePolicy, nothingMakes},
		{"Git", nil, `writes = [".git/**"]`, 2, `writes ".git/**": ` + gitsOwn, nothingMakes},
		{"InGit", nil, `writes = ["src/**", ".git/hooks/**"]`, 2, `writes ".git/hooks/**": ` + gitsOwn, nothingMakes},
		{"GitThroughALink", []string{"g -> .git/hooks"}, `writes = ["g/**"]`, 2, `writes "g/**": ` + gitsOwn, nothingMakes},
		{"LaterState", nil, `writes = [".git/seisin/log.jsonl"]`, 2, `writes ".git/seisin/log.jsonl": ` + gitsOwn, nothingMakes},
		{"Keys", []string{"k/x"}, "[keys]\ndir = 'k'\n[roles.dev]\nwrites = ['k/**']", 4,
			`writes "k/**": [keys] dir "k" (seisin.toml:2): a role reads the keys in it that it names, and writes none`, nothingMakes},
		{"AbsentKeys", nil, "[keys]\ndir = 'k'\n[roles.dev]\nwrites = ['k/x']", 4,
			`writes "k/x": [keys] dir "k" (seisin.toml:2): a role reads the keys in it that it names, and writes none`, nothingMakes},
		{"KeysOutside", []string{"$OUT/k/"}, "[keys]\ndir = '$OUT/k'\n[roles.dev]\nwrites = ['$OUT/k/x/**']", 4,
			`writes "$OUT/k/x/**": [keys] dir "$OUT/k" (seisin.toml:2): a role reads the keys in it that it names, and writes none`, nothingMakes},

		{"TreeOfAFile", nil, `writes = ["NOTES.md/**"]`, 2, `writes "NOTES.md/**": NOTES.md is a file, not a directory`, `write "NOTES.md"`},
		{"FIFO", []string{"p |"}, `writes = ["p"]`, 2, `writes "p" is neither a file nor a directory`, filesOnly},
		{"FIFOThroughALink", []string{"p |", "l -> p"}, `writes = ["l"]`, 2, `writes "l" is neither a file nor a directory`, filesOnly},
		{"TreeOfAFIFO", []string{"p |"}, `writes = ["p/**"]`, 2, `writes "p/**" is neither a file nor a directory`, filesOnly},
		{"Device", nil, `writes = ["/dev/null"]`, 2, `writes "/dev/null": a box has its own /dev and /proc, and /sys is never written`, "remove it"},
		{"Proc", nil, `writes = ["/proc/sys/**"]`, 2, `writes "/proc/sys/**": a box has its own /dev and /proc, and /sys is never written`, "remove it"},
		{"Sys", nil, `writes = ["/sys/fs/cgroup/**"]`, 2, `writes "/sys/fs/cgroup/**": a box has its own /dev and /proc, and /sys is never written`, "remove it"},

		{"NeverLeaves", []string{"out -> $OUT"}, `never_writes = ["out/**"]`, 2,
			`never_writes "out/**" leaves the repository through a symlink, to "$OUT"`, `if the role shall write there, name it: "$OUT/**"`},
		{"NeverDangles", []string{"l -> nowhere"}, `never_writes = ["l"]`, 2,
			`never_writes "l" leads nowhere: lstat $ROOT/nowhere: no such file or directory`, mend},
		{"NeverOfAFIFO", []string{"p |"}, `never_writes = ["p"]`, 2, `never_writes "p" is neither a file nor a directory`, filesOnly},
		{"NeverTreeOfAFile", nil, `never_writes = ["NOTES.md/**"]`, 2,
			`never_writes "NOTES.md/**": NOTES.md is a file, not a directory`, `write "NOTES.md"`},
	})
}

// A directory that a role has closed is no grant of whatever is in it, and the
// person is told which and how it is opened again.
func TestCannotBeLookedAt(t *testing.T) {
	if os.Getuid() == 0 {
		return // root looks everywhere; the second run tests it
	}
	const cannot = `: "$ROOT/closed/in" cannot be looked at: permission denied`
	for _, tt := range []refusal{
		{name: "Writes", policy: `writes = ["closed/in/**"]`, line: 2, msg: `writes "closed/in/**"` + cannot},
		{name: "NeverWrites", policy: "writes = ['closed/**']\nnever_writes = ['closed/in/f']", line: 3, msg: `never_writes "closed/in/f"` + cannot},
		{name: "Keys", policy: "[keys]\ndir = 'closed/in'\n[roles.dev]\n", line: 2, msg: `[keys] dir "closed/in"` + cannot},
		{name: "Scratch", policy: "[runtime]\nwrites = ['$ROOT/closed/in']\n[roles.dev]\n", line: 2, msg: `scratch "$ROOT/closed/in"` + cannot},
		{name: "ThroughALink", make: []string{"l -> closed/in"}, policy: `writes = ["l/**"]`, line: 2, msg: `writes "l/**"` + cannot},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, "closed/in/f")
			if err := os.Chmod(g.root+"/closed", 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(g.root+"/closed", 0o700) })
			tt.hint = `chmod u+rwx "$ROOT/closed"`
			tt.check(t, g)
		})
	}
	g := newGround(t)
	g.make(t, "closed/x.sqlite")
	if err := os.Chmod(g.root+"/closed", 0o400); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(g.root+"/closed", 0o700) })
	_, err := lookAt(g.root + "/closed/x.sqlite-wal")
	if e, ok := errors.AsType[*ClosedError](err); !ok || g.fold(e.Error()) != `"$ROOT/closed/x.sqlite-wal" cannot be looked at: permission denied` || g.fold(e.Hint()) != `chmod u+rwx "$ROOT/closed"` {
		t.Errorf("got «%v», want that it cannot be looked at", err)
	}
}

func TestRefusedError(t *testing.T) {
	for _, tt := range []struct {
		line int
		want string
	}{
		{7, `/r/seisin.toml:7: role "dev": no`},
		{0, `/r/seisin.toml: role "dev": no`},
	} {
		e := &RefusedError{Path: "/r/seisin.toml", Line: tt.line, Role: "dev", Msg: "no", Fix: "do"}
		if e.Error() != tt.want || e.Hint() != "do" {
			t.Errorf("got «%s», «%s», want «%s», «do»", e.Error(), e.Hint(), tt.want)
		}
	}
}

// the home is not granted, also where this tool's own files are not what
// keeps it closed.
func TestHomeIsNeverGranted(t *testing.T) {
	const holds = ` holds the home directory, or this tool's own files`
	for _, tt := range []refusal{
		{policy: "[roles.dev]\nwrites = ['$HOME/**']\n", line: 2, msg: `writes "$HOME/**"` + holds, hint: nothingAbove},
		{policy: "[roles.dev]\n[runtime]\nwrites = ['$HOME']\n", line: 3, msg: `scratch "$HOME"` + holds, hint: "name a directory below it"},
		{policy: "[roles.dev]\n[runtime]\nwrites = ['~/me']\n", make: []string{"$HOME/me -> ."}, line: 3,
			msg: `scratch "~/me"` + holds, hint: "name a directory below it"},
	} {
		g := newGround(t)
		g.setenv(t, map[string]string{"HOME": "$HOME", "XDG_STATE_HOME": "$OUT/s", "XDG_CONFIG_HOME": "$OUT/c"})
		tt.check(t, g)
	}
}
