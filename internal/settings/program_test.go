package settings

import (
	"slices"
	"testing"

	"seisin/internal/sandbox"
)

// ATT-16: a role that replaced this program would be outside every box at the
// next run. Where it is out of reach nothing is said.
func TestProgramIsClosed(t *testing.T) {
	const theProgram = " is this program: no role writes it"
	for _, tt := range []struct {
		name    string
		program string
		policy  string
		closed  bool
	}{
		{"InATerritory", "$ROOT/src/bin/git-seisin", "writes = ['src/**']", true},
		{"InTheRepository", "$ROOT/git-seisin", "writes = ['**']", true},
		{"InScratch", "$HOME/.local/share/seisin/git-seisin", "", true},
		{"InAGrantOutside", "$OUT/git-seisin", "writes = ['$OUT/**']", true},
		{"BesideATerritory", "$ROOT/bin/git-seisin", "writes = ['src/**']", false},
		{"Elsewhere", "$HOME/.local/bin/git-seisin", "writes = ['**']", false},
		{"Unknown", "", "writes = ['**']", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			program := g.expand(tt.program)
			if program != "" {
				g.make(t, program)
			}
			p, role, place, m := g.parts(t, asPolicy(tt.policy))
			m.Program = program
			a, err := For(p, role, place, m, Options{Cwd: g.root})
			if err != nil {
				t.Fatal(err)
			}
			is := func(c sandbox.Grant) bool {
				return c.Path == program && c.Kind == sandbox.File && c.Part == sandbox.State && c.Rule == program+theProgram && !c.Absent()
			}
			if got := slices.ContainsFunc(a.Spec.Closed, is); got != tt.closed {
				t.Errorf("closed: %q, want the program among them: %v", g.grants(a.Spec.Closed), tt.closed)
			}
			if program == "" {
				return
			}
			for _, op := range []sandbox.Op{sandbox.OpWrite, sandbox.OpReplace} {
				if v := a.Spec.Verdict(op, program); v.Allowed {
					t.Errorf("%s is allowed: %s", op, v.Rule)
				}
			}
			if v := a.Spec.Verdict(sandbox.OpWrite, program+".new"); v.Allowed != tt.closed {
				t.Errorf("a write beside it is allowed: %v (%s), want %v", v.Allowed, v.Rule, tt.closed)
			}
		})
	}
}

// A grant of that very file would grant nothing.
func TestProgramIsNotGranted(t *testing.T) {
	for _, tt := range []refusal{
		{policy: "writes = ['src/git-seisin']", line: 2, msg: `writes "src/git-seisin": $ROOT/src/git-seisin is this program: no role writes it`, hint: nothingMakes},
		{policy: "writes = ['l']", make: []string{"l -> src/git-seisin"}, line: 2, msg: `writes "l": $ROOT/src/git-seisin is this program: no role writes it`, hint: nothingMakes},
	} {
		g := newGround(t)
		g.make(t, append([]string{"src/git-seisin"}, tt.make...)...)
		p, role, place, m := g.parts(t, asPolicy(tt.policy))
		m.Program = g.root + "/src/git-seisin"
		_, err := For(p, role, place, m, Options{Cwd: g.root})
		refused, ok := err.(*RefusedError)
		if !ok || g.fold(refused.Msg) != tt.msg || refused.Hint() != tt.hint || refused.Line != tt.line {
			t.Errorf("got «%v», want «%s»", err, tt.msg)
		}
	}
}

// It is this very executable, by its real path.
func TestHereIsThisProgram(t *testing.T) {
	m, err := Here()
	if err != nil {
		t.Fatal(err)
	}
	f, err := lookAt(m.Program)
	if err != nil || !f.exists || f.link || f.kind != sandbox.File {
		t.Errorf("the program is %q: %+v, %v", m.Program, f, err)
	}
}
