package settings

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"seisin/internal/sandbox"
)

// executed resolves a policy on a ground with these things in it, and with PATH.
func (g *ground) executed(t *testing.T, policy, path string, things ...string) (*Answer, error) {
	t.Helper()
	g.make(t, things...)
	t.Setenv("PATH", g.expand(path))
	return g.resolve(t, asPolicy(policy))
}

// SD-11, SD-12, ATT-5, ATT-16: what the host executes from scratch is closed,
// as narrowly as it can be.
func TestExecuted(t *testing.T) {
	const bin = "$HOME/.local/bin"
	for _, tt := range []struct {
		name   string
		policy string
		path   string
		things []string
		want   []string // closed
	}{
		{"NoneIsThere", "", "/usr/bin:" + bin, []string{bin + "/tool", "$HOME/.claude/history.jsonl", "$HOME/.cache/pip/x"}, nil},
		{"Settings", "", "", []string{"$HOME/.claude/settings.json", "$HOME/.claude/hooks/x", "$HOME/.claude/projects/", "$HOME/.codex/config.toml"},
			[]string{"$HOME/.claude/hooks dir", "$HOME/.claude/settings.json file", "$HOME/.codex/config.toml file"}},
		{"Patterns", "", "", []string{"$HOME/.claude/statusline.py", "$HOME/.claude/x.sh", "$HOME/.claude/x.json"},
			[]string{"$HOME/.claude/statusline.py file", "$HOME/.claude/x.sh file"}},
		{"Links", "", "", []string{"$HOME/dot/s", "$HOME/.claude/skills -> ../dot", "$HOME/.claude/settings.json -> ../dot/s", "$HOME/.claude/CLAUDE.md -> nowhere"},
			[]string{"$HOME/.claude/CLAUDE.md link", "$HOME/.claude/settings.json link", "$HOME/.claude/skills link"}},
		{"LinkInScratch", "", "", []string{"$HOME/.claude/settings.json -> mine.json", "$HOME/.claude/mine.json"},
			[]string{"$HOME/.claude/mine.json file", "$HOME/.claude/settings.json link"}},
		{"LinkedPart", "", "", []string{"$OUT/uv/tools/x/", "$HOME/.local/share/uv -> $OUT/uv"}, []string{"$HOME/.local/share/uv link"}},
		{"OfRunningAgents", "", "", []string{"$HOME/.claude/shell-snapshots/s.sh", "$HOME/.codex/shell_snapshots/", "$HOME/.codex/tmp/arg0/x/git", "$HOME/.codex/tmp/other"},
			[]string{"$HOME/.claude/shell-snapshots dir", "$HOME/.codex/shell_snapshots dir", "$HOME/.codex/tmp/arg0 dir"}},
		{"Allowances", "", "", []string{"$HOME/.local/share/direnv/allow/x", "$HOME/.local/state/mise/trusted-configs/x", "$HOME/.local/state/mise/x"},
			[]string{"$HOME/.local/share/direnv dir", "$HOME/.local/state/mise/trusted-configs dir"}},
		{"ConfigurationByName", "[roles.dev]\n[runtime]\nwrites = ['~/.config/gh', '~/.config/x']", "", []string{"$HOME/.config/gh/config.yml", "$HOME/.config/x/", "$HOME/.config/fish/config.fish"}, nil},
		{"NotGranted", "[roles.dev]\n[runtime]\nwrites = ['~/.cache']", "", []string{"$HOME/.claude/settings.json"}, nil},
		{"GrantedByName", "[roles.dev]\n[runtime]\nwrites = ['~/.config/opencode', '~/.gemini']", "", []string{"$HOME/.config/opencode/opencode.json", "$HOME/.gemini/settings.json", "$HOME/.gemini/tmp/bin/rg"},
			[]string{"$HOME/.config/opencode/opencode.json file", "$HOME/.gemini/settings.json file", "$HOME/.gemini/tmp/bin dir"}},
		{"GrantedFromAbove", "[roles.dev]\n[runtime]\nwrites = ['~/.local']", bin + "/deep", []string{bin + "/deep/", "$HOME/.local/share/pipx/x"},
			[]string{"$HOME/.local/bin/deep dir", "$HOME/.local/share/pipx dir"}},
		{"GrantedBelow", "[roles.dev]\n[runtime]\nwrites = ['~/.claude/projects', '~/.claude/sub']", "$HOME/.claude", []string{"$HOME/.claude/settings.json", "$HOME/.claude/sub/"}, nil},

		{"Path", "", "/usr/bin:$HOME/.local/share/x/bin:relative::" + bin, []string{"$HOME/.local/share/x/bin/", "$HOME/.local/share/x/data/"}, []string{"$HOME/.local/share/x/bin dir"}},
		{"PathInAnInstallTree", "", "$HOME/.local/share/x/bin", []string{"$HOME/.local/share/x/bin/", "$HOME/.local/share/x/lib/"}, []string{"$HOME/.local/share/x dir"}},
		{"PathBelowABase", "", "$HOME/.local/share/bin", []string{"$HOME/.local/share/bin/", "$HOME/.local/share/lib/"}, []string{"$HOME/.local/share/bin dir"}},
		{"PathThroughALink", "", "$HOME/.local/state/now/bin", []string{"$HOME/.local/share/v1/bin/", "$HOME/.local/state/now -> ../share/v1"},
			[]string{"$HOME/.local/share/v1/bin dir", "$HOME/.local/state/now link"}},
		{"LinkOnPath", "", bin, []string{"$HOME/.local/share/x/v/1.0", bin + "/x -> ../share/x/v/1.0", bin + "/y -> x"}, []string{"$HOME/.local/share/x/v dir"}},
		{"LinkOnPathToAnInstallTree", "", bin, []string{"$HOME/.local/share/x/bin/t", "$HOME/.local/share/x/lib/", bin + "/t -> ../share/x/bin/t"}, []string{"$HOME/.local/share/x dir"}},
		{"LinkOnPathToABase", "", bin, []string{"$HOME/.local/share/t", bin + "/t -> ../share/t"}, []string{"$HOME/.local/share/t file"}},
		{"LinksOnPath", "", bin, []string{"$HOME/.local/share/x/1/t", "$HOME/.local/share/x/now -> 1", bin + "/t -> ../share/x/now/t"},
			[]string{"$HOME/.local/share/x/1 dir", "$HOME/.local/share/x/now link"}},
		{"GrantsBesideAProgram", "[roles.dev]\n[runtime]\nwrites = ['~/.local/share/x', '~/.local/share/x/data']", bin, []string{"$HOME/.local/share/x/t", "$HOME/.local/share/x/data/", bin + "/t -> ../share/x/t"},
			[]string{"$HOME/.local/share/x/t file"}},
		{"TheRepositoryIsReadOnlyAnyway", "[roles.dev]\n[runtime]\nwrites = ['$OUT']", "$ROOT/bin", []string{"bin/"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			a, err := g.executed(t, tt.policy, tt.path, tt.things...)
			if err != nil {
				t.Fatal(err)
			}
			wantLines(t, "closed", g.grants(a.Spec.Closed, sandbox.Executed), tt.want)
			plan := a.Spec.Plan()
			for _, c := range a.Spec.Closed {
				if c.Part != sandbox.Executed {
					continue
				}
				if v := plan.Verdict(sandbox.OpReplace, c.Path); v.Allowed || !strings.Contains(v.Rule, " runs outside (") {
					t.Errorf("%s can be replaced: %v (%s)", g.fold(c.Path), v.Allowed, v.Rule)
				}
			}
		})
	}
}

// What is not there is no mount, and is told: who makes it decides what it is.
// And so is what scratch or a territory covers in a way that cannot be closed.
func TestExecutedGaps(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy string
		path   string
		things []string
		want   []string // among the gaps
		not    []string
	}{
		{"Absent", "", "$HOME/.local/share/x/bin", nil,
			[]string{"$HOME/.claude/settings.json: claude runs the hooks, helpers and status line that it names", "$HOME/.local/share/x/bin: PATH leads to it"},
			[]string{"$HOME/.gemini/settings.json: gemini runs the hooks, servers and tools that it names"}},
		{"Present", "", "", []string{"$HOME/.claude/settings.json"}, nil,
			[]string{"$HOME/.claude/settings.json: claude runs the hooks, helpers and status line that it names"}},
		{"NeededInside", "", "", []string{"$HOME/.claude/session-env/x/hook-0.sh"},
			[]string{"$HOME/.claude/session-env: each shell of a running claude starts with what is there: claude starts no shell where it cannot make a directory in it"}, nil},
		{"TwoNames", "", "", []string{"$HOME/.claude/", "$HOME/.config/claude -> ../.claude"}, []string{"$HOME/.claude/skills: claude does what it says"}, nil},
		{"Patterns", "", "", []string{"$HOME/.claude/x.sh"}, []string{"$HOME/.claude/*.sh: claude, or its settings, runs what is there"},
			[]string{"$HOME/.claude/x.sh: claude, or its settings, runs what is there"}},
		{"NotUTF8", "", "", []string{"$HOME/.claude/\xff.sh"},
			[]string{"$HOME/.claude/\xff.sh: claude, or its settings, runs what is there: its name is not UTF-8, and a spec has no such path"}, nil},
		{"Dangling", "", "$HOME/.local/bin", []string{"$HOME/.local/bin/t -> ../share/none/t"}, []string{"$HOME/.local/share/none/t: PATH leads to it"}, nil},
		{"Twice", "", "", []string{"$HOME/.claude/settings.json", "$HOME/.claude/twin = $HOME/.claude/settings.json"},
			[]string{"$HOME/.claude/settings.json: claude runs the hooks, helpers and status line that it names: it has 2 hard links, and may be written by another name"}, nil},
		{"Odd", "", "", []string{"$HOME/.codex/hooks.json |"}, []string{"$HOME/.codex/hooks.json: codex runs the hooks, servers and notifiers that it names: it is neither a file nor a directory"}, nil},
		{"Territory", "[roles.dev]\nwrites = ['$HOME/.claude/hooks/**']", "", []string{"$HOME/.claude/hooks/"},
			[]string{"$HOME/.claude/hooks: claude, or its settings, runs what is there: roles.dev.writes \"$HOME/.claude/hooks/**\" (seisin.toml:2)"}, nil},
		{"Around", "[roles.dev]\nwrites = ['$HOME/.claude/hooks/out/**']", "", []string{"$HOME/.claude/hooks/out/"},
			[]string{"$HOME/.claude/hooks: claude, or its settings, runs what is there: roles.dev.writes \"$HOME/.claude/hooks/out/**\" (seisin.toml:2)"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			things := slices.Clone(tt.things)
			for i := range things {
				things[i] = strings.Replace(things[i], "= $HOME", "= "+relativeUp(g), 1)
			}
			a, err := g.executed(t, tt.policy, tt.path, things...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, gap := range a.Gaps {
				line := gap.Path + ": " + gap.Why
				if gap.Left != "" {
					line += ": " + gap.Left
				}
				got = append(got, g.fold(line))
			}
			slices.Sort(got)
			if once := slices.Compact(slices.Clone(got)); len(once) != len(got) {
				t.Errorf("got %q, want each once", got)
			}
			for _, want := range tt.want {
				if !slices.Contains(got, want) {
					t.Errorf("got %q, want among them %q", got, want)
				}
			}
			for _, not := range tt.not {
				if slices.Contains(got, not) {
					t.Errorf("got %q, want it not among them", not)
				}
			}
		})
	}
}

// relativeUp is the home as ground.make finds what a hard link is of: from the root.
func relativeUp(g *ground) string {
	return strings.Repeat("../", strings.Count(g.root, "/")) + strings.TrimPrefix(g.home, "/")
}

// Scratch that is what the host executes would grant nothing, and is refused.
func TestExecutedIsNoScratch(t *testing.T) {
	for _, tt := range []struct {
		writes, path, make string
		msg                string
	}{
		{"~/.local/bin", "$HOME/.local/bin", "$HOME/.local/bin/", `scratch "~/.local/bin": $HOME/.local/bin runs outside (PATH leads to it): no role writes it`},
		{"~/.claude/hooks", "", "$HOME/.claude/hooks/", `scratch "~/.claude/hooks": $HOME/.claude/hooks runs outside (claude, or its settings, runs what is there): no role writes it`},
		{"~/.config/autostart", "", "$HOME/.config/autostart/", `scratch "~/.config/autostart": $HOME/.config/autostart runs outside (the desktop starts what it names): no role writes it`},
		{"~/.local/share/x/bin/data", "$HOME/.local/share/x/bin", "$HOME/.local/share/x/bin/data/", `scratch "~/.local/share/x/bin/data": $HOME/.local/share/x/bin runs outside (PATH leads to it): no role writes it`},
		{"~/.claude/hooks/sub", "", "$HOME/.claude/hooks/sub/", `scratch "~/.claude/hooks/sub": $HOME/.claude/hooks runs outside (claude, or its settings, runs what is there): no role writes it`},
		{"~/.codex/hooks", "", "$HOME/.codex/", `scratch "~/.codex/hooks": $HOME/.codex/hooks runs outside (codex runs what is there): no role writes it`},
		{"~/.local/share/x", "$HOME/.local/share/x/bin", "$HOME/.local/share/x/bin/", ""},
	} {
		t.Run(tt.writes, func(t *testing.T) {
			g := newGround(t)
			_, err := g.executed(t, "[roles.dev]\n[runtime]\nwrites = ['"+tt.writes+"']\n", tt.path, tt.make)
			refused, ok := err.(*RefusedError)
			if ok != (tt.msg != "") {
				t.Fatalf("got «%v», want «%s»", err, tt.msg)
			}
			if ok && (g.fold(refused.Msg) != tt.msg || refused.Line != 3 || refused.Hint() == "") {
				t.Errorf("got  «%s», line %d\nwant «%s», line 3", g.fold(refused.Msg), refused.Line, tt.msg)
			}
		})
	}
}

// A role can close a directory of its own to the person, who is told which.
func TestExecutedIsClosedToUs(t *testing.T) {
	g := newGround(t)
	g.make(t, "$HOME/.claude/settings.json")
	if err := os.Chmod(g.home+"/.claude", 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(g.home+"/.claude", 0o755) })
	_, err := g.resolve(t, "[roles.dev]\n")
	closed, ok := errors.AsType[*ClosedError](err)
	if os.Getuid() == 0 {
		return // nothing is closed to root
	}
	if want := fmt.Sprintf("chmod u+rwx %q", g.home+"/.claude"); !ok || closed.Hint() != want {
		t.Errorf("got «%v», want it closed, with the hint %s", err, want)
	}
}

// Every row of the table says who executes what, and of what.
func TestSurfacesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range surfaces {
		for _, dir := range s.dirs {
			if seen[dir] || !strings.HasPrefix(dir, "~/") && !strings.HasPrefix(dir, "$") {
				t.Errorf("%s stands there twice, or is no place that is looked up", dir)
			}
			seen[dir] = true
		}
		names := map[string]bool{}
		for _, x := range s.runs {
			if x.why == "" || len(x.names) == 0 {
				t.Errorf("%s: %q says not why", s.dirs[0], x.names)
			}
			for _, name := range x.names {
				if names[name] || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") {
					t.Errorf("%s: %q stands there twice, or is no name", s.dirs[0], name)
				}
				names[name] = true
			}
		}
	}
}

// A link that a role made from what is executed to scratch of all roles keeps no
// run from starting: it is closed itself, and where it leads is told as open.
func TestExecutedLinkToScratch(t *testing.T) {
	g := newGround(t)
	a, err := g.executed(t, "[roles.dev]\n", "", "$HOME/.cache/", "$HOME/.claude/commands -> "+g.home+"/.cache")
	if err != nil {
		t.Fatal(err)
	}
	plan := a.Spec.Plan()
	if v := plan.Verdict(sandbox.OpReplace, g.home+"/.claude/commands"); v.Allowed {
		t.Errorf("the link can be replaced: %s", v.Rule)
	}
	if v := plan.Verdict(sandbox.OpWrite, g.home+"/.cache/x"); !v.Allowed {
		t.Errorf("scratch cannot be written: %s", v.Rule)
	}
	if !slices.ContainsFunc(a.Gaps, func(gap Gap) bool { return gap.Path == g.home+"/.cache" && gap.Left != "" }) {
		t.Errorf("got the gaps %+v, want ~/.cache among them", a.Gaps)
	}
}
