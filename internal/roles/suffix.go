package roles

import (
	_ "embed"
	"slices"
	"strings"
)

// Public suffixes. golang.org/x/net/publicsuffix has the same list and links
// net/http with it, so the list is here as text, of which nothing is read until
// a wildcard asks, and little then. TestSuffixesAgree compares the two.

//go:embed icann.txt
var icannSuffixes string

//go:embed private.txt
var privateSuffixes string

// suffix reports whether a wildcard right below name would cover names of
// several owners: since a registry sells them (icann), or since a private
// party hands them out (private).
func suffix(name string) (icann, private bool) {
	labels := strings.Split(name, ".")
	slices.Reverse(labels)
	return atOrAbove(rules(icannSuffixes), labels), atOrAbove(rules(privateSuffixes), labels)
}

// rules returns what stands below the comment of a list.
func rules(list string) string {
	_, list, _ = strings.Cut(list, "\n\n")
	return list
}

// atOrAbove reports whether the name is one of the suffixes, or has one below
// it. Labels are from the right.
func atOrAbove(list string, labels []string) bool {
	name := strings.Join(labels, ".")
	if from(list, "!"+name) == "!"+name {
		return false
	}
	every := strings.Join(labels[:len(labels)-1], ".") + ".*"
	return from(list, name) == name || from(list, every) == every ||
		strings.HasPrefix(from(list, name+"."), name+".")
}

// from returns the first line of list, which is sorted, that is not before s.
func from(list, s string) string {
	lo, hi := 0, len(list) // both begin a line
	for lo < hi {
		mid := lo + (hi-lo)/2
		at := lo + strings.LastIndexByte(list[lo:mid], '\n') + 1
		line, _, _ := strings.Cut(list[at:], "\n")
		if line < s {
			lo = at + len(line) + 1
		} else {
			hi = at
		}
	}
	line, _, _ := strings.Cut(list[lo:], "\n")
	return line
}
