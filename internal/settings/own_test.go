package settings

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"seisin/internal/gitdir"
	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// What no role writes, and what no role sees, whatever the policy says.
func TestOwn(t *testing.T) {
	for _, tt := range []struct {
		name           string
		policy         string
		closed, hidden []string
		mode           string // of the git directory
	}{
		{"Nothing", "", []string{"$HOME/.config/seisin dir absent", "$ROOT/.git dir", "$ROOT/seisin.toml file"},
			[]string{"$ROOT/.git/seisin dir absent", "$HOME/.local/state/seisin dir absent"}, "read"},
		{"Writes", "writes = ['**']", []string{"$HOME/.config/seisin dir absent", "$ROOT/.git dir", "$ROOT/seisin.toml file"},
			[]string{"$ROOT/.git/seisin dir absent", "$HOME/.local/state/seisin dir absent"}, "read"},
		{"GitNone", "git = 'none'", []string{"$HOME/.config/seisin dir absent", "$ROOT/seisin.toml file"},
			[]string{"$ROOT/.git dir", "$ROOT/.git/seisin dir absent", "$HOME/.local/state/seisin dir absent"}, "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			a := g.answer(t, asPolicy(tt.policy))
			wantLines(t, "closed", g.grants(a.Spec.Closed), tt.closed)
			slices.Sort(tt.hidden)
			hidden := g.grants(a.Spec.Hidden)
			slices.Sort(hidden)
			wantLines(t, "hidden", hidden, tt.hidden)
			want := []sandbox.Gitdir{{Path: g.root + "/.git", Common: g.root + "/.git", Mode: tt.mode}}
			if !slices.Equal(a.Spec.Gitdirs, want) {
				t.Errorf("got git directories %+v, want %+v", a.Spec.Gitdirs, want)
			}
			for _, name := range []string{"/seisin.toml", "/.git/config", "/.git/hooks/pre-commit", "/.git/seisin/log.jsonl"} {
				for _, op := range []sandbox.Op{sandbox.OpWrite, sandbox.OpReplace} {
					if v := a.Spec.Verdict(op, g.root+name); v.Allowed {
						t.Errorf("%s of %s is allowed: %s", op, name, v.Rule)
					}
				}
			}
			reads := map[string]bool{g.root + "/.git/HEAD": tt.mode == "read", g.root + "/.git/seisin/log.jsonl": false, g.home + "/.local/state/seisin/run/x": false}
			for name, want := range reads {
				if v := a.Spec.Verdict(sandbox.OpRead, name); v.Allowed != want {
					t.Errorf("a read of %s is allowed: %v, want %v", g.fold(name), v.Allowed, want)
				}
			}
		})
	}
}

// A work tree of another repository's administration: all of it is closed,
// wherever it lies.
func TestOwnOfALinkedWorktree(t *testing.T) {
	g := newGround(t)
	linked := g.out + "/w"
	cmd := exec.Command("git", "-C", g.root, "worktree", "add", "-q", linked)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	main := g.root
	g.root = linked
	g.make(t, "seisin.toml")
	a := g.answer(t, asPolicy("writes = ['**']"))
	var got []string
	for _, grant := range slices.Concat(a.Spec.Closed, a.Spec.Hidden) {
		got = append(got, grant.Path+" "+string(grant.Kind)+" "+string(grant.Part))
	}
	slices.Sort(got)
	want := []string{
		main + "/.git dir git", main + "/.git/worktrees/w dir git", main + "/.git/seisin dir state",
		linked + "/.git file git", linked + "/seisin.toml file policy", g.home + "/.local/state/seisin dir state",
		g.home + "/.config/seisin dir state",
	}
	slices.Sort(want)
	wantLines(t, "closed and hidden", got, want)
	if want := []sandbox.Gitdir{{Path: main + "/.git/worktrees/w", Common: main + "/.git", Mode: "read"}}; !slices.Equal(a.Spec.Gitdirs, want) {
		t.Errorf("got git directories %+v, want %+v", a.Spec.Gitdirs, want)
	}
}

// The approvals, and what the host runs, lie in the person's configuration,
// which a repository of dotfiles may hold: it is closed there too.
func TestRepositoryThatHoldsTheConfiguration(t *testing.T) {
	for _, policy := range []string{"writes = ['**']", "writes = ['.config/**']"} {
		g := newGround(t)
		g.setenv(t, map[string]string{"HOME": g.root})
		g.make(t, ".config/seisin/approved/")
		a := g.answer(t, asPolicy(policy))
		for name, want := range map[string]bool{"/.config/seisin/approved/x": false, "/.config/seisin/config.toml": false, "/.config/x": true} {
			if v := a.Spec.Verdict(sandbox.OpWrite, g.root+name); v.Allowed != want {
				t.Errorf("%s: a write of %s is allowed: %v (%s), want %v", policy, name, v.Allowed, v.Rule, want)
			}
		}
	}
	g := newGround(t)
	g.setenv(t, map[string]string{"HOME": g.root})
	refusal{policy: "[roles.dev]\nwrites = ['.config/seisin/approved/**']", line: 2, hint: nothingMakes,
		msg: `writes ".config/seisin/approved/**": $ROOT/.config/seisin holds the person's own settings of this tool: no role writes it`}.check(t, g)
}

func TestPolicyFileRefused(t *testing.T) {
	refuse := func(name, msg, hint string, change func(t *testing.T, g *ground, policy string)) {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			change(t, g, g.root+"/seisin.toml")
			refusal{policy: "[roles.dev]\nwrites = ['**']", msg: msg, hint: hint}.check(t, g)
		})
	}
	refuse("Symlink", "seisin.toml is a symlink: what it leads to could be written under its own name", "put the file itself there",
		func(t *testing.T, g *ground, policy string) {
			if err := os.Rename(policy, g.root+"/src/policy"); err != nil {
				t.Fatal(err)
			}
			g.make(t, "seisin.toml -> src/policy")
		})
	refuse("HardLink", "seisin.toml has 2 hard links: it could be written under another name",
		"make a copy of its own: cp -p seisin.toml seisin.toml.copy && mv seisin.toml.copy seisin.toml",
		func(t *testing.T, g *ground, _ string) { g.make(t, "src/other = seisin.toml") })
}

// What asks for less reach than this version holds is refused: to leave it
// out would be to weaken in silence.
func TestUnheldIsRefused(t *testing.T) {
	const dev = "[roles.dev]\nwrites = ['src/**']\n"
	refuseAll(t, []refusal{
		{"Srt", nil, dev + "[runtime]\nprovider = 'srt'\n", 4, `[runtime] provider "srt" is not in this version`, `provider = "native" is the one there is`},
		{"Required", nil, dev + "[audit]\nrequired = true\n", 4, `[audit] required = true: this version keeps no log`,
			"take required out until the version that keeps a log"},
	})
	g := newGround(t)
	a := g.answer(t, dev+"[runtime]\nisolate = false\nprovider = 'native'\nrequire = ['landlock-scope', 'landlock-truncate']\n[audit]\nrequired = false\n")
	wantLines(t, "require", a.Spec.Require, []string{"landlock-scope", "landlock-truncate"})
}

// What asks for more than this version gives is left out, and said.
func TestLater(t *testing.T) {
	const approval = "approval: none in this version"
	for _, tt := range []struct {
		name, policy string
		want         []string
	}{
		{"Nothing", "", nil},
		{"Writes", "writes = ['src/**']", []string{"git: read in this version"}},
		{"WritesAndGitRead", "writes = ['src/**']\ngit = 'read'", nil},
		{"NoWrites", "writes = []", nil},
		{"Network", "network = ['example.com']", []string{"network: none in this version"}},
		{"NetworkOfAll", "[network]\nallow = ['example.com']\n[roles.dev]\n", []string{"network: none in this version"}},
		{"NetworkOfAllButThis", "[network]\nallow = ['example.com']\n[roles.dev]\nnetwork = []\n", nil},
		{"All", "[keys]\ndir = 'k'\n[roles.dev]\nwrites = ['src/**']\nnetwork = ['example.com']\nkeys = ['x']\nreads = ['~/.config/gh']\nports = [3000]\nuserns = true\n", []string{
			"network: none in this version", "git: read in this version",
			"reads: without isolation nothing is closed that they would open", "ports: none in this version",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newGround(t).answer(t, asPolicy(tt.policy))
			wantLines(t, "later", a.Later, append(tt.want, approval))
			// The box is the narrower one.
			s := a.Spec
			if len(s.Network)+len(s.Ports)+len(s.Sockets) > 0 {
				t.Errorf("the box has network %v, ports %v, sockets %v", s.Network, s.Ports, s.Sockets)
			}
		})
	}
}

func TestSpecIsOfTheRole(t *testing.T) {
	g := newGround(t)
	sub := g.root + "/src"
	a := g.answer(t, asPolicy("userns = true\ntimeout = '2h'"), func(o *Options) { o.Cwd = sub })
	s := a.Spec
	if s.Role != "dev" || s.Key != "dev" || s.Root != g.root || s.RootID != gitdir.RootID(g.root) || s.Cwd != sub || !s.UserNS || s.Timeout != 2*time.Hour {
		t.Errorf("got %+v", s)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	again := g.answer(t, asPolicy("userns = true\ntimeout = '2h'"), func(o *Options) { o.Cwd = sub })
	one, err := s.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if two, err := again.Spec.Digest(); err != nil || one != two {
		t.Errorf("the same policy on the same tree gives the specs %s and %s, %v", one, two, err)
	}
}

// a policy that a caller built by hand, without what a file would have.
func TestPolicyBuiltByHand(t *testing.T) {
	g := newGround(t)
	_, _, place, m := g.parts(t, "[roles.dev]\n")
	p := &roles.Policy{Path: filepath.Join(g.root, "seisin.toml"), Runtime: roles.Runtime{Isolate: roles.IsolateNone}}
	a, err := For(p, &roles.Role{Name: "dev"}, place, m, Options{Cwd: g.root})
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, "territory", g.grants(a.Spec.Write, sandbox.Territory), nil)
	if n := len(g.grants(a.Spec.Write, sandbox.Scratch)); n != 5 {
		t.Errorf("got %d places of scratch, want the defaults", n)
	}
}
