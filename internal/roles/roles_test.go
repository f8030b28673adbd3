package roles

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// full has every key of every table, as the design shows them.
const full = `[keys]
dir = [".secrets", "/srv/keys"]

[network]
allow = ["@claude"]

[runtime]
isolate  = "credentials"
writes   = ["~/.cache", "$TMPDIR", "/var/cache/x"]
provider = "native"
require  = ["landlock-scope"]

[audit]
trace    = "reads"
required = true

[roles.dev]
command       = ["claude", "--dangerously-skip-permissions", ""]
writes        = [
  "src/**", # all of it
  "node_modules/",

  "package.json",
  "/srv/shared/**",
]
never_writes  = ["src/generated/**"]
reads         = ["~/.config/gh"]
keys          = ["github-token.txt", "/srv/keys/b"]
env           = ["NODE_ENV"]
network       = ["@shared", "@npm", "API.example.com.", "github.com:22",
  "localhost:5432"]
ports         = [3000, "8080:5173"]
sockets       = ["/run/postgresql/.s.PGSQL.5432"]
git           = "none"
sign          = false
control_files = ["ide"]
userns        = true
timeout       = "2h"

[roles.reviewer]
writes = []
`

func TestParseReadsEveryKey(t *testing.T) {
	web := []uint16{443, 80}
	want := &Policy{
		Path:    "p/seisin.toml",
		Keys:    Keys{Dirs: []Text{{".secrets", 2}, {"/srv/keys", 2}}},
		Network: Network{Set: true, Allow: []Dest{{Text: Text{"@claude", 5}, Kind: KindSet, Name: "@claude"}}},
		Runtime: Runtime{
			Isolate: IsolateCredentials, IsolateLine: 8, IsolateSet: true,
			Writes:    []Text{{"~/.cache", 9}, {"$TMPDIR", 9}, {"/var/cache/x", 9}},
			WritesSet: true, WritesLine: 9,
			Provider: "native", ProviderLine: 10,
			Require: []Text{{"landlock-scope", 11}},
		},
		Audit: Audit{Trace: "reads", TraceLine: 14, Required: true, RequiredLine: 15},
		Roles: []Role{{
			Name: "dev", Line: 17,
			Command: []string{"claude", "--dangerously-skip-permissions", ""}, CommandLine: 18,
			Writes: []Pattern{
				{Text: Text{"src/**", 20}, Path: "src", Tree: true},
				{Text: Text{"node_modules/", 21}, Path: "node_modules", Tree: true},
				{Text: Text{"package.json", 23}, Path: "package.json"},
				{Text: Text{"/srv/shared/**", 24}, Path: "/srv/shared", Tree: true, Abs: true},
			},
			WritesSet: true, WritesLine: 19,
			NeverWrites: []Pattern{{Text: Text{"src/generated/**", 26}, Path: "src/generated", Tree: true}},
			Reads:       []Text{{"~/.config/gh", 27}},
			Keys:        []Text{{"github-token.txt", 28}, {"/srv/keys/b", 28}},
			Env:         []Text{{"NODE_ENV", 29}},
			Network: []Dest{
				{Text: Text{"@shared", 30}, Kind: KindSet, Name: "@shared"},
				{Text: Text{"@npm", 30}, Kind: KindSet, Name: "@npm"},
				{Text: Text{"API.example.com.", 30}, Kind: KindName, Name: "api.example.com", Ports: web},
				{Text: Text{"github.com:22", 30}, Kind: KindName, Name: "github.com", Ports: []uint16{22}},
				{Text: Text{"localhost:5432", 31}, Kind: KindLocalhost, Name: "localhost", Ports: []uint16{5432}},
			},
			NetworkSet: true, NetworkLine: 30,
			Ports: []Port{
				{Text: Text{"3000", 32}, Host: 3000, Box: 3000},
				{Text: Text{"8080:5173", 32}, Host: 8080, Box: 5173, Exact: true},
			},
			Sockets: []Text{{"/run/postgresql/.s.PGSQL.5432", 33}},
			Git:     "none", GitLine: 34,
			Sign: false, SignLine: 35,
			ControlFiles: []Text{{"ide", 36}},
			Userns:       true, UsernsLine: 37,
			Timeout: 2 * time.Hour, TimeoutLine: 38,
		}, {
			Name: "reviewer", Line: 40,
			Writes: []Pattern{}, WritesSet: true, WritesLine: 41,
			Git: "read", Sign: true,
		}},
	}
	got, err := Parse("p/seisin.toml", []byte(full))
	if err != nil {
		t.Fatalf("Parse(full): %v", err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Parse(full) =\n\t%+v\nwant\n\t%+v", got, want)
	}
}

// An empty file is well formed, and has no role to run (C11).
func TestParseEmpty(t *testing.T) {
	for _, in := range []string{"", "# nothing\n", "[roles]\n", "[network]\nallow = []\n"} {
		p, err := Parse(FileName, []byte(in))
		if err != nil {
			t.Errorf("Parse(%q): %v", in, err)
			continue
		}
		if p.Runtime.Isolate != IsolateNone || p.Runtime.Provider != "native" || p.Audit.Trace != "writes" {
			t.Errorf("Parse(%q) = %+v, want the defaults", in, p)
		}
		if r, err := p.Find("dev"); err == nil {
			t.Errorf("Find in %q = %+v, want an error", in, r)
		}
	}
}

// One file may be written in many ways.
func TestParseSpellings(t *testing.T) {
	for _, tt := range []struct{ name, in string }{
		{"Plain", "[roles.dev]\nwrites = [\"src/api/**\"]\n"},
		{"CRLF", "[roles.dev]\r\nwrites = [\"src/api/**\"]\r\n"},         // C11 ok-crlf
		{"QuotedKeys", "[\"roles\".\"dev\"]\nwrites = ['src/api/**']\n"}, // C11 ok-quoted
		{"Dotted", "roles.dev.writes = ['src/api/**']\n"},
		{"DottedInTable", "[roles]\ndev.writes = ['src/api/**']\n"},
		{"InlineRole", "[roles]\ndev = { writes = ['src/api/**'] }\n"},
		{"InlineAll", "roles = { dev = { writes = ['src/api/**'] } }\n"},
		{"HeaderAfterImplied", "[roles.dev]\nwrites = ['src/api/**']\n[roles]\n"},
		{"MultilineString", "[roles.dev]\nwrites = ['''\nsrc/api/**''']\n"},
		{"Escape", "[roles.dev]\nwrites = [\"src/\\u0061pi/**\"]\n"},
		{"NoLastNewline", "[roles.dev]\nwrites = ['src/api/**']"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse(FileName, []byte(tt.in))
			if err != nil {
				t.Fatalf("Parse(): %v", err)
			}
			r, err := p.Find("dev")
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Writes) != 1 || r.Writes[0].Path != "src/api" || !r.Writes[0].Tree || r.Git != "commit" {
				t.Errorf("dev = %+v, want writes of the tree src/api and git \"commit\"", r)
			}
		})
	}
}

// Roles come in the order of the file, however they are written.
func TestRolesInOrder(t *testing.T) {
	in := "roles.z.writes = []\nroles.a.writes = []\n"
	in2 := "[roles.z]\n[keys]\n[roles.m]\n[roles.a]\n"
	for in, want := range map[string]string{in: "z a", in2: "z m a"} {
		p, err := Parse(FileName, []byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.names(), " "); got != want {
			t.Errorf("roles of %q = %q, want %q", in, got, want)
		}
	}
}

// Lines are those of the elements, also in inline tables and after strings of
// several lines.
func TestElementLines(t *testing.T) {
	p, err := Parse(FileName, []byte("[roles]\ndev = { command = ['a', \"\"\"\nb\n\"\"\"], env = [\n 'A',\n # x ]\n 'B', 'C',\n] }\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Text{{"A", 5}, {"B", 7}, {"C", 7}}
	if got := p.Roles[0].Env; !reflect.DeepEqual(got, want) {
		t.Errorf("env = %v, want %v", got, want)
	}
}

func TestGitDefault(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "read",
		"writes = []":                     "read",
		"writes = ['a']":                  "commit",
		"writes = ['a']\ngit = 'read'":    "read",
		"writes = []\ngit = 'commit'":     "commit",
		"git = 'none'\nwrites = ['a/**']": "none",
	} {
		p, err := Parse(FileName, []byte("[roles.dev]\n"+in))
		if err != nil {
			t.Fatalf("Parse(%q): %v", in, err)
		}
		if got := p.Roles[0].Git; got != want {
			t.Errorf("git of %q = %q, want %q", in, got, want)
		}
	}
}

func TestIsolate(t *testing.T) {
	for in, want := range map[string]Isolation{
		`false`:         IsolateNone,
		`true`:          IsolateHome,
		`"home"`:        IsolateHome,
		`"credentials"`: IsolateCredentials,
	} {
		p, err := Parse(FileName, []byte("[runtime]\nisolate = "+in))
		if err != nil {
			t.Fatalf("isolate = %s: %v", in, err)
		}
		if got := p.Runtime; got.Isolate != want || !got.IsolateSet || got.IsolateLine != 2 {
			t.Errorf("isolate = %s gives %+v, want %q", in, got, want)
		}
	}
}

func TestTrace(t *testing.T) {
	for in, want := range map[string]string{`false`: "none", `"writes"`: "writes", `"reads"`: "reads"} {
		p, err := Parse(FileName, []byte("[audit]\ntrace = "+in))
		if err != nil {
			t.Fatalf("trace = %s: %v", in, err)
		}
		if p.Audit.Trace != want {
			t.Errorf("trace = %s gives %q, want %q", in, p.Audit.Trace, want)
		}
	}
}

// An empty list and no list are two things.
func TestEmptyListIsSet(t *testing.T) {
	p, err := Parse(FileName, []byte("[network]\nallow = []\n[runtime]\nwrites = []\n[roles.a]\nnetwork = []\n[roles.b]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !p.Network.Set || !p.Runtime.WritesSet || !p.Roles[0].NetworkSet || p.Roles[1].NetworkSet {
		t.Errorf("got %+v, want all but the network of b set", p)
	}
}

func TestFind(t *testing.T) {
	p, err := Parse(FileName, []byte("[roles.dev]\n[roles.docs]\n[roles.a]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Find("docs"); err != nil || r != &p.Roles[1] {
		t.Errorf("Find(docs) = %p, %v, want the second role", r, err)
	}
	for _, tt := range []struct{ name, hint string }{
		{"dve", "did you mean \"dev\"?\nthe roles are: dev, docs, a"},
		{"Dev", "did you mean \"dev\"?\nthe roles are: dev, docs, a"},
		{"reviewer", "the roles are: dev, docs, a"},
		{"", "the roles are: dev, docs, a"},
	} {
		_, err := p.Find(tt.name)
		nf, ok := errors.AsType[*NotFoundError](err)
		if !ok {
			t.Fatalf("Find(%q) error = %v, want a *NotFoundError", tt.name, err)
		}
		if got, want := nf.Error(), "no role \""+tt.name+"\" in seisin.toml"; got != want {
			t.Errorf("Find(%q) error = «%s», want «%s»", tt.name, got, want)
		}
		if nf.Hint() != tt.hint {
			t.Errorf("Find(%q) hint = «%s», want «%s»", tt.name, nf.Hint(), tt.hint)
		}
	}
	empty := &NotFoundError{Name: "dev", Path: FileName}
	if got, want := empty.Hint(), "the file has no roles; add a table [roles.NAME]"; got != want {
		t.Errorf("hint of a file without roles = «%s», want «%s»", got, want)
	}
}
