package sandbox

import (
	"fmt"
	"strings"
	"testing"
)

// specOf makes a spec of lines such as "write /r/src" or "closed /r/f file". A
// grant's rule is its list and its path, so that a test can tell who decided.
func specOf(t testing.TB, lines ...string) Spec {
	t.Helper()
	s := Spec{Role: "dev", Key: "dev", Root: "/r", RootID: "abcdefgh", Cwd: "/r"}
	for _, line := range lines {
		words := strings.Fields(line)
		list := listOf(&s, words[0])
		if list == nil || len(words) < 2 {
			t.Fatalf("no grant: %q", line)
		}
		g := Grant{Path: words[1], Kind: Dir, Part: Territory, Rule: words[0] + " " + words[1]}
		if len(words) > 2 {
			g.Kind = Kind(words[2])
		}
		*list = append(*list, g)
	}
	s.Normalize()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// listNames are the lists that mounts are made of.
var listNames = []string{"skeletons", "entries", "private", "shown", "write", "closed", "hidden", "read"}

func listOf(s *Spec, name string) *[]Grant {
	switch name {
	case "private":
		return &s.Private
	case "skeletons":
		return &s.Skeletons
	case "entries":
		return &s.Entries
	case "shown":
		return &s.Shown
	case "write":
		return &s.Write
	case "closed":
		return &s.Closed
	case "hidden":
		return &s.Hidden
	case "read":
		return &s.Read
	}
	return nil
}

// show writes a plan down, a line a mount, without those that every box has.
func show(p Plan) string {
	var b strings.Builder
	for _, m := range p.Mounts {
		if Builtin(m.Path) {
			continue
		}
		fmt.Fprintf(&b, "%s %s", m.Path, m.Mode)
		for _, word := range []struct {
			is   bool
			text string
		}{{m.Own, " own"}, {m.Pin, " pin"}, {m.Kind == File, " file"}} {
			if word.is {
				b.WriteString(word.text)
			}
		}
		if m.Gone != Wait {
			fmt.Fprintf(&b, " %s", m.Gone)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
