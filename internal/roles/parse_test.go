package roles

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// promises says which promise of [Policy] and its parts p breaks.
func promises(p *Policy) error {
	folded := make(map[string]bool)
	for _, r := range p.Roles {
		if bad := checkName(r.Name); bad != nil || folded[strings.ToLower(r.Name)] {
			return fmt.Errorf("role %q", r.Name)
		}
		folded[strings.ToLower(r.Name)] = true
		for _, w := range slices.Concat(r.Writes, r.NeverWrites) {
			if broken := keeps(w); broken != "" || w.Line < 1 {
				return fmt.Errorf("pattern %+v: %s", w, broken)
			}
		}
		for _, w := range r.NeverWrites {
			if w.Abs || w.Path == "." {
				return fmt.Errorf("never_writes %+v", w)
			}
		}
		for _, t := range slices.Concat(r.Reads, r.Sockets) {
			if !place(t) {
				return fmt.Errorf("place %+v", t)
			}
		}
		for _, t := range r.Keys {
			if len(p.Keys.Dirs) == 0 || t.Value != path.Clean(t.Value) || strings.HasPrefix(t.Value, "../") || t.Value == ".." || t.Value == "." {
				return fmt.Errorf("key %+v", t)
			}
		}
		for _, t := range r.Env {
			if !variable(t.Value) {
				return fmt.Errorf("variable %+v", t)
			}
		}
		for _, port := range r.Ports {
			if port.Host == 0 || port.Box == 0 || !port.Exact && port.Host != port.Box {
				return fmt.Errorf("port %+v", port)
			}
		}
		if !slices.Contains([]string{"commit", "read", "none"}, r.Git) || r.Timeout < 0 || (r.Timeout > 0) != (r.TimeoutLine > 0) {
			return fmt.Errorf("role %+v", r)
		}
		if (r.CommandLine > 0) != (len(r.Command) > 0 && r.Command[0] != "") {
			return fmt.Errorf("command %q", r.Command)
		}
	}
	for _, d := range slices.Concat(append([][]Dest{p.Network.Allow}, networks(p)...)...) {
		if err := dest(d); err != nil {
			return err
		}
	}
	for _, t := range p.Runtime.Writes {
		if t.Value != "$TMPDIR" && !place(t) || p.Runtime.Isolate == IsolateHome {
			return fmt.Errorf("scratch %+v", t)
		}
	}
	for _, t := range p.Keys.Dirs {
		if t.Value != path.Clean(t.Value) || t.Value == "." || t.Value == "/" || strings.HasPrefix(t.Value, "..") && !strings.HasPrefix(t.Value, "...") && t.Value[:2] == t.Value {
			return fmt.Errorf("key directory %+v", t)
		}
	}
	return nil
}

func networks(p *Policy) (lists [][]Dest) {
	for _, r := range p.Roles {
		lists = append(lists, r.Network)
	}
	return lists
}

func place(t Text) bool {
	return t.Line > 0 && t.Value == path.Clean(t.Value) && !strings.Contains("/"+t.Value+"/", "/../") &&
		(strings.HasPrefix(t.Value, "~/") || len(t.Value) > 1 && t.Value[0] == '/')
}

func dest(d Dest) error {
	lower := d.Name == strings.ToLower(d.Name) && isASCII(d.Name) && !strings.HasSuffix(d.Name, ".")
	ports := len(d.Ports) > 0 && !slices.Contains(d.Ports, 0)
	switch d.Kind {
	case KindSet:
		ports = len(d.Ports) == 0
	case KindLocalhost:
		ports = len(d.Ports) == 1 && ports && d.Name == "localhost"
	case KindWildcard:
		lower = lower && strings.HasPrefix(d.Name, "*.")
	case KindName:
		lower = lower && !strings.ContainsAny(d.Name, "*@:/ ")
	case KindIP:
	default:
		ports = false
	}
	if !lower || !ports || d.Line < 1 {
		return fmt.Errorf("destination %+v", d)
	}
	return nil
}

// FuzzParse looks for a file that parses into a policy that breaks a promise,
// or that is read in two ways.
func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	for _, line := range strings.SplitAfter(full, "\n") {
		f.Add([]byte(dev + line))
		f.Add([]byte("[runtime]\n" + line))
	}
	f.Add([]byte("roles = { dev = { writes = ['src/'], network = ['bücher.test:1', '[::1]'] } }"))
	f.Add([]byte("[roles]\ndev.writes = ['**']\n[keys]\ndir = 'k'\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(FileName, data)
		again, err2 := Parse(FileName, data)
		if !reflect.DeepEqual(p, again) || !reflect.DeepEqual(err, err2) {
			t.Fatalf("Parse(%q) gives two answers", data)
		}
		if err != nil {
			checkError(t, string(data), err)
			return
		}
		if err := promises(p); err != nil {
			t.Fatalf("Parse(%q): broken promise: %v", data, err)
		}
		for i := range p.Roles {
			if r, err := p.Find(p.Roles[i].Name); err != nil || r != &p.Roles[i] {
				t.Fatalf("Find(%q) = %v, %v", p.Roles[i].Name, r, err)
			}
		}
	})
}

func checkError(t interface{ Fatalf(string, ...any) }, text string, err error) {
	bad, ok := errors.AsType[*SyntaxError](err)
	lines := strings.Count(text, "\n") + 1
	switch {
	case !ok:
		t.Fatalf("Parse(%q) error = %#v, want a *SyntaxError", text, err)
	case bad.Line < 1 || bad.Line > lines:
		t.Fatalf("Parse(%q): line %d of %d", text, bad.Line, lines)
	case strings.HasSuffix(bad.Msg, ".") || strings.ContainsFunc(bad.Msg, hidden) || bad.Msg == "":
		t.Fatalf("Parse(%q) says %q", text, bad.Msg)
	case strings.Contains(bad.Hint(), "report this"):
		t.Fatalf("Parse(%q): %v", text, err) // not the person's mistake
	}
}

// However a file is broken, the error says in which line.
func TestErrorsHaveLines(t *testing.T) {
	broken := 0
	rapid.Check(t, func(t *rapid.T) {
		text := full
		for range rapid.IntRange(1, 3).Draw(t, "edits") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			n := rapid.SampledFrom([]int{0, 1, 1, 2, 10}).Draw(t, "cut")
			in := rapid.SampledFrom([]string{
				"", "", "x", "\"", "'", "[", "]", "{", "}", "=", ",", ".", "#", "\n", "\r", "\\", "\x00", "\xff", "é", "'''", "*", "/", "~", "-", "1", " ",
			}).Draw(t, "in")
			text = text[:at] + in + text[min(len(text), at+n):]
		}
		if _, err := Parse(FileName, []byte(text)); err != nil {
			broken++
			checkError(t, text, err)
		}
	})
	if broken < 20 {
		t.Errorf("%d texts were refused, want most", broken)
	}
}

// An error stands in the line that was broken: each line in turn is preceded by
// a key that nobody knows.
func TestErrorLine(t *testing.T) {
	lines := strings.SplitAfter(full, "\n")
	inList := false
	for i, l := range lines {
		text := strings.Join(lines[:i], "") + "zzzzz = 1\n" + strings.Join(lines[i:], "")
		_, err := Parse(FileName, []byte(text))
		if err == nil {
			t.Fatalf("with an unknown key before %q the file is accepted", l)
		}
		checkError(t, text, err)
		if got := err.(*SyntaxError).Line; got != i+1 && !inList {
			t.Errorf("error in line %d, want %d: %v", got, i+1, err)
		}
		// Within a list the line breaks the list.
		if _, value, ok := strings.Cut(l, "= ["); ok {
			inList = !strings.Contains(value, "]")
		} else if strings.HasSuffix(l, "]\n") {
			inList = false
		}
	}
}

// work is how long f takes, the shortest of a few times.
func work(f func()) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 3 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

// Ten times the text is ten times the work, whatever the text. Quadratic would
// be a hundred.
func TestParseIsLinear(t *testing.T) {
	repeat := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	const n = 1000
	for _, tt := range []struct {
		name string
		ok   bool
		text func(n int) string
	}{
		{"RolesAndPatterns", true, func(n int) string {
			return repeat("[roles.r%d]\nwrites = [\n 'a/**', 'b/', 'c', 'd', 'e/f/**',\n 'g', 'h', 'i', 'j', 'k']\n", n/20)
		}},
		{"PatternsOfOneRole", true, func(n int) string { return dev + "writes = [\n" + repeat("'src/p%d/**',\n", n/2) + "]\n" }},
		{"Destinations", true, func(n int) string { return dev + "network = [\n" + repeat("'*.h%d.example.com',\n", n/20) + "]\n" }},
		{"UnclosedArray", false, func(n int) string { return dev + "writes = [\n" + repeat("'src/p%d/**',\n", n*10) }}, // UA-11: 100,000 lines
		{"UnclosedString", false, func(n int) string { return dev + "writes = ['''\n" + repeat("src/p%d/**\n", n*5) }},
		{"UnclosedTables", false, func(n int) string { return "roles = {" + repeat("r%d = {writes = ['a']},", n/4) }},
		{"KeysOfOneTable", false, func(n int) string { return dev + repeat("k%d = 1\n", n) }},
		{"KeyTwiceAtTheEnd", false, func(n int) string { return repeat("[roles.r%d]\n", n) + "[roles.r0]\n" }},
		{"CaseOnlyAtTheEnd", false, func(n int) string { return repeat("[roles.r%d]\n", n) + "[roles.R0]\n" }},
		{"Backslashes", false, func(n int) string { return dev + "writes = [\"\"\"" + strings.Repeat("\\\n", n*5) + "\"\"\"]\n" }},
		{"Quotes", false, func(n int) string { return dev + "writes = " + strings.Repeat("'", n*5) }},
		{"Globs", false, func(n int) string { return dev + "writes = ['" + strings.Repeat("{a,b}/", n*5) + "']" }},
		{"Dots", false, func(n int) string { return dev + "writes = ['" + strings.Repeat("../", n*5) + "']" }},
		{"Labels", false, func(n int) string { return dev + "network = ['" + strings.Repeat("a.", n*5) + "']" }},
		{"Letters", false, func(n int) string { return dev + "network = ['" + strings.Repeat("ü", n) + "']" }},
		{"DistinctLetters", false, func(n int) string {
			var b strings.Builder
			for i := range n {
				b.WriteRune('一' + rune(i))
			}
			return dev + "network = ['" + b.String() + ".test']"
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			small, large := []byte(tt.text(n)), []byte(tt.text(10*n))
			if len(large) > MaxSize {
				t.Fatalf("the text of %d bytes is refused for its size alone", len(large))
			}
			run := func(text []byte) func() {
				return func() {
					if _, err := Parse(FileName, text); (err == nil) != tt.ok {
						t.Fatalf("error = %v", err)
					}
				}
			}
			var ratio float64
			for range 5 { // a busy machine is not our doing
				if ratio = float64(work(run(large))) / float64(work(run(small))); ratio < 30 {
					t.Logf("ratio %.1f", ratio)
					return
				}
			}
			t.Errorf("10 times the text takes %.0f times as long, want about 10", ratio)
		})
	}
}

func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "[roles.r%d]\nwrites = [\n 'a/**', 'b/', 'c', 'd', 'e/f/**',\n 'g', 'h', 'i', 'j', 'k']\n", i)
	}
	for _, bb := range []struct{ name, text string }{{"Full", full}, {"1000Roles", text.String()}} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(FileName, []byte(bb.text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
