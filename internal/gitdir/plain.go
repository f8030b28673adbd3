package gitdir

import (
	"bytes"
	"slices"
	"strings"
)

// readPlain reads a configuration in the plain form that git itself writes: a
// section, a setting or a comment on each line, and values without quotes and
// escapes. Of anything else it says that it cannot, and git is to be asked: its
// grammar has corners, and a second opinion on them would be worth nothing.
//
// git is not asked always, since that takes as long as all else that is done
// before a box is built.
func readPlain(data []byte) (s settings, ok bool) {
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, false
	}
	s = settings{}
	section := "" // in lower case; empty before the first
	for line := range strings.SplitSeq(string(data), "\n") {
		line = strings.Trim(strings.TrimSuffix(line, "\r"), " \t")
		switch {
		case strings.ContainsAny(line, "\\\r"):
			return nil, false // an escape, a line that goes on
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			if section, ok = plainSection(line); !ok {
				return nil, false
			}
		default:
			key, v, ok := plainSetting(line)
			if !ok || section == "" {
				return nil, false
			}
			if key = section + "." + key; slices.Contains(placingKeys, key) {
				s[key] = value{text: v}
			}
		}
	}
	return s, true
}

// plainSection reads "[name]" or `[name "sub"]`. Of the latter it returns a
// name that no setting of placingKeys has.
func plainSection(line string) (name string, ok bool) {
	line, ok = strings.CutSuffix(line[1:], "]")
	name, sub, two := strings.Cut(line, " \"")
	if !ok || !plainName(name) {
		return "", false
	}
	name = strings.ToLower(name)
	if !two {
		return name, true
	}
	sub, ok = strings.CutSuffix(sub, "\"")
	return name + " ", ok && !strings.Contains(sub, "\"")
}

// plainSetting reads "name = value", where neither is empty and the value means
// what is written there.
func plainSetting(line string) (name, v string, ok bool) {
	name, v, ok = strings.Cut(line, "=")
	name, v = strings.TrimRight(name, " \t"), strings.TrimLeft(v, " \t")
	ok = ok && v != "" && plainName(name) && isLetter(name[0]) && !strings.ContainsAny(v, "\"#;\t")
	return strings.ToLower(name), v, ok
}

func plainName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r >= 0x80 || !isLetter(byte(r)) && (r < '0' || r > '9') && r != '-'
	})
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
