package settings

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"seisin/internal/gitdir"
	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

const homeClosed = "[runtime]\nisolate = 'home'\n[roles.dev]\nwrites = ['src/**']\n"

// homeOf is the role's home on that ground.
func (g *ground) homeOf(role string) string {
	return filepath.Join(g.home, ".local/state/seisin/homes/sn-"+gitdir.RootID(g.root), role)
}

// a role with a home writes there, and nowhere outside the repository
// besides but in the run's own directories.
func TestHomeIsScratch(t *testing.T) {
	for _, level := range []string{"'home'", "true"} {
		g := newGround(t)
		a := g.answer(t, strings.Replace(homeClosed, "'home'", level, 1))
		wantLines(t, "write", g.grants(a.Spec.Write), []string{g.fold(g.homeOf("dev")) + " dir absent", "$ROOT/src dir"})
		plan := a.Spec.Plan()
		for name, want := range map[string]bool{
			g.homeOf("dev"): true, g.homeOf("dev") + "/.config/x": true, "/tmp/x": true, "/var/tmp/x": true,
			g.home + "/.cache/x": false, g.home + "/.claude/x": false, g.home + "/.local/share/x": false, g.home + "/.bashrc": false, g.home: false,
		} {
			if v := plan.Verdict(sandbox.OpWrite, name); v.Allowed != want {
				t.Errorf("write %s: got %+v, want allowed %v", g.fold(name), v, want)
			}
		}
	}
}

// of this tool's state a role sees its own home and nothing else.
func TestHomesOfOthers(t *testing.T) {
	g := newGround(t)
	plan := g.answer(t, homeClosed).Spec.Plan()
	own := g.homeOf("dev")
	state := filepath.Join(g.home, ".local/state/seisin")
	for _, name := range []string{
		g.homeOf("qa"), g.homeOf("qa") + "/token", own + "x", state + "/homes/sn-AAAAAAAA", state + "/homes/sn-AAAAAAAA/dev/token",
		state + "/run", state + "/run/abcdefgh/lock", state + "/run/made.json",
	} {
		for _, op := range []sandbox.Op{sandbox.OpRead, sandbox.OpWrite, sandbox.OpReplace} {
			if v := plan.Verdict(op, name); v.Allowed || !strings.Contains(v.Rule, "own state") {
				t.Errorf("%s %s: got %+v, want a refusal that speaks of the state", op, g.fold(name), v)
			}
		}
	}
	for dir := own; dir != state; dir = filepath.Dir(dir) {
		if v := plan.Verdict(sandbox.OpRead, dir); !v.Allowed { // the one name in each
			t.Errorf("read %s: %s", g.fold(dir), v.Rule)
		}
		if v := plan.Verdict(sandbox.OpReplace, dir); v.Allowed {
			t.Errorf("%s can be replaced: %s", g.fold(dir), v.Rule)
		}
	}
}

// A-20, SD-10: where agents keep sessions is open at credentials and closed at
// home, as is ~/.gitconfig; every name that begins so, where there are many.
func TestAgentHomes(t *testing.T) {
	for _, kind := range []string{"missing", "file", "directory", "link"} {
		t.Run(kind, func(t *testing.T) {
			g := newGround(t)
			var names []string
			for i, place := range AgentHomes {
				name := strings.Replace(place, "~", g.home, 1)
				if base, many := strings.CutSuffix(name, "*"); many {
					name = base
					if kind != "missing" {
						g.make(t, base+".more")
						names = append(names, base+".more")
					}
				}
				names = append(names, g.place(t, kind, name, i)...)
			}
			closed, open := g.answer(t, homeClosed).Spec.Plan(), g.answer(t, credentialsClosed).Spec.Plan()
			for _, name := range names {
				for _, op := range []sandbox.Op{sandbox.OpRead, sandbox.OpWrite, sandbox.OpReplace} {
					if v := closed.Verdict(op, name); v.Allowed {
						t.Errorf("%s of %s is allowed: %s", op, g.fold(name), v.Rule)
					}
				}
				if v := open.Verdict(sandbox.OpRead, name); kind != "missing" && !v.Allowed {
					t.Errorf("at credentials a read of %s is refused: %s", g.fold(name), v.Rule)
				}
			}
		})
	}
}

// What variables say, where agents keep their state and where the base
// directories are, is closed as well (UB-13, SD-10).
func TestAgentHomesElsewhere(t *testing.T) {
	for _, tt := range []struct{ variable, secret string }{
		{"CLAUDE_CONFIG_DIR", "v/.credentials.json"}, {"CODEX_HOME", "v/auth.json"}, {"GEMINI_CLI_HOME", "v/.gemini/oauth_creds.json"}, {"COPILOT_HOME", "v/config.json"},
		{"CURSOR_CONFIG_DIR", "v/f"}, {"CURSOR_DATA_DIR", "v/f"}, {"PI_CODING_AGENT_DIR", "v/auth.json"}, {"GOOSE_PATH_ROOT", "v/f"},
		{"XDG_DATA_HOME", "v/opencode/auth.json"}, {"XDG_CACHE_HOME", "v/claude/f"}, {"XDG_CONFIG_HOME", "v/gh/hosts.yml"},
	} {
		t.Run(tt.variable, func(t *testing.T) {
			g := newGround(t)
			g.make(t, "$OUT/"+tt.secret, "$OUT/open/f")
			t.Setenv(tt.variable, g.out+"/v")
			plan := g.answer(t, homeClosed).Spec.Plan()
			for name, want := range map[string]bool{tt.secret: false, "open/f": true, "later": false} {
				// What comes later is not there beside the closed place: in
				// some directory below, where that is not $OUT/v itself.
				if name == "later" && (strings.Contains(tt.secret, "/.gemini") || tt.variable == "XDG_DATA_HOME" || tt.variable == "XDG_CACHE_HOME") {
					name = "v/later"
				}
				v := plan.Verdict(sandbox.OpRead, filepath.Join(g.out, name))
				if v.Allowed != want {
					t.Errorf("read $OUT/%s: got %+v, want allowed %v", name, v, want)
				}
			}
		})
	}
}

// What reads names stands in the role's home, too: what is closed and what is
// not, by the name that it has in the person's.
func TestStands(t *testing.T) {
	g := newGround(t)
	g.make(t, "$HOME/.config/gh/h", "$HOME/.tool/v", "$HOME/.npmrc", "$HOME/dot/vimrc", "$HOME/.vimrc -> dot/vimrc", "$OUT/f")
	a := g.answer(t, homeClosed+"reads = ['~/.config/gh', '~/.tool', '$HOME/.npmrc', '~/.vimrc', '$OUT/f', '~/.absent']\n")
	var got []string
	for _, s := range a.Stands {
		got = append(got, s.Name+" "+g.fold(s.Target))
	}
	wantLines(t, "stands", got, []string{".config/gh $HOME/.config/gh", ".tool $HOME/.tool", ".npmrc $HOME/.npmrc", ".vimrc $HOME/dot/vimrc"})
	wantLines(t, "notes", g.notes(a), []string{
		`5: reads "~/.vimrc" goes through the symlink "$HOME/.vimrc" to "$HOME/dot/vimrc"`, `5: reads "~/.absent" does not exist`,
	})
	plan := a.Spec.Plan()
	for _, s := range a.Stands {
		if v := plan.Verdict(sandbox.OpRead, s.Target); !v.Allowed {
			t.Errorf("%s leads to what cannot be read: %s", s.Name, v.Rule)
		}
		if v := plan.Verdict(sandbox.OpWrite, s.Target); v.Allowed {
			t.Errorf("%s leads to what can be written: %s", s.Name, v.Rule)
		}
	}
	if stands := g.answer(t, credentialsClosed+"reads = ['~/.config/gh']\n").Stands; len(stands) > 0 {
		t.Errorf("without a home of its own a role has %v in it", stands)
	}
}

// Of a program on PATH what it was installed with is open, where it lies in a
// closed place, and nothing that it keeps beside that (B-22).
func TestToolchains(t *testing.T) {
	g := newGround(t)
	g.make(t, "$HOME/.local/bin/", "$HOME/.codex/auth.json",
		"$HOME/.codex/packages/codex/bin/codex", "$HOME/.codex/packages/codex/lib/l", "$HOME/.local/bin/codex -> ../../.codex/packages/codex/bin/codex",
		"$HOME/.pi/agent/auth.json", "$HOME/.pi/agent/bin/fd", "$HOME/.local/bin/fd -> $HOME/.pi/agent/bin/fd",
		"$HOME/.claude/.credentials.json", "$HOME/.claude/local/claude", "$HOME/.claude/local/node_modules/cc/cli.js", "$HOME/.claude/local/package.json",
		"$HOME/.gemini/tmp/plain", "$HOME/.local/bin/plain -> $HOME/.gemini/tmp/plain")
	for _, name := range []string{".codex/packages/codex/bin/codex", ".pi/agent/bin/fd", ".claude/local/claude"} {
		if err := os.Chmod(filepath.Join(g.home, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", g.home+"/.local/bin:"+g.home+"/.claude/local:"+g.home+"/.config/bin:/usr/bin:relative")
	g.make(t, "$HOME/.config/bin/tool")
	a := g.answer(t, homeClosed)
	wantLines(t, "opened", g.grants(a.Spec.Read), []string{"$HOME/.claude/local dir", "$HOME/.codex/packages/codex dir", "$HOME/.pi/agent/bin/fd file"})
	wantLines(t, "notes", g.notes(a), []string{`0: $HOME/.config/bin on PATH is not in the box: [runtime] isolate = "home" (seisin.toml:2) closes ~/.config`})
	plan := a.Spec.Plan()
	for name, want := range map[string]bool{
		".codex/packages/codex/lib/l": true, ".pi/agent/bin/fd": true, ".claude/local/node_modules/cc/cli.js": true,
		".codex/auth.json": false, ".pi/agent/auth.json": false, ".claude/.credentials.json": false, ".gemini/tmp/plain": false, ".config/bin/tool": false,
	} {
		if v := plan.Verdict(sandbox.OpRead, filepath.Join(g.home, name)); v.Allowed != want {
			t.Errorf("read ~/%s: got %+v, want allowed %v", name, v, want)
		}
	}
}

// B-22: nor does what is opened hold a closed place, which a variable may have
// moved there; then it is the program alone, or nothing where that is the place.
func TestToolchainThatHoldsAClosedPlace(t *testing.T) {
	for home, want := range map[string][]string{
		"$HOME/.codex/packages/codex/state":     {"$HOME/.codex/packages/codex/bin/codex file"},
		"$HOME/.codex/packages/codex":           {"$HOME/.codex/packages/codex/bin/codex file"},
		"$HOME/.codex/packages/codex/bin/codex": nil,
	} {
		g := newGround(t)
		g.make(t, "$HOME/.codex/packages/codex/bin/codex", "$HOME/.codex/packages/codex/lib/l", "$HOME/.codex/packages/codex/state/auth.json",
			"$HOME/.local/bin/codex -> ../../.codex/packages/codex/bin/codex")
		if err := os.Chmod(g.home+"/.codex/packages/codex/bin/codex", 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", g.home+"/.local/bin:/usr/bin")
		t.Setenv("CODEX_HOME", g.expand(home))
		a := g.answer(t, homeClosed)
		wantLines(t, home, g.grants(a.Spec.Read), want)
	}
}

// B-22: what is opened is never the closed place itself, whatever lies in it.
func TestPackageIsNeverTheClosedPlace(t *testing.T) {
	g := newGround(t)
	g.make(t, "$HOME/.codex/bin/tool", "$HOME/.codex/tool", "$HOME/.codex/lib/l", "$HOME/.codex/package.json", "$HOME/.codex/node_modules/x/f",
		"$HOME/.codex/p/package.json", "$HOME/.codex/p/bin/tool")
	closed := filepath.Join(g.home, ".codex")
	for program, want := range map[string]string{"bin/tool": "bin/tool", "tool": "tool", "p/bin/tool": "p", "node_modules/x/f": "node_modules/x/f"} {
		if tree := packageOf(filepath.Join(closed, program), closed); tree != filepath.Join(closed, want) {
			t.Errorf("of %s: got %s, want %s", program, g.fold(tree), want)
		}
	}
}

// With a home of the role's the environment says so, and names toolchains that
// stay where they are (C26).
func TestEnvironmentAtHome(t *testing.T) {
	g := newGround(t)
	g.make(t, "$HOME/.rustup/x", "$OUT/volta/x")
	env := map[string]string{
		"HOME": g.home, "PATH": "/usr/bin", "XDG_CONFIG_HOME": g.home + "/.config", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/c",
		"VOLTA_HOME": g.out + "/volta", "NVM_DIR": g.out + "/absent", "LANG": "C",
	}
	t.Setenv("PYENV_ROOT", "")
	for name, value := range env {
		if name != "XDG_STATE_HOME" && name != "XDG_CONFIG_HOME" {
			t.Setenv(name, value)
		}
	}
	got := g.inEnvironment(t, env, homeClosed).Spec.Env
	for name, want := range map[string]string{
		"HOME": g.homeOf("dev"), "RUSTUP_HOME": g.home + "/.rustup", "VOLTA_HOME": g.out + "/volta", "LANG": "C",
		"XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "NVM_DIR": "", "PYENV_ROOT": "",
	} {
		if v := sandbox.Variable(got, name); v != want {
			t.Errorf("%s: got %q, want %q", name, g.fold(v), g.fold(want))
		}
	}
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"} {
		_, err := g.resolve(t, homeClosed+"env = ['"+name+"']\n")
		if refused, ok := errors.AsType[*RefusedError](err); !ok || refused.Msg != "env: "+name+" is the box's own, not the person's" {
			t.Errorf("env = [%q]: got %v, want a refusal", name, err)
		}
	}
	if a := g.answer(t, homeClosed+"env = ['VOLTA_HOME']\n"); sandbox.Variable(a.Spec.Env, "VOLTA_HOME") != g.out+"/volta" {
		t.Error("a toolchain's variable cannot be named")
	}
}

// Where a home would not be the role's alone, or could not be shown, is refused.
func TestHomeIsRefused(t *testing.T) {
	const own, move = "set XDG_STATE_HOME to a directory of your own that is in none of these", "look at what is there, and move it away"
	for _, tt := range []struct {
		refusal
		state string
	}{
		{refusal{"InTheRepository", nil, homeClosed, 2, `[runtime] isolate = "home": $ROOT/st/seisin, where the homes of roles are, is in the repository`, own}, "$ROOT/st"},
		{refusal{"InAClosedPlace", nil, homeClosed, 2, `[runtime] isolate = "home": the homes of roles are in $HOME/.config/st/seisin: [runtime] isolate = "home" (seisin.toml:2) closes ~/.config`, own}, "$HOME/.config/st"},
		{refusal{"LinkToHomes", []string{"$HOME/.local/state/seisin/homes -> /usr"}, homeClosed, 2, "", move}, ""},
		{refusal{"FileForAHome", []string{"$HOME/.local/state/seisin/homes"}, homeClosed, 2, "", move}, ""},
		{refusal{"Writes", []string{"$HOME/.local/state/seisin/homes/"}, homeClosed + "never_writes = []\n", 0, "", ""}, ""},
		{refusal{"Territory", nil, "[runtime]\nisolate = 'home'\n[roles.dev]\nwrites = ['$HOME/.local/**']\n", 4, "", "name the directory that the role needs, and nothing above it"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			if tt.state != "" {
				t.Setenv("XDG_STATE_HOME", g.expand(tt.state))
			}
			g.make(t, tt.make...)
			_, err := g.resolve(t, tt.policy)
			if tt.line == 0 {
				if err != nil {
					t.Errorf("control: got %v, want an answer", err)
				}
				return
			}
			refused, ok := errors.AsType[*RefusedError](err)
			if !ok {
				t.Fatalf("got %v, want a refusal", err)
			}
			if tt.msg != "" && g.fold(refused.Msg) != tt.msg || refused.Fix != tt.hint || refused.Line != tt.line {
				t.Errorf("got  line %d «%s» «%s»\nwant line %d «%s» «%s»", refused.Line, g.fold(refused.Msg), refused.Fix, tt.line, tt.msg, tt.hint)
			}
		})
	}
}

// SD-1, SD-2: sandbox-runtime's home is below TMPDIR, fits its
// sockets, and is the one of all homes that may be read.
func TestSRTAtHome(t *testing.T) {
	g := newGround(t)
	tmp := g.out + "/t"
	g.make(t, tmp+"/")
	t.Setenv("TMPDIR", tmp)
	p, role, place, m := g.parts(t, homeClosed)
	a, err := For(p, role, place, m, Options{Cwd: g.root})
	if err != nil {
		t.Fatal(err)
	}
	file, left, err := SRT(a, role, p, "")
	if err != nil {
		t.Fatal(err)
	}
	homes := tmp + "/sn-" + gitdir.RootID(g.root)
	home, state, fs := homes+"/dev", g.home+"/.local/state/seisin", file.Filesystem
	wantLines(t, "allowWrite", fs.AllowWrite, []string{g.root + "/src", home, home + "/.config", home + "/.local", home + "/.cache", home + "/tmp"})
	wantLines(t, "allowRead", fs.AllowRead, []string{home})
	for _, p := range []string{homes, state, g.home + "/.ssh", g.home + "/.claude"} {
		if !slices.Contains(fs.DenyRead, p) {
			t.Errorf("denyRead does not have %s", g.fold(p))
		}
	}
	if !slices.Contains(fs.DenyWrite, state) {
		t.Error("denyWrite does not have the state directory")
	}
	if len(left) == 0 || !strings.Contains(strings.Join(left, "\n"), "HOME and TMPDIR") {
		t.Errorf("got %q, want word of the variables that the file cannot set", left)
	}
}

func TestSRTHomeFits(t *testing.T) {
	for _, tt := range []struct {
		tmp  string
		name int // bytes of the role's name
		over int
	}{
		{"/tmp", 64, 0}, {"/tmp", 65, 1}, {"/tmp/" + strings.Repeat("x", 43), 20, 0}, {"/tmp/" + strings.Repeat("é", 22), 20, 1}, {"/tmp", 1, 0},
	} {
		s := &srt{spec: sandbox.Spec{RootID: "LlaqNvU4", Env: []string{"TMPDIR=" + tt.tmp}}, role: &roles.Role{Name: strings.Repeat("r", tt.name)}}
		err := s.giveHome()
		if e, ok := errors.AsType[*HomeFitError](err); tt.over > 0 && (!ok || e.Over != tt.over) || tt.over == 0 && err != nil {
			t.Errorf("%s and a name of %d bytes: got %v, want %d bytes too long", tt.tmp, tt.name, err, tt.over)
		}
	}
	e := &HomeFitError{Role: "dev", Home: "/tmp/sn-x/dev", Over: 3}
	for _, want := range []string{`"dev"`, `isolate = "home"`, "by 3", "107 bytes"} {
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%q does not name %s", e.Error(), want)
		}
	}
	for _, want := range []string{"shorter name", "TMPDIR"} {
		if !strings.Contains(e.Hint(), want) {
			t.Errorf("the hint %q does not name %s", e.Hint(), want)
		}
	}
}
