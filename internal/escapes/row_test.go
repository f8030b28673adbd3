package escapes

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A row is one attack, or several that are the same here.
type row struct {
	id     string   // its number, or numbers
	attack string   // what somebody tries, in one sentence
	held   string   // what holds it; empty if nothing does, or need to
	tests  []string // package.Test or package.Test/Case, what shows that it is held
	note   string   // what stays, beginning with one of notes
}

// notes are how a note begins. A row without a test has one.
var notes = []string{
	"residual: ",            // open, and why that is borne
	"not in this version: ", // the wall, or what it would be built around, is to come
	"cannot apply: ",        // there is nothing here for it to be tried on
}

// A part of the table is a section of the document.
type part struct {
	title, intro string
	rows         []row
}

var table = []part{
	{"Processes, files and the kernel (F)", "What was found when the parts of the box were tried on a kernel.", kernel},
	{"Mounts (LX)", "What mounts do and do not do.", mounts},
	{"What the host executes (ATT)", "Files by which a box would act outside, later, through the person's own programs.", host},
	{"Probes (P)", "Ways out that any sandbox is tried by.", probes},
	{"And (S)", "What is in none of these lists.", others},
}

// numbered are the numbers that each list of attacks has.
var numbered = []struct {
	prefix string
	last   int
	more   []string // numbers with a letter
}{
	{"F", 31, nil},
	{"LX-", 11, nil},
	{"ATT-", 16, []string{"1b", "5c", "5d", "9b"}},
	{"SD-", 0, []string{"11", "12"}},
	{"P-", 33, nil},
	{"S-", len(others), nil},
}

func rows() (all []row) {
	for _, p := range table {
		all = append(all, p.rows...)
	}
	return all
}

// ids returns the numbers of a row: "ATT-6, ATT-7" are two.
func (r row) ids() []string { return strings.Split(r.id, ", ") }

func TestEveryNumberStandsInTheTable(t *testing.T) {
	want := map[string]bool{}
	for _, n := range numbered {
		for i := range n.last {
			want[n.prefix+strconv.Itoa(i+1)] = true
		}
		for _, m := range n.more {
			want[n.prefix+m] = true
		}
	}
	for _, r := range rows() {
		for _, id := range r.ids() {
			if !want[id] {
				t.Errorf("%s stands in the table twice, or is no number", id)
			}
			delete(want, id)
		}
	}
	for id := range want {
		t.Errorf("%s does not stand in the table", id)
	}
}

// A row says what holds the attack and by which test that is known, or why
// nothing does.
func TestRowsAreWhole(t *testing.T) {
	for _, r := range rows() {
		known := slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(r.note, n) && len(r.note) > len(n) })
		switch {
		case r.attack == "":
			t.Errorf("%s tells no attack", r.id)
		case r.note != "" && !known:
			t.Errorf("%s: the note %q begins with none of %q", r.id, r.note, notes)
		case len(r.tests) == 0 && r.note == "":
			t.Errorf("%s has neither a test nor a reason", r.id)
		case (len(r.tests) > 0) != (r.held != ""):
			t.Errorf("%s: held %q by %d tests, want both or neither", r.id, r.held, len(r.tests))
		case strings.Contains(r.attack+r.held+r.note, "|") || strings.HasSuffix(r.attack+r.held, "."):
			t.Errorf("%s: a bar would end the cell, and a phrase has no full stop", r.id)
		}
	}
}

// Every test that the table names is in the tree.
func TestNamedTestsExist(t *testing.T) {
	known := map[string]*testPackage{}
	for _, r := range rows() {
		for _, name := range r.tests {
			pkg, test, ok := strings.Cut(name, ".")
			dir := directories[pkg]
			if !ok || dir == "" {
				t.Errorf("%s: %q names no package of %v", r.id, name, directories)
				continue
			}
			if known[dir] == nil {
				known[dir] = parseTests(t, dir)
			}
			if err := known[dir].has(test); err != nil {
				t.Errorf("%s: %s: %v", r.id, name, err)
			}
		}
	}
	// The control: what does not exist is found out.
	for _, absent := range []string{"TestNone", "TestInside/None", "TestFilterInKernel/"} {
		if known[directories["native"]].has(absent) == nil {
			t.Errorf("%s exists, want an error", absent)
		}
	}
}
