package roles

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

const sharedSet = "@shared"

// setNames are the sets of destinations. What they stand for is found when a
// spec is made, some of it on the person's machine.
var setNames = []string{
	"@claude", "@openai", "@gemini", "@github",
	"@npm", "@go", "@pypi", "@crates", "@apt",
	sharedSet,
}

// defaultPorts are granted where an entry names none.
var defaultPorts = []uint16{443, 80}

func (d Dest) id() string { return fmt.Sprint(d.Name, d.Ports) }

// parseDest reads one destination. Each is spelled in one way after this, so
// that no two parts of the tool can differ on what it names.
func parseDest(t Text) (Dest, *fault) {
	d := Dest{Text: t}
	if bad := textFault(t.Value); bad != nil {
		return d, bad
	}
	if t.Value[0] == '@' {
		d.Kind, d.Name = KindSet, t.Value
		return d, setFault(t.Value)
	}
	if bad := formFault(t.Value); bad != nil {
		return d, bad
	}
	host, port, bad := cutPort(t.Value)
	if bad != nil {
		return d, bad
	}
	if d.Ports = slices.Clone(defaultPorts); port != 0 {
		d.Ports = []uint16{port}
	}
	if host[0] == '[' {
		return d.v6(host)
	}
	return d.named(host, port != 0)
}

func setFault(s string) *fault {
	if slices.Contains(setNames, s) {
		return nil
	}
	if name, _, ok := strings.Cut(s, ":"); ok && slices.Contains(setNames, name) {
		return &fault{"gives a set a port; a set has its own", instead(name)}
	}
	if near := nearest(s, setNames); near != "" {
		return &fault{"is not a known set", fmt.Sprintf("did you mean %q?", near)}
	}
	return &fault{"is not a known set", "the sets are: " + strings.Join(setNames, ", ")}
}

// formFault recognises what people write where a host belongs.
func formFault(s string) *fault {
	switch {
	case s == "*" || strings.HasPrefix(s, "*:"):
		return &fault{"would be every host, for which there is no word", "name the hosts, or use sets such as \"@npm\""}
	case strings.Contains(s, "://"):
		return &fault{"is a URL; a host is granted whole", urlHint(s)}
	case strings.Contains(s, "/"):
		if _, err := netip.ParsePrefix(s); err == nil {
			return &fault{"is a range of addresses", "name each address"}
		}
		host, _, _ := strings.Cut(s, "/")
		return &fault{"holds a path; a host is granted whole", hostHint(host)}
	case strings.ContainsAny(s, "@?#"):
		_, host, _ := strings.Cut(s, "@")
		return &fault{"is more than a host and a port", hostHint(host)}
	case strings.ContainsAny(s, ", \t;|"):
		return &fault{"is more than one host", "write each host as a string of its own"}
	}
	return nil
}

func urlHint(s string) string {
	scheme, rest, _ := strings.Cut(s, "://")
	host, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if ports := map[string]string{"http": ":80", "https": ":443", "ssh": ":22", "git": ":9418"}; !strings.Contains(host, ":") {
		host += ports[scheme]
	}
	return hostHint(host)
}

// hostHint offers host, if it is one.
func hostHint(host string) string {
	if !strings.ContainsAny(host, "/@") && takes(parseDest, host) {
		return instead(host)
	}
	return `write a host, such as "api.example.com" or "api.example.com:8443"`
}

// cutPort splits "host", "host:port", "[v6]" and "[v6]:port". A port of 0 says
// that there is none.
func cutPort(s string) (host string, port uint16, bad *fault) {
	host, text, has := strings.Cut(s, ":")
	switch {
	case s[0] == '[':
		in, after, ok := strings.Cut(s, "]")
		if !ok {
			return "", 0, &fault{`has no "]"`, `write an IPv6 address as "[2001:db8::1]"`}
		}
		host = in + "]"
		if text, has = strings.CutPrefix(after, ":"); !has && after != "" {
			return "", 0, &fault{`goes on behind the "]"`, "write a port as " + quote(host+":8443")}
		}
	case strings.Count(s, ":") > 1:
		if a, err := netip.ParseAddr(s); err == nil && a.Is6() {
			return "", 0, &fault{"is an IPv6 address without brackets", instead("[" + s + "]")}
		}
		return "", 0, &fault{`holds more than one ":"`, `write "HOST:PORT"`}
	}
	if host == "" {
		return "", 0, &fault{"has a port and no host", `write "HOST:PORT"`}
	}
	if !has {
		return host, 0, nil
	}
	port, ok := portNumber(text)
	if !ok {
		return "", 0, &fault{"has " + quote(text) + " for a port", "a port is a number from 1 to 65535"}
	}
	return host, port, nil
}

// v6 completes d with an address in brackets.
func (d Dest) v6(host string) (Dest, *fault) {
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	switch {
	case err != nil || !a.Is6() || a.Zone() != "":
		return d, &fault{"is not an IPv6 address", `write one as "[2001:db8::1]", without a zone`}
	case a.Is4In6():
		return d, &fault{"is an IPv4 address in another spelling", hostHint(a.Unmap().String())}
	}
	return d.address(a)
}

func (d Dest) address(a netip.Addr) (Dest, *fault) {
	if a.IsUnspecified() {
		return d, &fault{"is the address of no host", "name the host that is meant"}
	}
	d.Kind, d.Name = KindIP, a.String()
	return d, nil
}
