package escapes

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/threat-model.md")

const preface = `<!-- printed by: go test ./internal/escapes -update -->

# Threat model

Somebody in a box means harm: an agent that was talked into it, or what it
fetched and ran. They know all of this. They have the role's territory, scratch
and private /tmp, all that the person can read and that is not hidden, any
program on the machine, and time; they may leave files for the next run, and
work together with other boxes. Whoever wrote the policy of a clone may mean
harm too, and may name in it what they like.

Trusted are the kernel, the person who starts the tool and what they run outside
of boxes, and this program. What a box wrote and a person then runs, runs as that
person: no box stands around it. What counts as a fault of ours, and how to
report one, is in [SECURITY.md](../SECURITY.md).

Each row is an attack, what holds it, and the tests that show it. Tests of boxes
try it on a real kernel, as root and as an ordinary user, with a control that
shows in the same run that it works where the wall is not. What nothing holds,
or not whole, has a word for it:

* **residual**: open, and why that is borne;
* **not in this version**: the wall, or what it would be built around, is to come;
* **cannot apply**: there is nothing here for it to be tried on.

The tests of package *native* are in internal/sandbox/native, those of
*git-seisin* in git-seisin, the others in internal. A name after a slash is a
case of the test, or a script in testdata/script.
`

// document prints the table.
func document() string {
	var b strings.Builder
	b.WriteString(preface)
	for _, p := range table {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| | attack | held by | tests |\n|---|---|---|---|\n", p.title, p.intro)
		for _, r := range p.rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.id, r.attack, holder(r), strings.Join(quoted(r.tests), ", "))
		}
	}
	return b.String()
}

func holder(r row) string {
	if r.note == "" {
		return r.held
	}
	kind, why, _ := strings.Cut(r.note, ": ")
	note := fmt.Sprintf("**%s**: %s", kind, why)
	if r.held == "" {
		return note
	}
	return r.held + ". " + note
}

func quoted(names []string) (quoted []string) {
	for _, n := range names {
		quoted = append(quoted, "`"+n+"`")
	}
	return quoted
}

// docs/threat-model.md is what the table says.
func TestDocumentIsTheTables(t *testing.T) {
	name := filepath.Join(root, "docs", "threat-model.md")
	if *update {
		if err := os.WriteFile(name, []byte(document()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != document() {
		t.Errorf("%s is not what the table says; print it by go test ./internal/escapes -update", name)
	}
}
