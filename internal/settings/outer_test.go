package settings

import (
	"os"
	"os/exec"
	"testing"
)

// A repository that a role made in its territory, with a policy of its own, is
// obeyed by who runs from there. It is told, and whose it may be.
func TestPolicyInsideAnother(t *testing.T) {
	const lies = "0: this policy, $ROOT/src/seisin.toml, lies inside the work tree of another, $ROOT/seisin.toml"
	for _, tt := range []struct {
		name, outer string // "" is none
		inner       string
		notes       []string
	}{
		{"ARoleMayWriteIt", "[roles.a]\n[roles.planter]\nwrites = ['src/**']\n", "src", []string{lies + ", a role of which may write it: planter"}},
		{"ARoleThatLacksAVariable", "[roles.planter]\nwrites = ['src/**']\nenv = ['SEISIN_NONE']\n", "src", []string{lies + ", a role of which may write it: planter"}},
		{"NoRoleMay", "[roles.planter]\nwrites = ['docs/**']\n", "src", []string{lies}},
		{"NeverWrites", "[roles.planter]\nwrites = ['src/**']\nnever_writes = ['src/seisin.toml']\n", "src", []string{lies}},
		{"OneThatCannotBeRead", "[roles", "src", []string{lies}},
		{"NoPolicyOutside", "", "src", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			err := os.WriteFile(g.root+"/seisin.toml", []byte(tt.outer), 0o644)
			if tt.outer == "" {
				err = os.Remove(g.root + "/seisin.toml")
			}
			if err != nil {
				t.Fatal(err)
			}
			inner := &ground{root: g.root + "/" + tt.inner, home: g.home, out: g.out}
			if out, err := exec.Command("git", "init", "-q", inner.root).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			inner.make(t, "seisin.toml")
			a := inner.answer(t, asPolicy("writes = ['**']"))
			wantLines(t, "notes", g.notes(a), tt.notes)
			for _, n := range a.Notes {
				if got, want := g.fold(n.Hint), "if it is not yours, run from $ROOT"; got != want {
					t.Errorf("got the hint «%s», want «%s»", got, want)
				}
			}
			// What git says in the environment is about the inner one.
			t.Setenv("GIT_DIR", inner.root+"/.git")
			t.Setenv("GIT_CEILING_DIRECTORIES", g.root)
			wantLines(t, "notes with GIT_DIR", g.notes(inner.answer(t, asPolicy("writes = ['**']"))), tt.notes)
		})
	}
}

// Between the two may be a repository without a policy.
func TestPolicyInsideAnotherFurtherUp(t *testing.T) {
	g := newGround(t)
	if err := os.WriteFile(g.root+"/seisin.toml", []byte("[roles.dev]\nwrites = ['**']\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	inner := &ground{root: g.root + "/src/deep", home: g.home, out: g.out}
	for _, dir := range []string{g.root + "/src", inner.root} {
		if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	inner.make(t, "seisin.toml")
	wantLines(t, "notes", g.notes(inner.answer(t, asPolicy(""))), []string{
		"0: this policy, $ROOT/src/deep/seisin.toml, lies inside the work tree of another, $ROOT/seisin.toml, a role of which may write it: dev"})
	// A policy that is a link or a FIFO is none, and is not waited for.
	for _, what := range []string{"seisin.toml |", "seisin.toml -> NOTES.md"} {
		if err := os.Remove(g.root + "/seisin.toml"); err != nil {
			t.Fatal(err)
		}
		g.make(t, what)
		wantLines(t, "notes", g.notes(inner.answer(t, asPolicy(""))), nil)
	}
}
