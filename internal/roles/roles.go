// Package roles reads seisin.toml: which roles may work in this repository,
// and what each of them asks for.
//
// A role is a request, not a permission. This package checks that the text is
// well formed and that every word in it means one thing; it never looks at the
// disk, the environment or the kernel, so the same bytes always give the same
// answer. What a role is finally granted is package settings' business.
//
// # Strictness
//
// A mistake in the file must never pass for a narrower or a wider policy, so
// nothing is skipped, folded, completed or guessed: an unknown key, a key
// written twice, a string where a list belongs, a pattern that no kernel grant
// can express are errors, each with its line and with what to write instead.
//
// # Trust
//
// seisin.toml is written by people who can push to the repository. Strings in a
// [Policy] are clean as text, and no more: a path may still lead out of the
// work tree through a symbolic link, a name may lead to a private address, and
// an argument of a command may hold a terminal's escapes.
//
// The same people choose how much there is to read, so the work is linear in
// the size of the file, and the size, the depth and the keys have limits.
package roles

import (
	"slices"
	"strings"
)

// FileName is the policy's name at the root of a work tree.
const FileName = "seisin.toml"

// Parse reads the text of a seisin.toml. Path is for messages only. The error
// is a [*SyntaxError], the first in the order of the file where there are more.
//
// A file without any role is well formed; [Policy.Find] refuses each role.
func Parse(path string, data []byte) (*Policy, error) {
	root, err := load(path, data)
	if err != nil {
		return nil, err
	}
	p := defaults(path)
	if err := readPolicy(root, p); err != nil {
		return nil, err
	}
	return p, nil
}

// Find returns the role called name, or a [*NotFoundError].
func (p *Policy) Find(name string) (*Role, error) {
	i := slices.IndexFunc(p.Roles, func(r Role) bool { return r.Name == name })
	if i < 0 {
		return nil, &NotFoundError{Name: name, Path: p.Path, Known: p.names()}
	}
	return &p.Roles[i], nil
}

func (p *Policy) names() []string {
	names := make([]string, len(p.Roles))
	for i, r := range p.Roles {
		names[i] = r.Name
	}
	return names
}

// checkName says why s cannot be a role's name.
//
// The name becomes a directory, a word on command lines and a part of socket
// paths, so that its letters are few.
func checkName(s string) *fault {
	switch {
	case s == "":
		return &fault{"is empty", "name the role: [roles.dev]"}
	case slices.Contains(reservedNames, s):
		return &fault{"is reserved", "choose another name"} // UA-11
	case strings.ContainsFunc(s, notInName):
		return &fault{"holds more than letters, digits, - and _", suggestName(s)}
	case s[0] == '-' || s[0] == '_':
		// A leading - would be read as a flag.
		return &fault{"does not begin with a letter or a digit", suggestName(s)}
	case len(s) > MaxNameLen:
		return &fault{"is longer than a role's name may be", "use at most 61 bytes: the name becomes part of a socket's path"}
	}
	return nil
}

// MaxNameLen is the longest role name in bytes: what is left of a socket's path
// below a role's home in /tmp.
const MaxNameLen = 61

// reservedNames mean something else to other readers of the same file.
var reservedNames = []string{"__proto__", "prototype", "constructor"}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

func suggestName(s string) string {
	s = strings.Map(func(r rune) rune {
		if notInName(r) {
			return '-'
		}
		return r
	}, s)
	if s = strings.Trim(s, "-_"); s == "" || len(s) > MaxNameLen {
		return "choose a name of letters, digits, - and _"
	}
	return "write [roles." + s + "]"
}
