package roles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"pgregory.net/rapid"
)

// A document is TOML text together with what is to be found in it.
type document struct {
	strings.Builder
	want []entry // key, line and elems only
}

func (d *document) line() int { return 1 + strings.Count(d.String(), "\n") }

// value writes a value for the entry n.
func (d *document) value(t *rapid.T, n int, elem bool, depth int) {
	kind := rapid.IntRange(0, 3).Draw(t, "kind")
	if depth == 0 {
		kind = min(kind, 1)
	}
	gap := rapid.SampledFrom([]string{"", " ", "\t", "\n", " # c ] , }\n", "\r\n"})
	switch kind {
	case 0:
		d.WriteString(rapid.SampledFrom([]string{
			`'a'`, `"b\"c"`, "'''x\n'y'\n'''", "\"\"\"\n#[z]\\\n \"q\" \"\"\"", `''`, `""`, `"\\"`, `'#'`, `'=]'`, `'\'`,
			`""""""`, `''''''`, `""""a"""""`, "''''a'''''", "\"\"\"a\\\r\n b\"\"\"",
		}).Draw(t, "string"))
	case 1:
		d.WriteString(rapid.SampledFrom([]string{
			"1", "0x1F", "-3", "true", "1.5", "inf", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00", "07:32:00",
		}).Draw(t, "bare"))
	case 2:
		d.WriteString("[")
		for i := range rapid.IntRange(0, 3).Draw(t, "len") {
			if i > 0 {
				d.WriteString(",")
			}
			d.WriteString(gap.Draw(t, "before"))
			if !elem {
				d.want[n].elems = append(d.want[n].elems, d.line())
			}
			d.value(t, n, true, depth-1)
			d.WriteString(gap.Draw(t, "after"))
		}
		d.WriteString("]")
	case 3:
		d.WriteString("{")
		for i, k := range []string{"x", "'y z'", `"w"`}[:rapid.IntRange(0, 3).Draw(t, "keys")] {
			if i > 0 {
				d.WriteString(",")
			}
			d.WriteString(" ")
			d.pair(t, d.want[n].key, k, depth-1)
			d.WriteString(" ")
		}
		d.WriteString("}")
	}
}

func (d *document) pair(t *rapid.T, table []string, key string, depth int) {
	whole := slices.Concat(table, []string{strings.Trim(key, `'"`)})
	d.want = append(d.want, entry{key: whole, line: d.line()})
	d.WriteString(key + rapid.SampledFrom([]string{"=", " = ", "\t= "}).Draw(t, "equals"))
	d.value(t, len(d.want)-1, false, depth)
}

// The scanner finds what was written, where it was written, and in the order
// in which the library lists it.
func TestIndexProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d document
		var table []string
		eol := rapid.SampledFrom([]string{"\n", " # c\n", "\r\n", "\n\n#\n"})
		for i := range rapid.IntRange(0, 8).Draw(t, "lines") {
			if rapid.IntRange(0, 2).Draw(t, "header") == 0 {
				table = []string{fmt.Sprintf("t%d", i), "x.y"}
				d.want = append(d.want, entry{key: table, line: d.line()})
				fmt.Fprintf(&d, "[ t%d . 'x.y' ]", i)
			} else {
				d.pair(t, table, fmt.Sprintf("k%d", i), 3)
			}
			d.WriteString(eol.Draw(t, "eol"))
		}
		text := d.String()
		s := index(text)
		if s.over != "" || s.open != 0 {
			t.Fatalf("%q: over %q, open %d", text, s.over, s.open)
		}
		if len(s.entries) != len(d.want) {
			t.Fatalf("%q: %d entries, want %d", text, len(s.entries), len(d.want))
		}
		for i, got := range s.entries {
			want := d.want[i]
			if !slices.Equal(got.key, want.key) || got.line != want.line || !slices.Equal(got.elems, want.elems) {
				t.Fatalf("%q: entry %d = %q line %d elements %d, want %q line %d elements %d",
					text, i, got.key, got.line, got.elems, want.key, want.line, want.elems)
			}
		}
		if !agrees(t, text) {
			t.Fatalf("the library refuses %q", text)
		}
	})
}

// agrees checks that scanner and library find the same keys, and reports
// whether the library accepts the text at all.
func agrees(t interface{ Fatalf(string, ...any) }, text string) bool {
	var m map[string]any
	md, err := toml.Decode(text, &m)
	s := index(text)
	if err != nil || s.over != "" {
		return false
	}
	var want, got []string
	for _, k := range md.Keys() {
		want = append(want, fmt.Sprintf("%q", []string(k)))
	}
	for _, e := range s.entries {
		got = append(got, fmt.Sprintf("%q", e.key))
	}
	if !slices.Equal(want, got) {
		t.Fatalf("%q:\n got %s\nwant %s", text, got, want)
	}
	if s.open != 0 {
		t.Fatalf("%q: line %d is never closed", text, s.open)
	}
	return true
}

func TestIndexAgrees(t *testing.T) {
	for _, text := range []string{
		full, "", "\n", "a=1", "a = 1 # x", "a.b.c = 1\n[d]\ne.f = 2", "[[a]]\nb=1\n[[a]]\nb=2\n[a.c]\nd=3\n",
		"a = [{b=1},{b=2, c={d=[{e=1}]}}]", "\"\" = 1", "'' = {\"\" = 1}", "a = {\n b = 1, # }\n c = 2,\n}\n",
		"[ a ]\n[ a . b ]\n", "a = [\n[1,\n2],\n[3]]\n", "1979-05-27 = 1979-05-27 07:32:00 # x\n",
		"a = \"\"\"\\\"\"\"\"\"\"\n", "a = 'x\\'\n", "a = \"\\\\\"\nb = 1\n",
	} {
		if !agrees(t, text) {
			t.Errorf("the library refuses %q", text)
		}
	}
}

// Whatever the bytes, the scan comes to an end, within the text.
func FuzzIndex(f *testing.F) {
	for _, text := range []string{
		full, "x = [}", "x = {]", "x = {=}", "[", "[[", "]", "=", "x", "x=", "x = [[[", "x = \"\\", "x = \"\"\"\\", "\"", "'", "\"\\",
		"[\"a", "[a.", "a.", ".", "x = {a", "x = {a=", "x=[1 2]", "x = \"\\\n\"\n", "x='''", "[a]]=1", "x=[,]", "x=[#", "{", "a={b=1}}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > MaxSize || checkBytes(&node{}, []byte(text)) != nil {
			return
		}
		s := index(text)
		lines := strings.Count(text, "\n") + 1
		for _, e := range s.entries {
			if e.line < 1 || e.line > lines {
				t.Errorf("%q: %q in line %d of %d", text, e.key, e.line, lines)
			}
		}
		if s.line > lines || s.open > lines {
			t.Errorf("%q: ends in line %d, open %d, of %d", text, s.line, s.open, lines)
		}
		agrees(t, text)
	})
}
