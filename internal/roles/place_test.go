package roles

import (
	"fmt"
	"testing"
)

// A grammar is a parser of strings and what it makes of them.
type grammar struct{ in, why, hint string }

func checkGrammar(t *testing.T, parse func(Text) (Text, *fault), tests []grammar) {
	t.Helper()
	for _, tt := range tests {
		got, bad := parse(Text{tt.in, 5})
		if bad == nil {
			bad = &fault{}
			if want := (Text{tt.in, 5}); got != want {
				t.Errorf("%q = %+v, want %+v", tt.in, got, want)
			}
		}
		if bad.why != tt.why || bad.hint != tt.hint {
			t.Errorf("%q fault =\n\t«%s» «%s», want\n\t«%s» «%s»", tt.in, bad.why, bad.hint, tt.why, tt.hint)
		}
	}
}

const (
	noVariable = "names a variable, and none is expanded here"
	isRelative = "is relative"
	absolute   = `write an absolute path, or one that begins with "~/"`
)

// Reads and sockets.
func TestParsePlace(t *testing.T) {
	checkGrammar(t, parsePlace, []grammar{
		{in: "/run/postgresql/.s.PGSQL.5432"},
		{in: "~/.config/gh"},
		{in: "/a b/[c]"},
		{"", "is empty", "write what is meant, or remove it"},
		{".config", isRelative, absolute},
		{"./x", `holds a "." that names nothing`, "write an absolute path"},
		{"config.toml", isRelative, absolute},
		{"/", "is the whole machine", "name the place that is needed"},
		{"/**", "is the whole machine", "name the place that is needed"},
		{"~", "is the whole home", "name the place in it that is needed"},
		{"~/", "is the whole home", "name the place in it that is needed"},
		{"~/.", "is the whole home", "name the place in it that is needed"},
		{"~bob/x", "names the home of another user", "write the absolute path"},
		{"~bob", "names the home of another user", "write the absolute path"},
		{"~/.config/**", "ends as a pattern does; a path here means all below it", `write "~/.config"`},
		{"~/.config/", "ends as a pattern does; a path here means all below it", `write "~/.config"`},
		{"~/.config/*", "is a glob", "name each path by itself"},
		{"~/../bob", `holds "..", which leads elsewhere through a symbolic link`, "write an absolute path"},
		{"/etc//x", `holds an empty name between two "/"`, `write "/etc/x"`},
		{"/run/user/$UID/bus", noVariable, "write the path itself"},
		{"$HOME/x", noVariable, "write the path itself"},
		{"@abstract", isRelative, absolute},
		{`C:\x`, `holds a \, which separates nothing here`, `write "C:/x"`},
		{"/x ", "begins or ends with a blank", `write "/x"`},
		{"/x\u202e", "holds a character that does not show", "remove it"},
	})
}

// [runtime] writes.
func TestParseScratch(t *testing.T) {
	checkGrammar(t, parseScratch, []grammar{
		{in: "$TMPDIR"},
		{in: "~/.cache"},
		{in: "/var/cache/x"},
		{"~", "is the whole home", "name the place in it that is needed"},
		{"/", "is the whole machine", "name the place that is needed"},
		{"~user/x", "names the home of another user", "write the absolute path"},
		{"$TMPDIR/x", noVariable, "write the path itself"},
		{"$HOME", noVariable, "write the path itself"},
		{"${TMPDIR}", noVariable, "write the path itself"},
		{"build", isRelative, absolute},
	})
}

func TestParseDir(t *testing.T) {
	const (
		alone = "is not a directory for keys alone"
		below = "write the absolute path, or one below the root of the repository"
	)
	checkGrammar(t, parseDir, []grammar{
		{in: ".secrets"},
		{in: "config/keys"},
		{in: "/srv/keys"},
		{"", "is empty", "write what is meant, or remove it"},
		{".", alone, `name one, such as ".secrets"`},
		{"./", alone, `name one, such as ".secrets"`},
		{"/", alone, `name one, such as ".secrets"`},
		{"..", `holds "..", which leads elsewhere through a symbolic link`, below},
		{"../keys", `holds "..", which leads elsewhere through a symbolic link`, below},
		{"a/..", `holds "..", which leads elsewhere through a symbolic link`, below},
		{"~", "begins with ~", "write the absolute path, or one relative to the root of the repository"},
		{"~/keys", "begins with ~", "write the absolute path, or one relative to the root of the repository"},
		{"./.secrets", `holds a "." that names nothing`, `write ".secrets"`},
		{".secrets/", "ends as a pattern does; a path here means all below it", `write ".secrets"`},
		{".secrets/**", "ends as a pattern does; a path here means all below it", `write ".secrets"`},
		{"*.secrets", "is a glob", "name each path by itself"},
		{"$KEYS", noVariable, "write the path itself"},
	})
}

// A-32, SD-4: a key is one file.
func TestParseKey(t *testing.T) {
	checkGrammar(t, parseKey, []grammar{
		{in: "github-token.txt"},
		{in: "b/x.txt"},
		{in: "/srv/keys/x"},
		{in: "..hidden"},
		{"", "is empty", "write what is meant, or remove it"},
		{".", "names a directory", "name each key that the role may read"},
		{".secrets/", "names a directory", "name each key that the role may read"},
		{".secrets/.", "names a directory", "name each key that the role may read"},
		{"/", "names a directory", "name each key that the role may read"},
		{"../.ssh/id_rsa", `holds ".."`, "name a file in a key directory"},
		{".secrets/../x", `holds ".."`, "name a file in a key directory"},
		{"..", `holds ".."`, "name a file in a key directory"},
		{"a/..", `holds ".."`, "name a file in a key directory"},
		{"~/.ssh/id_rsa", "begins with ~", "name a file in a key directory"},
		{"./a", `holds a "." that names nothing`, `write "a"`},
		{"b//a", `holds an empty name between two "/"`, `write "b/a"`},
		{"*.txt", "is a glob", "name each path by itself"},
		{"TOKEN=op://vault/x", "is a reference to a secret elsewhere", "name a file in a key directory"},
		{"a\x07", "holds a character that does not show", "remove it"},
	})
}

func TestParseVariable(t *testing.T) {
	const letters = "use letters, digits and _, and no digit first"
	checkGrammar(t, parseVariable, []grammar{
		{in: "NODE_ENV"},
		{in: "_"},
		{in: "a1"},
		{"", "is not the name of a variable", letters},
		{"1A", "is not the name of a variable", letters},
		{"A-B", "is not the name of a variable", letters},
		{"A B", "is not the name of a variable", letters},
		{"A*", "is not the name of a variable", letters},
		{"Ä", "is not the name of a variable", letters},
		{"A\n", "is not the name of a variable", letters}, // B-38
		{"=x", "is not the name of a variable", letters},
		{"A=b", "gives a value; a variable is passed in as it is outside", `write "A"`},
		{"$A", "begins with $", `write "A"`},
	})
}

func TestParsePort(t *testing.T) {
	const hint = `write a port of the box, such as 3000, or "HOST:BOX", such as "8080:5173"`
	for _, tt := range []struct {
		in        any
		want      Port
		why, hint string
	}{
		{in: int64(1), want: Port{Text: Text{Value: "1"}, Host: 1, Box: 1}},
		{in: int64(65535), want: Port{Text: Text{Value: "65535"}, Host: 65535, Box: 65535}},
		{in: "8080:5173", want: Port{Text: Text{Value: "8080:5173"}, Host: 8080, Box: 5173, Exact: true}},
		{in: "80:80", want: Port{Text: Text{Value: "80:80"}, Host: 80, Box: 80, Exact: true}},
		{in: int64(0), why: "is not a port", hint: "a port is a number from 1 to 65535"},
		{in: int64(-1), why: "is not a port", hint: "a port is a number from 1 to 65535"},
		{in: int64(65536), why: "is not a port", hint: "a port is a number from 1 to 65535"},
		{in: "3000", why: "is a string", hint: "write 3000 without quotes"},
		{in: "", why: "is not a port", hint: hint},
		{in: "0:1", why: "is not a port", hint: hint},
		{in: "1:", why: "is not a port", hint: hint},
		{in: "1:65536", why: "is not a port", hint: hint},
		{in: "1:2:3", why: "is not a port", hint: hint},
		{in: "127.0.0.1:80:80", why: "is not a port", hint: hint},
		{in: "01:2", why: "is not a port", hint: hint},
		{in: " 1:2", why: "is not a port", hint: hint},
		{in: "+1:2", why: "is not a port", hint: hint},
		{in: 3.5, why: "is a float where a port belongs", hint: hint},
		{in: true, why: "is a boolean where a port belongs", hint: hint},
	} {
		got, bad := parsePort(tt.in)
		if bad == nil {
			bad = &fault{}
		}
		if fmt.Sprint(got, bad.why, bad.hint) != fmt.Sprint(tt.want, tt.why, tt.hint) {
			t.Errorf("parsePort(%#v) = %+v «%s» «%s», want %+v «%s» «%s»", tt.in, got, bad.why, bad.hint, tt.want, tt.why, tt.hint)
		}
	}
	refuse(t, []refusal{
		{"HostTwice", dev + "ports = [\n  3000,\n  '3000:5173',\n]\n", "seisin.toml:4: roles.dev: ports: port 3000 of the host stands here twice, first in line 3",
			"remove one, or give it another port of the host"},
		{"BoxTwice", dev + "ports = ['1:3000', '2:3000']\n", "seisin.toml:2: roles.dev: ports: port 3000 of the box stands here twice, first in line 2", "remove one"},
		{"OneNumber", dev + "ports = 8080\n", "seisin.toml:2: roles.dev: ports: an integer where a list belongs", "write ports = [8080]"},
	})
}
