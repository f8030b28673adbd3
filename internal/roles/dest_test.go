package roles

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseDest(t *testing.T) {
	web := []uint16{443, 80}
	for _, tt := range []struct {
		in    string
		kind  Kind
		name  string
		ports []uint16
		open  bool // Strangers
	}{
		{"api.example.test", KindName, "api.example.test", web, false},
		{"API.Example.TEST", KindName, "api.example.test", web, false},
		{"api.example.test.", KindName, "api.example.test", web, false},
		{"api.example.test:443", KindName, "api.example.test", []uint16{443}, false},
		{"api.example.test.:22", KindName, "api.example.test", []uint16{22}, false},
		{"a_b.c-d.test:65535", KindName, "a_b.c-d.test", []uint16{65535}, false},
		{"r3---sn-x.example.test", KindName, "r3---sn-x.example.test", web, false},
		{"1e100.net", KindName, "1e100.net", web, false},
		{"0xcafe.example.test", KindName, "0xcafe.example.test", web, false},
		{"intranet", KindName, "intranet", web, false},
		{"github.com", KindName, "github.com", web, false},
		{"bücher.example.test", KindName, "xn--bcher-kva.example.test", web, false}, // C43
		{"BÜCHER.example.test", KindName, "xn--bcher-kva.example.test", web, false},
		{"xn--bcher-kva.example.test", KindName, "xn--bcher-kva.example.test", web, false},

		{"*.cdn.example.test", KindWildcard, "*.cdn.example.test", web, false},
		{"*.Example.com.:8443", KindWildcard, "*.example.com", []uint16{8443}, false},
		{"*.bücher.de", KindWildcard, "*.xn--bcher-kva.de", web, false},
		{"*.internal", KindWildcard, "*.internal", web, false},
		{"*.city.kobe.jp", KindWildcard, "*.city.kobe.jp", web, false}, // an exception of the list
		{"*.github.io", KindWildcard, "*.github.io", web, true},
		{"*.me.github.io", KindWildcard, "*.me.github.io", web, false},
		{"*.amazonaws.com", KindWildcard, "*.amazonaws.com", web, true}, // strangers are further down

		{"127.0.0.1", KindIP, "127.0.0.1", web, false},
		{"127.0.0.1:18081", KindIP, "127.0.0.1", []uint16{18081}, false}, // C45
		{"[2001:db8::1]:8443", KindIP, "2001:db8::1", []uint16{8443}, false},
		{"[2001:DB8:0:0::1]", KindIP, "2001:db8::1", web, false},
		{"[::1]", KindIP, "::1", web, false},

		{"localhost:5432", KindLocalhost, "localhost", []uint16{5432}, false},
		{"LocalHost.:1", KindLocalhost, "localhost", []uint16{1}, false},

		{"@claude", KindSet, "@claude", nil, false},
		{"@shared", KindSet, "@shared", nil, false},
	} {
		want := Dest{Text: Text{tt.in, 3}, Kind: tt.kind, Name: tt.name, Ports: tt.ports, Strangers: tt.open}
		got, bad := parseDest(Text{tt.in, 3})
		if bad != nil {
			t.Errorf("parseDest(%q): %s", tt.in, bad.why)
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("parseDest(%q) =\n\t%+v, want\n\t%+v", tt.in, got, want)
		}
	}
}

// Case C43: bad entries are refused when the policy is read.
func TestRefuseDest(t *testing.T) {
	const (
		aHost   = `write a host, such as "api.example.com"`
		aPort   = "a port is a number from 1 to 65535"
		hostIn  = `write a host, such as "api.example.com" or "api.example.com:8443"`
		ipv4    = `write an IPv4 address as "192.0.2.1"`
		ipv6    = `write one as "[2001:db8::1]", without a zone`
		star    = `a * stands alone in front, as in "*.example.com"`
		ascii   = `write the name in its ASCII form, which begins with "xn--"`
		allSets = "the sets are: @claude, @openai, @gemini, @github, @npm, @go, @pypi, @crates, @apt, @shared"
	)
	for _, tt := range []struct{ in, why, hint string }{
		{"", "is empty", "write what is meant, or remove it"},
		{" a.test", "begins or ends with a blank", `write "a.test"`},
		{"a.\x1btest", "holds a character that does not show", "remove it"},
		{"*", "would be every host, for which there is no word", `name the hosts, or use sets such as "@npm"`},
		{"*:443", "would be every host, for which there is no word", `name the hosts, or use sets such as "@npm"`},
		{"*.test*", "has a * where none may stand", star},
		{"*.*.test", "has a * where none may stand", star},
		{"api.*.test", "has a * where none may stand", star},
		{"*api.test", "has a * where none may stand", star},
		{"*.com", "would be every domain under a public suffix", `name the domain, as in "*.example.com"`},
		{"*.co.uk", "would be every domain under a public suffix", `name the domain, as in "*.example.co.uk"`},
		{"*.CO.UK.:443", "would be every domain under a public suffix", `name the domain, as in "*.example.co.uk"`},
		{"*.bd", "would be every domain under a public suffix", `name the domain, as in "*.example.bd"`},
		{"*.x.kobe.jp", "would be every domain under a public suffix", `name the domain, as in "*.example.x.kobe.jp"`},
		{"*.公司.cn", "would be every domain under a public suffix", `name the domain, as in "*.example.xn--55qx5d.cn"`},
		{"*.", "holds an empty label", aHost},

		{"http://a.test/", "is a URL; a host is granted whole", `write "a.test:80"`},
		{"https://u:p@a.test:8443/x?y", "is a URL; a host is granted whole", `write "a.test:8443"`},
		{"ssh://git@a.test", "is a URL; a host is granted whole", `write "a.test:22"`},
		{"file:///etc/passwd", "is a URL; a host is granted whole", hostIn},
		{"a.test/path", "holds a path; a host is granted whole", `write "a.test"`},
		{"*.com/path", "holds a path; a host is granted whole", hostIn},
		{"git@github.com", "is more than a host and a port", `write "github.com"`},
		{"a.test?x", "is more than a host and a port", hostIn},
		{"a b.test", "is more than one host", "write each host as a string of its own"},
		{"a.test,b.test", "is more than one host", "write each host as a string of its own"},
		{"10.0.0.0/8", "is a range of addresses", "name each address"},

		{"a..test", "holds an empty label", aHost},
		{".a.test", "holds an empty label", aHost},
		{"a.test..", "holds an empty label", aHost},
		{".", "holds an empty label", aHost},
		{"-a.test", "holds a label that begins or ends with -", aHost},
		{"a-.test", "holds a label that begins or ends with -", aHost},
		{"a%20b.test", "is not the name of a host", aHost},
		{"a$.test", "is not the name of a host", aHost},
		{"مثال.test", "holds a letter that is not converted here", ascii},
		{"a。test", "holds a letter that is not converted here", ascii},
		{"１２７.0.0.1", "holds a letter that is not converted here", ascii},
		{"ﬁ.test", "holds a letter that is not converted here", ascii},

		{"a.test:", `has "" for a port`, aPort},
		{"a.test:0", `has "0" for a port`, aPort},
		{"a.test:65536", `has "65536" for a port`, aPort},
		{"a.test:080", `has "080" for a port`, aPort},
		{"a.test:+80", `has "+80" for a port`, aPort},
		{"a.test:http", `has "http" for a port`, aPort},
		{"a.test:*", `has "*" for a port`, aPort},
		{"a.test:1:2", `holds more than one ":"`, `write "HOST:PORT"`},
		{":443", "has a port and no host", `write "HOST:PORT"`},

		{"2130706433", "is a number, and no name", ipv4},
		{"0x7f.1", "is a number, and no name", ipv4},
		{"0X7F000001", "is a number, and no name", ipv4},
		{"0x", "is a number, and no name", ipv4},
		{"127.1", "is a number, and no name", ipv4},
		{"127.0.0.01", "is a number, and no name", ipv4},
		{"127.0.0.1.", "is a number, and no name", ipv4},
		{"1.2.3.4.5", "is a number, and no name", ipv4},
		{"*.0.0.1", "is a number, and no name", ipv4},
		{"0.0.0.0", "is the address of no host", "name the host that is meant"},
		{"[::]", "is the address of no host", "name the host that is meant"},
		{"::1", "is an IPv6 address without brackets", `write "[::1]"`},
		{"[::1", `has no "]"`, `write an IPv6 address as "[2001:db8::1]"`},
		{"[::1]8443", `goes on behind the "]"`, `write a port as "[::1]:8443"`},
		{"[127.0.0.1]", "is not an IPv6 address", ipv6},
		{"[fe80::1%eth0]", "is not an IPv6 address", ipv6},
		{"[a.test]", "is not an IPv6 address", ipv6},
		{"[[::1]]", `goes on behind the "]"`, `write a port as "[[::1]:8443"`},
		{"[::ffff:127.0.0.1]", "is an IPv4 address in another spelling", `write "127.0.0.1"`},

		{"localhost", "has no port, and all ports of the host are never granted", `write one, as in "localhost:5432"`},
		{"*.localhost", "leads to this host under another name", `write "localhost:PORT"`},
		{"*.localhost:1", "leads to this host under another name", `write "localhost:PORT"`},
		{"db.localhost:5432", "leads to this host under another name", `write "localhost:PORT"`},

		{"@", "is not a known set", allSets},
		{"@rubygems", "is not a known set", allSets},
		{"@Claude", "is not a known set", `did you mean "@claude"?`},
		{"@gemni", "is not a known set", `did you mean "@gemini"?`},
		{"@claude:443", "gives a set a port; a set has its own", `write "@claude"`},
		{"claude", "would be a host of that name", `did you mean "@claude"?`},
		{"NPM", "would be a host of that name", `did you mean "@npm"?`},
	} {
		got, bad := parseDest(Text{Value: tt.in})
		if bad == nil {
			t.Errorf("parseDest(%q) = %+v, want a fault", tt.in, got)
		} else if bad.why != tt.why || bad.hint != tt.hint {
			t.Errorf("parseDest(%q) fault =\n\t«%s» «%s», want\n\t«%s» «%s»", tt.in, bad.why, bad.hint, tt.why, tt.hint)
		}
	}
}

func TestUnknownSetInAFile(t *testing.T) {
	refuse(t, []refusal{
		{"Role", dev + "network = [\n  '@npm',\n  '@clade',\n]\n", `seisin.toml:4: roles.dev: network: "@clade" is not a known set`, `did you mean "@claude"?`},
		{"Shared", "[network]\nallow = ['*.com']\n", `seisin.toml:2: network: allow: "*.com" would be every domain under a public suffix`, `name the domain, as in "*.example.com"`},
	})
}

// What is read once reads the same when it is written as it was understood.
func TestDestIsCanonical(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "B", "xn--bcher-kva", "bücher", "*", "com", "uk", "localhost", "127", "0", "1", "", "@npm", "[::1]", "0x1"})
	rapid.Check(t, func(t *rapid.T) {
		s := ""
		for i, p := range rapid.SliceOfN(part, 1, 4).Draw(t, "labels") {
			if i > 0 {
				s += "."
			}
			s += p
		}
		s += rapid.SampledFrom([]string{"", ".", ":22", ":0"}).Draw(t, "port")
		d, bad := parseDest(Text{Value: s})
		if bad != nil {
			return
		}
		again := canonical(d)
		d2, bad := parseDest(Text{Value: again})
		if bad != nil {
			t.Fatalf("%q was read as %q, which %s", s, again, bad.why)
		}
		if d2.Text = d.Text; !reflect.DeepEqual(d, d2) {
			t.Fatalf("%q = %+v, and read again %+v", s, d, d2)
		}
	})
}

// canonical writes d as the file might.
func canonical(d Dest) string {
	s := d.Name
	if d.Kind == KindIP && strings.Contains(s, ":") {
		s = "[" + s + "]"
	}
	if len(d.Ports) == 1 {
		s += ":" + strconv.Itoa(int(d.Ports[0]))
	}
	return s
}
