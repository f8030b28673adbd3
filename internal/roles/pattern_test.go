package roles

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const isGlob = "is a glob; the kernel can grant a path, or a path with everything below it, and nothing in between"

// Case C13, A-40 and SD-3: each pattern is refused, or grants exactly what its
// words mean.
func TestParsePattern(t *testing.T) {
	const (
		dots   = `holds "..", which leads elsewhere through a symbolic link`
		whole  = `write "**" for the whole repository, or name a directory`
		names  = `write "dir/**" for everything below a directory, or name the files one by one`
		inSrc  = `write "src/**" for everything below src, or name the files one by one`
		inHome = `a place in your home belongs in [runtime] writes, or is written as an absolute path`
	)
	for _, tt := range []struct {
		in        string
		path      string // what is granted; empty where it is refused
		tree      bool
		why, hint string
	}{
		{in: "**", path: ".", tree: true},
		{in: "src/**", path: "src", tree: true},
		{in: "src/", path: "src", tree: true},
		{in: "src/api/", path: "src/api", tree: true},
		{in: "src/a.ts", path: "src/a.ts"},
		{in: "package.json", path: "package.json"},
		{in: ".github/**", path: ".github", tree: true},
		{in: "...", path: "..."},
		{in: "a..b/c~", path: "a..b/c~"},
		{in: "app/$id/page two.tsx", path: "app/$id/page two.tsx"},
		{in: "$lib/**", path: "$lib", tree: true},
		{in: "größe/文書", path: "größe/文書"},
		{in: "/srv/shared/**", path: "/srv/shared", tree: true},
		{in: "/srv/f", path: "/srv/f"},
		// That nobody is granted these is for package settings.
		{in: ".git/**", path: ".git", tree: true},
		{in: ".secrets/**", path: ".secrets", tree: true},
		{in: "seisin.toml", path: "seisin.toml"},

		{in: "", why: "is empty", hint: `write "**" if the whole repository is meant`},
		{in: "/**", why: "is the whole machine", hint: whole},
		{in: "/", why: "is the whole machine", hint: whole},
		{in: "//**", why: "is the whole machine", hint: whole},
		{in: "/./**", why: "is the whole machine", hint: whole},
		{in: "/..", why: "is the whole machine", hint: whole},

		{in: "src/*", why: isGlob, hint: inSrc},
		{in: "src/**/api/**", why: isGlob, hint: inSrc},
		{in: "src/**.ts", why: isGlob, hint: inSrc},
		{in: "src/***", why: isGlob, hint: inSrc},
		{in: "src/?pi/**", why: isGlob, hint: inSrc},
		{in: "src/[ab]/**", why: isGlob, hint: inSrc},
		{in: "src/*.{js,ts}", why: isGlob, hint: inSrc},
		{in: "src/oh!", why: isGlob, hint: inSrc},
		{in: "src/api*/x", why: isGlob, hint: inSrc},
		{in: "/srv/*/x", why: isGlob, hint: `write "/srv/**" for everything below /srv, or name the files one by one`},
		{in: "**/api/**", why: isGlob, hint: names},
		{in: "*", why: isGlob, hint: names},
		{in: "***", why: isGlob, hint: names},
		{in: "*.go", why: isGlob, hint: names},
		{in: "a?/**", why: isGlob, hint: names},
		{in: "**/**", why: isGlob, hint: names},
		{in: "src/{api,web}/**", why: isGlob, hint: `write "src/api/**", "src/web/**"`},
		{in: "{a,b}.md", why: isGlob, hint: `write "a.md", "b.md"`},
		{in: "src/api/**/", why: isGlob, hint: `write "src/api/**"`},
		{in: "**/", why: isGlob, hint: `write "**"`},
		{in: "!src/web/**", why: "begins with !", hint: "list what is taken away in never_writes, without the !"},

		{in: ".", why: "is not how the root is written", hint: `write "**"`},
		{in: "./", why: "is not how the root is written", hint: `write "**"`},
		{in: "./**", why: "is not how the root is written", hint: `write "**"`},
		{in: "./src/api/**", why: `holds a "." that names nothing`, hint: `write "src/api/**"`},
		{in: "./f", why: `holds a "." that names nothing`, hint: `write "f"`},
		{in: "src/.", why: `holds a "." that names nothing`, hint: `write "src"`},
		{in: "src/./api/", why: `holds a "." that names nothing`, hint: `write "src/api/**"`},
		{in: "src//api/**", why: `holds an empty name between two "/"`, hint: `write "src/api/**"`},
		{in: "src//", why: `holds an empty name between two "/"`, hint: `write "src/**"`},
		{in: "//srv/x", why: `holds an empty name between two "/"`, hint: `write "/srv/x"`},
		{in: "src/web/../api/**", why: dots, hint: `write "src/api/**"`},
		{in: "src/..", why: dots, hint: `write "**"`},
		{in: "/srv/../etc", why: dots, hint: `write "/etc"`},
		{in: "../out/**", why: dots, hint: "write the absolute path, if a place outside the repository is meant"},
		{in: "..", why: dots, hint: "write the absolute path, if a place outside the repository is meant"},
		{in: "src/../../x", why: dots, hint: "write the absolute path, if a place outside the repository is meant"},

		{in: "~", why: "begins with ~, and a territory is relative to the repository", hint: inHome},
		{in: "~/x/**", why: "begins with ~, and a territory is relative to the repository", hint: inHome},
		{in: "~bob/x", why: "begins with ~, and a territory is relative to the repository", hint: inHome},
		{in: "$HOME/x", why: "names a variable, and none is expanded here", hint: "write the path itself"},
		{in: "${X}/x", why: "names a variable, and none is expanded here", hint: "write the path itself"},
		{in: " src/api/**", why: "begins or ends with a blank", hint: `write "src/api/**"`},
		{in: "src/api/** ", why: "begins or ends with a blank", hint: `write "src/api/**"`},
		{in: "  ", why: "is blank", hint: "write what is meant, or remove it"},
		{in: `src\/x/**`, why: `holds a \, which separates nothing here`, hint: `write "src/x/**"`},
		{in: `src\api`, why: `holds a \, which separates nothing here`, hint: `write "src/api"`},
		{in: "src/\x1b[2J", why: "holds a character that does not show", hint: "remove it"},
		{in: "src\n", why: "holds a character that does not show", hint: "remove it"},
		{in: "src/\u009b", why: "holds a character that does not show", hint: "remove it"},
		{in: "src/\u200bx", why: "holds a character that does not show", hint: "remove it"},
		{in: "src/x\u2028", why: "holds a character that does not show", hint: "remove it"},
		{in: "src/\u202egpj.exe", why: "holds a character that does not show", hint: "remove it"},
	} {
		got, bad := parsePattern(Text{Value: tt.in, Line: 7})
		if bad == nil {
			bad = &fault{}
		}
		if bad.why != tt.why || bad.hint != tt.hint {
			t.Errorf("parsePattern(%q) fault =\n\t«%s» «%s», want\n\t«%s» «%s»", tt.in, bad.why, bad.hint, tt.why, tt.hint)
		}
		want := Pattern{Text: Text{tt.in, 7}, Path: tt.path, Tree: tt.tree, Abs: strings.HasPrefix(tt.path, "/")}
		if tt.path != "" && got != want {
			t.Errorf("parsePattern(%q) = %+v, want %+v", tt.in, got, want)
		}
	}
}

// the refusal quotes the pattern, says what a grant can be, and gives
// both ways out.
func TestPatternInAFile(t *testing.T) {
	refuse(t, []refusal{
		{"Glob", dev + "writes = [\n  'docs/**',\n  'src/*',\n]\n", `seisin.toml:4: roles.dev: writes: "src/*" ` + isGlob,
			`write "src/**" for everything below src, or name the files one by one`},
		{"Never", dev + "never_writes = ['src/*']\n", `seisin.toml:2: roles.dev: never_writes: "src/*" ` + isGlob,
			`write "src/**" for everything below src, or name the files one by one`},
		{"NeverAbsolute", dev + "never_writes = ['/etc/**']\n",
			`seisin.toml:2: roles.dev: never_writes: "/etc/**" is absolute; it takes away from a territory, which lies in the repository`,
			"write it relative to the root of the repository"},
		{"NeverParent", dev + "never_writes = ['../x']\n",
			`seisin.toml:2: roles.dev: never_writes: "../x" holds "..", which leads elsewhere through a symbolic link`,
			"write it relative to the root of the repository"},
		{"NeverAll", dev + "never_writes = ['**']\n",
			`seisin.toml:2: roles.dev: never_writes: "**" takes away everything`, "write writes = []"},
	})
}

// patterns draws strings near what people write.
func patterns() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		part := rapid.SampledFrom([]string{"a", "src", ".", "..", "", "**", "*", "~", "b c", ".git", "{x,y}", "$HOME", "!", "é"})
		return strings.Join(rapid.SliceOfN(part, 0, 5).Draw(t, "parts"), "/")
	})
}

// What a pattern grants is what it says, and what a hint offers is a pattern.
func TestPatternProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := patterns().Draw(t, "s")
		p, bad := parsePattern(Text{Value: s})
		if bad != nil {
			if offer, ok := strings.CutPrefix(bad.hint, `write "`); ok {
				offer, _, _ = strings.Cut(offer, `"`)
				if _, bad := parsePattern(Text{Value: offer}); bad != nil {
					t.Fatalf("%q: the hint offers %q, which %s", s, offer, bad.why)
				}
			}
			return
		}
		if err := keeps(p); err != "" {
			t.Fatalf("%q = %+v: %s", s, p, err)
		}
	})
}

// keeps says which promise of [Pattern] p breaks.
func keeps(p Pattern) string {
	spelled := p.Value == p.Path
	if p.Tree {
		spelled = p.Value == p.Path+"/**" || p.Value == p.Path+"/" || p.Value == "**" && p.Path == "."
	}
	switch {
	case !spelled:
		return "the path is not what the file says"
	case p.Path != path.Clean(p.Path) || strings.ContainsAny(p.Path, "*?[]{}!\\\x00"):
		return "the path is not clean"
	case p.Path == "." && p.Value != "**", p.Path == "/":
		return "the path is wider than the words"
	case p.Abs != path.IsAbs(p.Path):
		return "Abs is wrong"
	}
	for part := range strings.SplitSeq(p.Path, "/") {
		if part == ".." {
			return "the path may lead outside"
		}
	}
	return ""
}
