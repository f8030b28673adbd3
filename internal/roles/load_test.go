package roles

import (
	"strings"
	"testing"
)

// Limits keep a small file from costing gigabytes.
func TestLimits(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"Size", strings.Repeat("# size\n", MaxSize/7+1), "seisin.toml:1: the file is larger than 4194304 bytes"},
		{"LongKey", "\n" + strings.Repeat("k", maxKeyLen+1) + " = 1\n", "seisin.toml:2: a key is longer than any of a policy is"},
		{"LongQuotedKey", "['" + strings.Repeat("k", maxKeyLen+1) + "']\n", "seisin.toml:1: a key is longer than any of a policy is"},
		{"ManyKeys", strings.Repeat("k = 1\n", maxKeys+1), "seisin.toml:50001: more keys than a policy can need"},
		{"DeepInTables", dev + "x = " + strings.Repeat("[", 1<<20), "seisin.toml:2: lists and tables are nested deeper than a policy can need"},
		{"LongTable", "[" + strings.Repeat("k", maxKeyLen) + "]\nk = 1\n", "seisin.toml:2: a key is longer than any of a policy is"},
		{"ManyPartsInAll", "[a.b.c.d.e.f.g.h]\ni.j.k.l.m.n.o.p = 1\nq.r.s.t.u.v.w.x.y = 1\n", "seisin.toml:3: a key has more parts than any of a policy has"},
		{"ManyDots", strings.Repeat("a.", 1<<20) + "a = 1", "seisin.toml:1: more keys than a policy can need"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse(FileName, []byte(tt.in)); err == nil || err.Error() != tt.want {
				t.Errorf("Parse() error = «%v», want «%s»", err, tt.want)
			}
		})
	}
	if _, err := Parse(FileName, []byte("#"+strings.Repeat(" ", MaxSize-1))); err != nil {
		t.Errorf("a file of %d bytes: %v", MaxSize, err)
	}
}

func TestRefuseText(t *testing.T) {
	const shape = "a policy is made of [tables] with keys and lists of strings"
	refuse(t, []refusal{
		{"UTF16", "\xff\xfea\x00", "seisin.toml:1: the file is UTF-16, by its byte-order mark (BOM)", isUTF8},
		{"UTF16BE", "\xfe\xff\x00a", "seisin.toml:1: the file is UTF-16, by its byte-order mark (BOM)", isUTF8},
		{"LateByte", "#\n#\n# \xc3(\n", "seisin.toml:3: the byte 0xc3 is not UTF-8", isUTF8},
		{"NUL", "#\n# \x00\n", "seisin.toml:2: the line holds the control character U+0000", "remove it"},
		{"Escape", "# \x1b[2J\n", "seisin.toml:1: the line holds the control character U+001B", "remove it"},
		{"LoneCR", "[roles.dev]\rwrites = []\n", "seisin.toml:1: the line holds the control character U+000D", "remove it"},
		{"KeyWithEscape", dev + "\"wri\\u0074es\" = []\n", "seisin.toml:2: a key is written with an escape", shape},
		{"Deep", "\nx = [[[[[[[[[[[[[[[[[[[[\n", "seisin.toml:2: lists and tables are nested deeper than a policy can need", shape},
		{"DeepTables", "x = {x={x={x={x={x={x={x={x={x={x={x={x={x={x={x={x={x={x={\n", "seisin.toml:1: a key has more parts than any of a policy has", shape},
		{"ManyParts", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q = 1\n", "seisin.toml:1: a key has more parts than any of a policy has", shape},
		{"ListOfTables", "[[roles]]\nname = 'dev'\n", "seisin.toml:1: [[roles]] is a list of tables, which no key of a policy is", "write [roles.NAME] for each role"},
		{"ListOfInlineTables", dev + "writes = [\n  {a = 1},\n]\n", "seisin.toml:3: roles.dev: writes: this is a table where a string belongs", "write a string in quotes"},
		{"ListInList", dev + "writes = [\n  ['a'],\n]\n", "seisin.toml:3: roles.dev: writes: this is a list where a string belongs", "write a string in quotes"},
		{"Date", dev + "timeout = 1979-05-27\n", "seisin.toml:2: roles.dev: timeout: a date or time where a string belongs",
			`write a number and a unit, such as "90s", "30m" or "2h"; without the key there is no limit`},
		{"BooleanInList", dev + "env = [true]\n", "seisin.toml:2: roles.dev: env: true is a boolean where a string belongs", `write "true"`},
		{"FloatInList", dev + "env = [1.5]\n", "seisin.toml:2: roles.dev: env: 1.5 is a float where a string belongs", `write "1.5"`},
		{"RangeOfInteger", dev + "ports = [99999999999999999999]\n", "seisin.toml:2: roles.dev.ports: 99999999999999999999 is out of range for int64", ""},
	})
}

// What is quoted in a message is quoted whole only where it is short: the file
// may be megabytes of one string.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("x", 100000)
	for _, in := range []string{
		dev + "writes = '" + long + "'",
		dev + "writes = ['*" + long + "']",
		dev + "git = '" + long + "'",
		dev + "timeout = '" + long + "'",
		dev + "network = ['@" + long + "']",
		"[runtime]\nisolate = '" + long + "'",
		"[audit]\ntrace = '" + long + "'",
		dev + "ports = ['" + long + "']",
		dev + "network = ['a:" + long + "']",
		dev + "env = ['a=" + long + "']",
		dev + "writes = ['" + long + "/*']",
		dev + "writes = ['/" + long + "/../*']",
		dev + "writes = [' " + long + "']",
		dev + "writes = ['{" + strings.Repeat("x,", 40) + "}']",
		dev + "network = ['[" + long + "]x']",
		dev + "network = ['" + long + "']",
		dev + "network = ['http://" + long + "']",
		dev + "keys = ['" + long + "/..']",
		dev + "reads = ['/" + long + "/']",
		dev + long + " = 1",
		dev + "writes = ['" + long + "', '" + long + "']",
		dev + "writes = " + long,
	} {
		_, err := Parse(FileName, []byte(in))
		if err == nil {
			t.Errorf("Parse(%.40q…): no error", in)
			continue
		}
		if n := len(err.Error()) + len(err.(*SyntaxError).Hint()); n > 2000 {
			t.Errorf("Parse(%.40q…): message and hint of %d bytes", in, n)
		}
	}
}
