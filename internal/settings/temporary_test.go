package settings

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"seisin/internal/sandbox"
)

// C24, F22: whatever TMPDIR is outside, a run has temporary files of its own,
// and where TMPDIR is no place for them the person is told.
func TestTmpdir(t *testing.T) {
	note := func(dir, why string) []string { return []string{"0: TMPDIR is /tmp inside: \"" + dir + "\" " + why} }
	for _, tt := range []struct {
		name   string
		make   []string
		tmpdir string // "-": not set
		inside string // TMPDIR of the box, where it is not /tmp
		notes  []string
	}{
		{name: "Unset", tmpdir: "-"},
		{name: "Empty", tmpdir: ""},
		{name: "TheUsual", tmpdir: "/tmp"},
		{name: "WithASlash", make: []string{"$OUT/t/"}, tmpdir: "$OUT/t/", inside: "$OUT/t"},
		{name: "Elsewhere", make: []string{"$OUT/t/"}, tmpdir: "$OUT/t", inside: "$OUT/t"},
		{name: "Link", make: []string{"$OUT/t/", "$OUT/l -> t"}, tmpdir: "$OUT/l", inside: "$OUT/t"},
		{name: "InScratch", make: []string{"$HOME/.cache/t/"}, tmpdir: "$HOME/.cache/t", inside: "$HOME/.cache/t"},
		{name: "InTheHome", make: []string{"$HOME/tmp/"}, tmpdir: "$HOME/tmp", inside: "$HOME/tmp"},
		{name: "AboveTheHome", tmpdir: "/var/cache", inside: "/var/cache"},

		{name: "Relative", tmpdir: "t", notes: note("t", "is relative")},
		{name: "Here", tmpdir: ".", notes: note(".", "is relative")},
		{name: "Absent", tmpdir: "$OUT/none", notes: note("$OUT/none", "is no directory")},
		{name: "File", make: []string{"$OUT/f"}, tmpdir: "$OUT/f", notes: note("$OUT/f", "is no directory")},
		{name: "Dangling", make: []string{"$OUT/l -> none"}, tmpdir: "$OUT/l", notes: note("$OUT/l", "leads nowhere")},
		{name: "Loop", make: []string{"$OUT/l -> l"}, tmpdir: "$OUT/l", notes: note("$OUT/l", "leads nowhere")},
		{name: "TheRepository", tmpdir: "$ROOT", notes: note("$ROOT", "lies in the repository")},
		{name: "InTheRepository", make: []string{"tmp/"}, tmpdir: "$ROOT/tmp", notes: note("$ROOT/tmp", "lies in the repository")},
		{name: "InTheRepositoryThroughALink", make: []string{"$OUT/l -> $ROOT/src"}, tmpdir: "$OUT/l", notes: note("$OUT/l", "lies in the repository")},
		{name: "InGit", tmpdir: "$ROOT/.git/hooks", notes: note("$ROOT/.git/hooks", "lies in the repository")},
		{name: "TheHome", tmpdir: "$HOME", notes: note("$HOME", "is not for temporary files")},
		{name: "TheHomeThroughALink", make: []string{"$OUT/h -> $HOME"}, tmpdir: "$OUT/h", notes: note("$OUT/h", "is not for temporary files")},
		{name: "TheMachine", tmpdir: "/", notes: note("/", "is not for temporary files")},
		{name: "WhatEveryBoxHas", tmpdir: "/dev/shm", notes: note("/dev/shm", "is not for temporary files")},
		{name: "Run", tmpdir: "/run", notes: note("/run", "is not for temporary files")},
		{name: "State", make: []string{"$HOME/.local/state/seisin/t/"}, tmpdir: "$HOME/.local/state/seisin/t",
			notes: note("$HOME/.local/state/seisin/t", "is not for temporary files")},
		{name: "Keys", make: []string{"$OUT/keys/"}, tmpdir: "$OUT/keys", notes: note("$OUT/keys", "is not for temporary files")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, tt.make...)
			if tt.tmpdir != "-" {
				t.Setenv("TMPDIR", g.expand(tt.tmpdir))
			}
			a := g.answer(t, "[keys]\ndir = '$OUT/keys'\n[roles.dev]\nwrites = ['src/**']\n")
			want, inside := []string{"/tmp", "/var/tmp"}, "/tmp"
			if tt.inside != "" {
				inside = g.expand(tt.inside)
				want = append(want, inside)
			}
			slices.Sort(want)
			var got []string
			for _, grant := range a.Spec.Private {
				got = append(got, grant.Path)
			}
			wantLines(t, "private", got, slices.Compact(want))
			wantLines(t, "notes", g.notes(a), tt.notes)
			if !slices.Contains(a.Spec.Env, "TMPDIR="+inside) {
				t.Errorf("got %q, want TMPDIR=%s", a.Spec.Env, inside)
			}
			// It can be written, and the repository beyond src can not.
			p := a.Spec.Plan()
			for name, want := range map[string]bool{inside + "/x": true, g.root + "/src/x": true, g.root + "/docs/x": false, g.root + "/seisin.toml": false} {
				if v := p.Verdict(sandbox.OpWrite, name); v.Allowed != want {
					t.Errorf("a write of %s is allowed: %v (%s), want %v", g.fold(name), v.Allowed, v.Rule, want)
				}
			}
			if v := p.Verdict(sandbox.OpRead, g.root+"/docs/d"); !v.Allowed || !inHost(p, g.root) {
				t.Errorf("the repository is not seen: %+v", v)
			}
		})
	}
}

// inHost reports whether what is seen at name is the host's, and not a
// directory of the run's own that covers it.
func inHost(p sandbox.Plan, name string) bool {
	for ; ; name = filepath.Dir(name) {
		for _, m := range p.Mounts {
			if m.Path == name {
				return !m.Own
			}
		}
	}
}

// A repository, a home, programs and grants that lie in /tmp are seen there.
func TestWhatLiesInTmpIsShown(t *testing.T) {
	g := newGround(t)
	tmp, err := os.MkdirTemp("/tmp", "seisin-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	for _, move := range []*string{&g.root, &g.home} {
		to := filepath.Join(tmp, filepath.Base(*move))
		if err := os.Rename(*move, to); err != nil {
			// Another file system: git's files are few.
			if err := os.CopyFS(to, os.DirFS(*move)); err != nil {
				t.Fatal(err)
			}
		}
		*move = to
	}
	g.out = tmp + "/out"
	g.make(t, "$OUT/bin/tool", "$OUT/lib/x", "$OUT/private/x", "$HOME/.cache/", "$OUT/rel -> lib")
	t.Setenv("HOME", g.home)
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"} {
		unset(t, name)
	}
	t.Setenv("PATH", g.out+"/bin:relative:"+g.out+"/none:"+g.out+"/rel:/usr/bin:/bin")
	a := g.answer(t, "[roles.dev]\nwrites = ['src/**', '$OUT/lib/w/**']\n")
	wantLines(t, "shown", g.grants(a.Spec.Shown), []string{"$HOME dir", "$OUT/bin dir", "$OUT/lib dir", "$ROOT dir", "$ROOT/.git dir"})
	p := a.Spec.Plan()
	for name, want := range map[string]bool{
		g.root + "/docs/d": true, g.home + "/.bashrc": true, g.out + "/bin/tool": true, g.out + "/lib/x": true,
		g.root + "/.git/HEAD": true, g.home + "/.cache/x": true, g.out + "/lib/w/x": true,
		g.out + "/private/x": false, "/tmp/x": false,
	} {
		if got := inHost(p, name); got != want {
			t.Errorf("%s is the host's: %v, want %v", g.fold(name), got, want)
		}
	}
	for name, want := range map[string]bool{
		"/tmp/x": true, g.root + "/src/x": true, g.out + "/lib/w/x": true, g.home + "/.cache/x": true,
		g.root + "/docs/d": false, g.home + "/.bashrc": false, g.out + "/bin/tool": false, g.root + "/seisin.toml": false,
	} {
		if v := p.Verdict(sandbox.OpWrite, name); v.Allowed != want {
			t.Errorf("a write of %s is allowed: %v (%s), want %v", g.fold(name), v.Allowed, v.Rule, want)
		}
	}
}

// Where nothing is the run's own, nothing needs to be shown but the
// repository.
func TestShownIsNoMoreThanNeeded(t *testing.T) {
	g := newGround(t)
	t.Setenv("PATH", "/usr/bin:/bin")
	a := g.answer(t, "[roles.dev]\n")
	wantLines(t, "shown", g.grants(a.Spec.Shown), []string{"$ROOT dir"})
}
