package sandbox

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestWithin(t *testing.T) {
	for _, tt := range []struct {
		p, dir string
		want   bool
	}{
		{"/a", "/a", true},
		{"/a/b", "/a", true},
		{"/a/b/c", "/a/b", true},
		{"/a", "/", true},
		{"/", "/", true},
		{"/", "/a", false},
		{"/a", "/a/b", false},
		// A prefix of the text is no directory.
		{"/ab", "/a", false},
		{"/a-b", "/a", false},
		{"/a b", "/a", false},
		{"/.secrets2/x", "/.secrets", false},
		{"/a/bc", "/a/b", false},
		{"/b", "/a", false},
		{"/A", "/a", false},
	} {
		if got := Within(tt.p, tt.dir); got != tt.want {
			t.Errorf("Within(%q, %q) = %v, want %v", tt.p, tt.dir, got, tt.want)
		}
	}
}

func TestNormalize(t *testing.T) {
	var s Spec
	s.Write = []Grant{
		{Path: "/b", Kind: Dir, Rule: "first"},
		{Path: "/a-b", Kind: Dir, Rule: "r"},
		{Path: "/a", Kind: Dir, Rule: "r"},
		{Path: "/a/b", Kind: Dir, Rule: "r"},
		{Path: "/b", Kind: Dir, Rule: "second"},
	}
	s.Env = []string{"B=1", "A=2"}
	s.Root, s.Cwd = "/r", "/r"
	if err := s.Validate(); err == nil {
		t.Error("Validate accepts what was not normalized")
	}
	s.Normalize()
	var got []string
	for _, g := range s.Write {
		got = append(got, g.Path+" "+g.Rule)
	}
	want := []string{"/a r", "/a-b r", "/a/b r", "/b first"}
	if !slices.Equal(got, want) {
		t.Errorf("Write = %q, want %q", got, want)
	}
	if want := []string{"A=2", "B=1"}; !slices.Equal(s.Env, want) {
		t.Errorf("Env = %q, want %q", s.Env, want)
	}
	if err := s.Validate(); err != nil {
		t.Errorf("Validate after Normalize: %v", err)
	}
	before := encode(t, s)
	s.Normalize()
	if after := encode(t, s); after != before {
		t.Errorf("a second Normalize changes the spec:\ngot  %s\nwant %s", after, before)
	}
}

// What comes from another process is checked before it is acted on.
func TestValidate(t *testing.T) {
	grant := Grant{Path: "/r/src", Kind: Dir, Rule: "r"}
	for _, tt := range []struct {
		name  string
		spoil func(*Spec)
		want  string // substring of the error; empty: valid
	}{
		{"Untouched", func(*Spec) {}, ""},
		{"Root is relative", func(s *Spec) { s.Root = "r" }, `"r" is not absolute and clean`},
		{"Root is empty", func(s *Spec) { s.Root = "" }, `"" is not absolute and clean`},
		{"Root ends in a slash", func(s *Spec) { s.Root = "/r/" }, `"/r/"`},
		{"Root climbs", func(s *Spec) { s.Root = "/r/.." }, `"/r/.."`},
		{"Root holds a NUL", func(s *Spec) { s.Root = "/r\x00" }, `"/r\x00"`},
		{"Cwd is empty", func(s *Spec) { s.Cwd = "" }, `"" is not absolute and clean`},
		{"A list is missing", func(s *Spec) { s.Shown = nil }, `role "dev": a list is missing`},
		{"A grant is relative", func(s *Spec) { s.Write[0].Path = "src" }, `"src" is not absolute and clean`},
		{"A grant climbs", func(s *Spec) { s.Closed[0].Path = "/r/../etc" }, `"/r/../etc"`},
		{"A grant has empty names", func(s *Spec) { s.Hidden[0].Path = "/r//x" }, `"/r//x"`},
		{"Twice", func(s *Spec) { s.Write = append(s.Write, grant, grant) }, `"/r/src" before "/r/src"`},
		{"Unsorted", func(s *Spec) { s.Read = append(s.Read, Grant{Path: "/a", Kind: Dir, Rule: "r"}) }, `before "/a"`},
		{"No kind", func(s *Spec) { s.Private[0].Kind = "" }, `has kind ""`},
		{"Unknown kind", func(s *Spec) { s.Sockets[0].Kind = "socket" }, `has kind "socket"`},
		{"A link is closed", func(s *Spec) { s.Closed[0].Kind = Link }, ""},
		{"A link is granted", func(s *Spec) { s.Write[0].Kind = Link }, `has kind "link"`},
		{"No rule", func(s *Spec) { s.Write[0].Rule = "" }, `names no rule`},
		{"A domain without ports", func(s *Spec) { s.Network[0].Ports = nil }, `domain "example.com" has no ports`},
		{"A variable without a value", func(s *Spec) { s.Env = []string{"PATH"} }, `"PATH" is not an environment variable`},
		{"A variable without a name", func(s *Spec) { s.Env = []string{"=x"} }, `"=x"`},
		{"A variable with a NUL", func(s *Spec) { s.Env = []string{"A=\x00B=1"} }, `is not an environment variable`},
		// A spec travels as JSON, which would put U+FFFD in their place.
		{"Root is not UTF-8", func(s *Spec) { s.Root = "/r\xff" }, `the path "/r\xff" is not UTF-8`},
		{"Cwd is not UTF-8", func(s *Spec) { s.Cwd = "/r/\xc3" }, `"/r/\xc3"`},
		{"A grant is not UTF-8", func(s *Spec) { s.Write[0].Path = "/r/\xe9t\xe9" }, `"/r/\xe9t\xe9"`},
		{"A git directory is not UTF-8", func(s *Spec) { s.Gitdirs[0].Common = "/r/\xff" }, `"/r/\xff"`},
		{"A git directory is relative", func(s *Spec) { s.Gitdirs[0].Path = ".git" }, `".git" is not absolute and clean`},
		{"A variable is not UTF-8", func(s *Spec) { s.Env = []string{"HOME=/\xff"} }, `the environment variable "HOME=/\xff" is not UTF-8`},
		{"A variable of nothing", func(s *Spec) { s.Env = []string{"A="} }, ""},
		{"A variable with two signs", func(s *Spec) { s.Env = []string{"A=b=c"} }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := fullSpec()
			tt.spoil(&s)
			err := s.Validate()
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("Validate: %v, want nil", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("Validate = «%v», want «…%s…»", err, tt.want)
			}
		})
	}
}

func TestEncodingError(t *testing.T) {
	for _, tt := range []struct {
		err  EncodingError
		want string
	}{
		{EncodingError{Path: "/a/b\xff/c\xff"}, `rename "/a/b\xff"`},
		{EncodingError{Variable: "HOME=/\xff"}, "unset HOME, or set it to text in UTF-8"},
	} {
		if got := tt.err.Hint(); got != tt.want {
			t.Errorf("got «%s», want «%s»", got, tt.want)
		}
	}
}

func TestAbsent(t *testing.T) {
	if !(Grant{}).Absent() {
		t.Error("a grant without an identity is not absent")
	}
	if (Grant{ID: FileID{Ino: 1}}).Absent() {
		t.Error("a grant with an identity is absent")
	}
}

// Unidentified forgets what stood there, of those grants and in the copy only.
func TestUnidentified(t *testing.T) {
	s := fullSpec()
	before := encode(t, s)
	got := s.Unidentified(func(p string) bool { return p == "/r/src" || p == "/tmp" })
	if encode(t, s) != before {
		t.Error("the spec itself was changed")
	}
	for _, list := range got.grantLists() {
		for _, g := range *list {
			want := FileID{Dev: 1, Ino: 2}
			if g.Path == "/r/src" || g.Path == "/tmp" {
				want = FileID{}
			}
			if g.ID != want {
				t.Errorf("%s has the identity %+v, want %+v", g.Path, g.ID, want)
			}
		}
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fullSpec has something in every field.
func fullSpec() Spec {
	list := func(p string) []Grant {
		return []Grant{{Path: p, Kind: Dir, Part: Territory, Rule: "rule of " + p, ID: FileID{Dev: 1, Ino: 2}}}
	}
	return Spec{
		Role: "dev", Key: "dev", Root: "/r", RootID: "abcdefgh", Cwd: "/r",
		Write: list("/r/src"), Read: list("/r/.k/a"), Hidden: list("/r/.k"), Closed: list("/r/.git"),
		Private: list("/tmp"), Shown: list("/tmp/s"), Skeletons: list("/h"), Entries: list("/h/e"), Sockets: list("/run/x"),
		Gitdirs: []Gitdir{{Path: "/r/.git", Common: "/r/.git", Mode: "read"}},
		Network: []Domain{{Name: "example.com", Ports: []uint16{443}, Rule: "rule"}},
		Ports:   []Port{{Box: 3000, Host: 3001}},
		Env:     []string{"A=1"}, UserNS: true, Require: []string{"landlock-scope"}, Timeout: 1,
		Environment: json.RawMessage(`{}`),
	}
}
