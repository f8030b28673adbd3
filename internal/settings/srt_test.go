package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// srtSpec is a spec as For makes them, without asking a file system.
func srtSpec() sandbox.Spec {
	grant := func(p string, part sandbox.Part, kind sandbox.Kind) sandbox.Grant {
		return sandbox.Grant{Path: p, Part: part, Kind: kind, Rule: "a rule", ID: sandbox.FileID{Dev: 1, Ino: 1}}
	}
	s := sandbox.Spec{
		Role: "dev", Root: "/w/repo", Cwd: "/w/repo",
		Write: []sandbox.Grant{
			grant("/h/.cache", sandbox.Scratch, sandbox.Dir),
			grant("/h/.claude", sandbox.Scratch, sandbox.Dir),
			grant("/h/.codex", sandbox.Scratch, sandbox.Dir),
			grant("/h/.local/share", sandbox.Scratch, sandbox.Dir),
			grant("/h/.local/state", sandbox.Scratch, sandbox.Dir),
			grant("/w/repo/src", sandbox.Territory, sandbox.Dir),
			grant("/w/repo/NOTES", sandbox.Territory, sandbox.File),
		},
		Closed: []sandbox.Grant{
			grant("/w/repo/.git", sandbox.Git, sandbox.Dir),
			grant("/w/repo/seisin.toml", sandbox.Policy, sandbox.File),
		},
		Hidden: []sandbox.Grant{
			grant("/h/.local/state/seisin", sandbox.State, sandbox.Dir),
			grant("/w/repo/.secrets", sandbox.Keys, sandbox.Dir),
		},
		Private: []sandbox.Grant{
			grant("/no-such-tmp", sandbox.Temporary, sandbox.Dir),
			grant("/tmp", sandbox.Temporary, sandbox.Dir),
			grant("/var/tmp", sandbox.Temporary, sandbox.Dir),
		},
		Env: []string{"HOME=/h", "TMPDIR=/no-such-tmp"},
	}
	s.Normalize()
	return s
}

func mustSRT(t *testing.T, spec sandbox.Spec, role roles.Role, policy roles.Policy, spool string) (SRTFile, []string) {
	t.Helper()
	file, left, err := SRT(&Answer{Spec: spec}, &role, &policy, spool)
	if err != nil {
		t.Fatal(err)
	}
	return file, left
}

// A missing field makes sandbox-runtime refuse to start, and a table in
// the wrong place is read as none. So also for the zero role.
func TestSRTHasEveryField(t *testing.T) {
	for _, tt := range []struct {
		name string
		spec sandbox.Spec
		role roles.Role
	}{
		{"ZeroRole", sandbox.Spec{}, roles.Role{}},
		{"WholeRole", srtSpec(), roles.Role{Name: "dev"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file, _ := mustSRT(t, tt.spec, tt.role, roles.Policy{}, "")
			b, err := json.Marshal(file)
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]map[string]any
			if err := json.Unmarshal(b, &got); err != nil {
				t.Fatal(err)
			}
			fields := 0
			for table, keys := range map[string][]string{
				"network":    {"allowedDomains", "deniedDomains", "allowUnixSockets", "allowLocalBinding"},
				"filesystem": {"denyRead", "allowRead", "allowWrite", "denyWrite"},
			} {
				for _, key := range keys {
					fields++
					want := reflect.TypeFor[[]any]()
					if key == "allowLocalBinding" {
						want = reflect.TypeFor[bool]()
					}
					if typ := reflect.TypeOf(got[table][key]); typ != want {
						t.Errorf("%s.%s: got %v, want %v", table, key, typ, want)
					}
				}
			}
			if n := len(got["network"]) + len(got["filesystem"]); n != fields || len(got) != 2 {
				t.Errorf("got %d fields in %d tables, want %d in 2", n, len(got), fields)
			}
		})
	}
}

// A role's own list replaces the shared one, an empty one too; a port
// that is not written is none but the two of the web.
func TestSRTDomains(t *testing.T) {
	dest := func(kind roles.Kind, name string, ports ...uint16) roles.Dest {
		return roles.Dest{Text: roles.Text{Value: name}, Kind: kind, Name: name, Ports: ports}
	}
	shared := roles.Policy{Network: roles.Network{Set: true, Allow: []roles.Dest{dest(roles.KindName, "s.example.com", 443, 80)}}}
	for _, tt := range []struct {
		name     string
		role     roles.Role
		want     []string
		wantLeft string
	}{
		{name: "NoListIsTheSharedOne", want: []string{"s.example.com:443", "s.example.com:80"}},
		{name: "EmptyIsNone", role: roles.Role{NetworkSet: true}, want: []string{}},
		{
			name: "OwnReplaces",
			role: roles.Role{NetworkSet: true, Network: []roles.Dest{dest(roles.KindName, "a.example.com", 8443)}},
			want: []string{"a.example.com:8443"},
		},
		{
			name: "SharedIsNamedOnce",
			role: roles.Role{NetworkSet: true, Network: []roles.Dest{
				dest(roles.KindName, "s.example.com", 443), dest(roles.KindSet, "@shared"),
			}},
			want: []string{"s.example.com:443", "s.example.com:80"},
		},
		{
			name: "Spellings",
			role: roles.Role{NetworkSet: true, Network: []roles.Dest{
				dest(roles.KindWildcard, "*.example.org", 443), dest(roles.KindIP, "192.0.2.1", 80),
				dest(roles.KindIP, "2001:db8::1", 443), dest(roles.KindLocalhost, "localhost", 5432),
			}},
			want: []string{"*.example.org:443", "192.0.2.1:80", "[2001:db8::1]:443", "localhost:5432"},
		},
		{
			name:     "SetsAreNotExpandedYet",
			role:     roles.Role{NetworkSet: true, Network: []roles.Dest{dest(roles.KindSet, "@claude")}},
			want:     []string{},
			wantLeft: "@claude is left out",
		},
		{
			// sandbox-runtime would refuse the whole file.
			name:     "NameWithoutADot",
			role:     roles.Role{NetworkSet: true, Network: []roles.Dest{dest(roles.KindName, "intranet", 443)}},
			want:     []string{},
			wantLeft: "intranet is left out",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file, left := mustSRT(t, srtSpec(), tt.role, shared, "")
			if got := file.Network.AllowedDomains; !slices.Equal(got, tt.want) {
				t.Errorf("allowedDomains: got %q, want %q", got, tt.want)
			}
			if got := strings.Join(left, "\n"); !strings.Contains(got, tt.wantLeft) || tt.wantLeft == "" && got != "" {
				t.Errorf("left out: got %q, want %q", got, tt.wantLeft)
			}
			if n := file.Network; len(n.DeniedDomains) != 0 || n.AllowLocalBinding {
				t.Errorf("got denied %q and local binding %v, want none", n.DeniedDomains, n.AllowLocalBinding)
			}
		})
	}
}

// The scratch list is the person's where there is one, an empty one too,
// and no grant ever opens the repository.
func TestSRTAllowWrite(t *testing.T) {
	territory := []string{"/w/repo/NOTES", "/w/repo/src"}
	five := []string{"/h/.cache", "/h/.claude", "/h/.codex", "/h/.local/share", "/h/.local/state"}
	without := func(part sandbox.Part) sandbox.Spec {
		s := srtSpec()
		s.Write = slices.DeleteFunc(s.Write, func(g sandbox.Grant) bool { return g.Part == part })
		return s
	}
	inScratch := srtSpec()
	inScratch.Root = "/h/.cache/repo"
	for _, tt := range []struct {
		name   string
		spec   sandbox.Spec
		policy roles.Policy
		want   []string
	}{
		{"DefaultIsSeven", srtSpec(), roles.Policy{}, slices.Concat(territory, five, []string{"/no-such-tmp", "/tmp"})},
		{"EmptyListIsNone", without(sandbox.Scratch), roles.Policy{Runtime: roles.Runtime{WritesSet: true}}, territory},
		{
			"OwnListReplaces", without(sandbox.Scratch),
			roles.Policy{Runtime: roles.Runtime{WritesSet: true, Writes: []roles.Text{{Value: "/tmp"}}}},
			slices.Concat(territory, []string{"/tmp"}),
		},
		{
			"ScratchThatHoldsTheRepositoryIsLeftOut", inScratch, roles.Policy{},
			slices.Concat(territory, five[1:], []string{"/no-such-tmp", "/tmp"}),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file, _ := mustSRT(t, tt.spec, roles.Role{}, tt.policy, "")
			if got := file.Filesystem.AllowWrite; !slices.Equal(got, tt.want) {
				t.Errorf("allowWrite: got %q, want %q", got, tt.want)
			}
		})
	}
}

// A grant that does not exist would be skipped there without a word (LX-5).
func TestSRTTellsAbsentGrants(t *testing.T) {
	spec := srtSpec()
	for i := range spec.Write {
		if spec.Write[i].Path == "/w/repo/NOTES" {
			spec.Write[i].ID = sandbox.FileID{}
		}
	}
	_, left := mustSRT(t, spec, roles.Role{}, roles.Policy{}, "")
	if got, want := strings.Join(left, "\n"), "make it first: /w/repo/NOTES"; !strings.HasSuffix(got, want) {
		t.Errorf("left out: got %q, want %q at the end", got, want)
	}
}

// The spool is the one socket that may be connected to. Neither it nor
// its directory can be written, and policy, state, keys and git's
// own never can, spool or not.
func TestSRTSpool(t *testing.T) {
	closed := []string{"/h/.local/state/seisin", "/w/repo/.git", "/w/repo/.secrets", "/w/repo/seisin.toml"}
	for _, tt := range []struct {
		spool                         string
		sockets, denyWrite, allowRead []string
	}{
		{"", []string{}, closed, []string{}},
		{"/r/x/spool", []string{"/r/x/spool"}, slices.Concat(closed, []string{"/r/x/spool", "/r/x"}), []string{}},
		{
			// In the state, which is hidden, it is shown, and nothing beside it.
			"/h/.local/state/seisin/run/x/spool",
			[]string{"/h/.local/state/seisin/run/x/spool"},
			slices.Concat(closed, []string{"/h/.local/state/seisin/run/x/spool", "/h/.local/state/seisin/run/x"}),
			[]string{"/h/.local/state/seisin/run/x/spool"},
		},
	} {
		file, _ := mustSRT(t, srtSpec(), roles.Role{}, roles.Policy{}, tt.spool)
		for _, list := range []struct {
			name      string
			got, want []string
		}{
			{"allowUnixSockets", file.Network.AllowUnixSockets, tt.sockets},
			{"denyWrite", file.Filesystem.DenyWrite, tt.denyWrite},
			{"allowRead", file.Filesystem.AllowRead, tt.allowRead},
			{"denyRead", file.Filesystem.DenyRead, []string{"/h/.local/state/seisin", "/w/repo/.secrets"}},
		} {
			if !slices.Equal(list.got, list.want) {
				t.Errorf("spool %q: %s: got %q, want %q", tt.spool, list.name, list.got, list.want)
			}
		}
	}
}

// Sockets and ports of the policy are not in the file, and that is said.
func TestSRTTellsWhatItLeavesOut(t *testing.T) {
	role := roles.Role{
		Sockets: []roles.Text{{Value: "/s"}}, Ports: []roles.Port{{Box: 1, Host: 1}},
	}
	_, left := mustSRT(t, srtSpec(), role, roles.Policy{}, "")
	for _, want := range []string{"sockets are left out", "ports are left out"} {
		if !slices.ContainsFunc(left, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("left out: got %q, want %q among it", left, want)
		}
	}
}

// On Linux sandbox-runtime drops what looks like a pattern: a denial would be
// none.
func TestSRTRefusesPatterns(t *testing.T) {
	for _, c := range "*?[]" {
		odd := fmt.Sprintf("/w/a%cb", c)
		for _, list := range []func(*sandbox.Spec) *[]sandbox.Grant{
			func(s *sandbox.Spec) *[]sandbox.Grant { return &s.Write },
			func(s *sandbox.Spec) *[]sandbox.Grant { return &s.Closed },
			func(s *sandbox.Spec) *[]sandbox.Grant { return &s.Hidden },
			func(s *sandbox.Spec) *[]sandbox.Grant { return &s.Read },
		} {
			spec := srtSpec()
			*list(&spec) = append(*list(&spec), sandbox.Grant{Path: odd, Part: sandbox.Territory})
			_, _, err := SRT(&Answer{Spec: spec}, &roles.Role{}, &roles.Policy{}, "")
			if e, ok := errors.AsType[*GlobError](err); !ok || e.Path != odd || e.Hint() == "" {
				t.Errorf("%q: got error %v, want a GlobError with a hint", odd, err)
			}
		}
		if _, _, err := SRT(&Answer{Spec: srtSpec()}, &roles.Role{}, &roles.Policy{}, odd); err == nil {
			t.Errorf("spool %q: got no error", odd)
		}
	}
}
