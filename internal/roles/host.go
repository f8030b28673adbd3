package roles

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode/utf8"
)

// named completes d with a name, a wildcard or an IPv4 address.
func (d Dest) named(host string, port bool) (Dest, *fault) {
	if a, err := netip.ParseAddr(host); err == nil && a.Is4() {
		return d.address(a)
	}
	below, wild := strings.CutPrefix(host, "*.")
	if strings.Contains(below, "*") {
		return d, &fault{"has a * where none may stand", `a * stands alone in front, as in "*.example.com"`}
	}
	name, bad := asciiHost(below)
	if bad != nil {
		return d, bad
	}
	switch {
	case endsInNumber(name):
		// To one resolver it is an address, to another a name.
		return d, &fault{"is a number, and no name", `write an IPv4 address as "192.0.2.1"`}
	case name == "localhost" && !wild && port:
		d.Kind = KindLocalhost
	case name == "localhost" && !wild:
		return d, &fault{"has no port, and all ports of the host are never granted", `write one, as in "localhost:5432"`}
	case name == "localhost" || strings.HasSuffix(name, ".localhost"):
		return d, &fault{"leads to this host under another name", `write "localhost:PORT"`}
	case slices.Contains(setNames, "@"+name) && !wild && !port:
		return d, &fault{"would be a host of that name", fmt.Sprintf("did you mean %q?", "@"+name)}
	case wild:
		d.Kind = KindWildcard
		icann, private := suffix(name)
		if icann {
			return d, &fault{"would be every domain under a public suffix", fmt.Sprintf("name the domain, as in %q", "*.example."+name)}
		}
		d.Strangers = private
		name = "*." + name
	default:
		d.Kind = KindName
	}
	d.Name = name
	return d, nil
}

// endsInNumber reports whether the last label is what some resolvers take for
// a number: then the whole is an address to them, 2130706433 and 0x7f.1 alike.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	digits := "0123456789"
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		last, digits = hex, "0123456789abcdef"
	}
	return strings.Trim(last, digits) == ""
}

// asciiHost returns host in lower case ASCII and without the dot of the root.
func asciiHost(host string) (string, *fault) {
	host, _ = strings.CutSuffix(host, ".")
	labels := strings.Split(host, ".")
	for i, l := range labels {
		ascii, why := asciiLabel(l)
		if why != "" {
			hint := `write a host, such as "api.example.com"`
			if l != "" && !isASCII(l) {
				hint = `write the name in its ASCII form, which begins with "xn--"`
			}
			return "", &fault{why, hint}
		}
		labels[i] = ascii
	}
	if host = strings.Join(labels, "."); len(host) > 253 {
		return "", &fault{"is longer than a name can be", "a name has at most 253 bytes"}
	}
	return host, nil
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// asciiLabel returns one label of a name as it goes over the wire, or why it is
// none. An underscore is no letter of a host's name by the standard, but many
// hosts are called so.
func asciiLabel(l string) (ascii, why string) {
	const long = "holds a label of more than 63 bytes"
	if !isASCII(l) {
		// Before the encoding, whose work is not linear.
		if utf8.RuneCountInString(l) > 63 {
			return "", long
		}
		if l, why = encodeLabel(l); why != "" {
			return "", why
		}
	}
	l = strings.ToLower(l)
	switch {
	case l == "":
		return "", "holds an empty label"
	case len(l) > 63:
		return "", long
	case l[0] == '-' || l[len(l)-1] == '-':
		return "", "holds a label that begins or ends with -"
	case strings.ContainsFunc(l, func(r rune) bool { return r != '_' && notInName(r) }):
		return "", "is not the name of a host"
	}
	return l, ""
}
