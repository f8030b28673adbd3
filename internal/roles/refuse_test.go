package roles

import (
	"errors"
	"testing"
)

// refusal is a text and the whole of what people read about it.
type refusal struct{ name, in, err, hint string }

func refuse(t *testing.T, tests []refusal) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Helper()
			p, err := Parse(FileName, []byte(tt.in))
			bad, ok := errors.AsType[*SyntaxError](err)
			if !ok {
				t.Fatalf("Parse(%q) = %+v, %v, want a *SyntaxError", tt.in, p, err)
			}
			if got := bad.Error(); got != tt.err {
				t.Errorf("Parse(%q) error =\n\t«%s», want\n\t«%s»", tt.in, got, tt.err)
			}
			if got := bad.Hint(); got != tt.hint {
				t.Errorf("Parse(%q) hint =\n\t«%s», want\n\t«%s»", tt.in, got, tt.hint)
			}
		})
	}
}

const (
	dev     = "[roles.dev]\n"
	devW    = dev + "writes = [\"src/api/**\"]\n"
	keepTwo = "keep one of the two, with everything that is meant to hold"
	isUTF8  = "save the file as UTF-8 without a byte-order mark"
)

// Case C11: a mistake must not pass for a narrower or a wider policy. The names
// are the case's; that "empty" does not run is TestParseEmpty's.
func TestC11(t *testing.T) {
	refuse(t, []refusal{
		{"key-typo", dev + "write = [\"src/api/**\"]\n",
			`seisin.toml:2: roles.dev: unknown key "write"`, `did you mean "writes"?`},
		{"table-typo", "[role.dev]\nwrites = []\n",
			`seisin.toml:1: unknown table "role"`, `did you mean "roles"?`},
		{"misnested", "isolate = \"home\"\n" + devW,
			`seisin.toml:1: unknown key "isolate"`, `"isolate" belongs to [runtime]`},
		{"level", "[runtime]\nisolate = \"credential\"\n" + devW,
			`seisin.toml:2: runtime: isolate: "credential" is not a level of isolation`, `did you mean "credentials"?`},
		{"extra", devW + "network_allow = []\n",
			`seisin.toml:3: roles.dev: unknown key "network_allow"`, `here it is called "network"`},
		{"string", dev + "writes = \"src/api/**\"\n",
			`seisin.toml:2: roles.dev: writes: a string where a list belongs`, `write writes = ["src/api/**"]`},
		{"mixed", dev + "writes = [\"src/api/**\", 3]\n",
			`seisin.toml:2: roles.dev: writes: 3 is an integer where a string belongs`, `write "3"`},
		{"nokey", devW + "keys = [\"gone.key\"]\n",
			`seisin.toml:3: roles.dev: keys: "gone.key" is listed, and the file has no key directory`, `write [keys] and below it dir = ".secrets"`},
		{"dup-key", dev + "writes = []\nwrites = [\"src/api/**\"]\n",
			`seisin.toml:3: "roles.dev.writes" is written twice, first in line 2`, keepTwo},
		{"dup-table", dev + "writes = []\n[roles.qa]\nwrites = []\n" + devW,
			`seisin.toml:5: "roles.dev" is written twice, first in line 1`, keepTwo},
		{"inline-again", "roles = {dev = {writes = []}}\n" + devW,
			`seisin.toml:2: [roles.dev] adds to "roles", which line 1 has written already`, keepTwo},
		{"dotted", "roles.dev.writes = []\n" + devW,
			`seisin.toml:2: [roles.dev] adds to "roles", which line 1 has written already`, keepTwo},
		{"escape-key", "[keys]\ndir = \".secrets\"\n" + devW + "keys = [\"../seisin.toml\"]\n",
			`seisin.toml:5: roles.dev: keys: "../seisin.toml" holds ".."`, "name a file in a key directory"},
		{"latin1", "# \351\n" + devW,
			"seisin.toml:1: the byte 0xe9 is not UTF-8", isUTF8},
		{"cut", dev + "writes = [\"src/api/**\"",
			"seisin.toml:2: roles.dev.writes: what begins here is never closed", "add the closing bracket or quotes"},
		{"ok-bom", "\357\273\277" + devW,
			"seisin.toml:1: the file begins with a byte-order mark (BOM)", isUTF8},
	})
}

// UA-11, but for what the format of our own does not have: TOML has escapes.
func TestUA11(t *testing.T) {
	const comma = `separate the strings of a list by commas, and close it with "]"`
	refuse(t, []refusal{
		{"KeyThenTable", "[roles]\ndev = 1\n" + dev,
			`seisin.toml:3: [roles.dev] adds to "roles.dev", which line 2 has written already`, keepTwo},
		{"TableThenKey", dev + "[roles]\ndev = {}\n",
			`seisin.toml:3: "roles.dev" is written twice, first in line 1`, keepTwo},
		{"TableThenDottedKey", dev + "[roles]\ndev.writes = []\n",
			`seisin.toml:3: "roles.dev.writes" adds to "roles.dev", which line 1 has written already`, keepTwo},
		{"Reserved1", "[roles.__proto__]\n", `seisin.toml:1: roles: the name "__proto__" is reserved`, "choose another name"},
		{"Reserved2", "[roles.prototype]\n", `seisin.toml:1: roles: the name "prototype" is reserved`, "choose another name"},
		{"Reserved3", "[roles.constructor]\n", `seisin.toml:1: roles: the name "constructor" is reserved`, "choose another name"},
		{"DottedName", "[roles.mimo-v2.5]\n",
			`seisin.toml:1: roles: the name "mimo-v2.5" holds a dot, which begins a table in a table`, "write [roles.mimo-v2-5]"},
		{"DottedNameBesideItsStem", "[roles.mimo-v2]\n[roles.mimo-v2.5]\n",
			`seisin.toml:2: roles: the name "mimo-v2.5" holds a dot, which begins a table in a table`, "write [roles.mimo-v2-5]"},
		{"DottedNameDeep", "[roles.a.b.c]\nwrites = []\n",
			`seisin.toml:1: roles: the name "a.b.c" holds a dot, which begins a table in a table`, "write [roles.a-b-c]"},
		{"DottedNameInKey", "roles.mimo-v2.5.writes = []\n",
			`seisin.toml:1: roles: the name "mimo-v2.5" holds a dot, which begins a table in a table`, "write [roles.mimo-v2-5]"},
		{"DottedNameQuoted", "[roles.'mimo-v2.5']\n",
			`seisin.toml:1: roles: the name "mimo-v2.5" holds more than letters, digits, - and _`, "write [roles.mimo-v2-5]"},
		{"CaseOnly", dev + "[roles.Dev]\n",
			`seisin.toml:2: roles.Dev: differs only in case from the role "dev" in line 1`, "rename one of them"},
		{"KeyInOtherCase", dev + "writes = []\nWrites = []\n",
			`seisin.toml:3: roles.dev: unknown key "Writes"`, `did you mean "writes"?`},
		{"TableInOtherCase", "[Roles.dev]\n",
			`seisin.toml:1: unknown table "Roles"`, `did you mean "roles"?`},
		{"OpenString", dev + "writes = [\"a]\n",
			`seisin.toml:2: roles.dev.writes: strings cannot contain newlines`, "close the string's quotes on its own line"},
		{"OpenLongString", "\n" + dev + "writes = ['''a]\n\n",
			`seisin.toml:3: roles.dev.writes: what begins here is never closed`, "add the closing bracket or quotes"},
		{"OpenInlineTable", "[roles]\ndev = { writes = ['a'],\n\n",
			`seisin.toml:2: roles.dev.writes: what begins here is never closed`, "add the closing bracket or quotes"},
		{"MissingComma", dev + "writes = [\n  'a'\n  'b'\n]\n",
			`seisin.toml:4: roles.dev.writes: expected a comma (',') or array terminator (']'), but got '''`, comma},
		{"MissingBracket", dev + "writes = [\n  'a'\nenv = []\n",
			`seisin.toml:4: roles.dev.writes: expected a comma (',') or array terminator (']'), but got 'e'`, comma},
		{"LeadingComma", dev + "writes = [, 'a']\n",
			`seisin.toml:2: roles.dev.writes: unexpected comma`, "leave one comma between two strings of a list"},
		{"DoubleComma", dev + "writes = ['a',, 'b']\n",
			`seisin.toml:2: roles.dev.writes: unexpected comma`, "leave one comma between two strings of a list"},
		{"TextAfterValue", dev + "writes = ['a'] x\n",
			`seisin.toml:2: roles.dev: expected a top-level item to end with a newline, comment, or EOF, but got 'x' instead`, "put each key on a line of its own"},
		{"BareWord", dev + "git = read\n",
			`seisin.toml:2: roles.dev.git: expected value but found "read" instead`, "put strings in quotes; true, false and numbers stand bare"},
		{"BadEscape", dev + "writes = [\"src\\d\"]\n",
			`seisin.toml:2: roles.dev.writes: invalid escape in string '\d'`, `put the string in single quotes, where \ stands for itself`},
		{"EscapedLineEnd", dev + "writes = [\"src\\\n\"]\n",
			`seisin.toml:2: roles.dev.writes: invalid escape in string '\\n'`, `put the string in single quotes, where \ stands for itself`},
		{"EscapeThatDoesNotShow", dev + "writes = [\"src\\\u202e\"]\n",
			`seisin.toml:2: roles.dev.writes: invalid escape in string '\\u202e'`, `put the string in single quotes, where \ stands for itself`},
		{"NoValue", dev + "writes\n",
			`seisin.toml:2: roles.dev: expected '.' or '=', but got '\n' instead`, "a line is [table], or key = value"},
		{"NotABoolean", dev + "userns = \"yes\"\n",
			`seisin.toml:2: roles.dev: userns: a string where true or false belongs`, "write true or false, without quotes"},
		{"NotABoolean2", "[audit]\nrequired = 1\n",
			`seisin.toml:2: audit: required: an integer where true or false belongs`, "write true or false, without quotes"},
		{"NotABoolean3", dev + "sign = []\n",
			`seisin.toml:2: roles.dev: sign: a list where true or false belongs`, "write true or false, without quotes"},
		{"ControlFamily", dev + "control_files = ['instruction']\n",
			`seisin.toml:2: roles.dev: control_files: "instruction" is not known here`, `did you mean "instructions"?`},
		{"NearMissOutsideRoles", "[runtime]\nisolation = 'home'\n",
			`seisin.toml:2: runtime: unknown key "isolation"`, `did you mean "isolate"?`},
	})
}
