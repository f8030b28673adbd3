package gitdir

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestParseGitfile(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   string
		want string
		why  string // substring
	}{
		{name: "Absolute", in: "gitdir: /a/b\n", want: "/a/b"},
		{name: "Relative", in: "gitdir: ../b\n", want: "/w/../b"},
		{name: "NoNewline", in: "gitdir: b", want: "/w/b"},
		{name: "CRLF", in: "gitdir: b\r\n", want: "/w/b"},
		{name: "ManyNewlines", in: "gitdir: b\n\r\n\n", want: "/w/b"},
		{name: "SpacesBelongToThePath", in: "gitdir:  b \n", want: "/w/ b "},
		{name: "NewlinesInsideToo", in: "gitdir: a\nb\n", want: "/w/a\nb"},
		{name: "NoSpace", in: "gitdir:b\n", why: "does not begin"},
		{name: "OtherCase", in: "Gitdir: b\n", why: "does not begin"},
		{name: "ByteOrderMark", in: "\ufeffgitdir: b\n", why: "does not begin"},
		{name: "Empty", in: "", why: "does not begin"},
		{name: "NoPath", in: "gitdir: \n", why: "no path"},
		// git reads up to the NUL, the kernel could not be asked for more.
		{name: "NUL", in: "gitdir: a\x00b\n", why: "NUL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, why := parseGitfile("/w", []byte(tt.in))
			if got != tt.want || !strings.Contains(why, tt.why) || (why == "") != (tt.why == "") {
				t.Errorf("parseGitfile(%q) = %q, %q, want %q, %q", tt.in, got, why, tt.want, tt.why)
			}
		})
	}
}

// FuzzGitfile: whatever a gitfile holds, it names an absolute path or is
// refused with a reason.
func FuzzGitfile(f *testing.F) {
	for _, seed := range []string{
		"gitdir: /a/b\n", "gitdir: ../b\r\n", "gitdir: ", "gitdir:b", "gitdir: \x00", "gitdir: \n\r\n", "", "gitdir: ~/x", "gitdir: //",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, why := parseGitfile("/w", data)
		switch {
		case why != "" && got != "":
			t.Errorf("parseGitfile(%q) = %q, %q, want one of them", data, got, why)
		case why == "" && !filepath.IsAbs(got):
			t.Errorf("parseGitfile(%q) = %q, want an absolute path", data, got)
		case strings.ContainsRune(got, 0):
			t.Errorf("parseGitfile(%q) = %q, want no NUL byte", data, got)
		}
	})
}
