package roles

import "strings"

// BurntSushi/toml reports where a syntax error stands, and nearly nothing else:
// neither an unknown key nor an element of a list has a position. So this file
// looks for keys by itself. It judges no syntax, the library does; what it must
// do is agree with the library on every text that the library accepts, which
// TestIndexAgrees holds, and come to an end on every other.

// An entry is one table header, or one key and its value.
type entry struct {
	key    []string // whole, the table's included
	own    int      // how many parts of key stand at this very place
	line   int
	header bool  // [key]
	double bool  // [[key]]
	scope  int   // the entry of the header or inline table that this key stands in; -1 is the top
	inList bool  // in a table in a list
	elems  []int // the lines of the value's elements, where it is a list
}

// Limits on what the library is given. It keeps the whole text of every key
// and calls itself for every level, so that without them a small file costs
// gigabytes, or the process.
const (
	maxDepth  = 16    // lists and tables in each other; the policy has two
	maxParts  = 16    // of a whole key; the policy has three
	maxKeyLen = 256   // bytes of a whole key; the policy has MaxNameLen and few more
	maxKeys   = 50000 // parts of keys in all, each maybe a table; 1,000 roles with every key have 16,000
)

// A scanner walks over TOML text.
type scanner struct {
	text    string
	i, line int
	entries []entry
	parts   int    // of the entries' own keys
	open    int    // the line of a list, table or string without an end, or 0
	over    string // which limit was passed at line; the scan ends there
}

// index lists the keys of text in the order of the file, those of inline
// tables after the key that holds the table.
func index(text string) *scanner {
	s := &scanner{text: text, line: 1}
	table, scope := []string(nil), -1
	for {
		s.skip(true)
		if s.done() {
			return s
		}
		if s.text[s.i] == '[' {
			table, scope = s.header(), len(s.entries)-1
			continue
		}
		if !s.pair(table, scope, false, 0) {
			s.stop()
		}
	}
}

func (s *scanner) done() bool { return s.i >= len(s.text) }

// stop ends the scan: the text is not valid TOML after all.
func (s *scanner) stop() { s.i = len(s.text) }

func (s *scanner) limit(what string) {
	if s.over == "" {
		s.over = what
	}
	s.stop()
}

func (s *scanner) add(e entry) int {
	s.parts += e.own
	size := 0
	for _, part := range e.key {
		size += len(part)
	}
	switch {
	case s.parts > maxKeys:
		s.limit("more keys than a policy can need")
	case len(e.key) > maxParts:
		s.limit("a key has more parts than any of a policy has")
	case size > maxKeyLen:
		s.limit("a key is longer than any of a policy is")
	}
	s.entries = append(s.entries, e)
	return len(s.entries) - 1
}

// header passes "[a.b]" or "[[a.b]]" and returns its key.
func (s *scanner) header() []string {
	e := entry{line: s.line, header: true, scope: -1}
	e.double = strings.HasPrefix(s.text[s.i:], "[[")
	for !s.done() && s.text[s.i] == '[' {
		s.i++
	}
	e.key = s.key()
	e.own = len(e.key)
	for !s.done() && strings.IndexByte("] \t", s.text[s.i]) >= 0 {
		s.i++
	}
	s.add(e)
	return e.key
}

// pair passes "key = value" and says whether it is one.
func (s *scanner) pair(table []string, scope int, inList bool, depth int) bool {
	e := entry{line: s.line, scope: scope, inList: inList}
	own := s.key()
	s.skip(false)
	if s.done() || s.text[s.i] != '=' {
		return false
	}
	s.i++
	s.skip(false)
	e.own = len(own)
	e.key = append(append(make([]string, 0, len(table)+len(own)), table...), own...)
	n := s.add(e)
	s.value(n, false, inList, depth)
	return true
}

// skip passes blanks, and with lines also comments and line ends.
func (s *scanner) skip(lines bool) {
	for !s.done() {
		switch c := s.text[s.i]; {
		case c == ' ' || c == '\t' || c == '\r':
			s.i++
		case c == '\n' && lines:
			s.line++
			s.i++
		case c == '#' && lines:
			if s.to("\n"); s.done() {
				return
			}
		default:
			return
		}
	}
}

// to goes to the next of the bytes in stops, or to the end.
func (s *scanner) to(stops string) {
	if n := strings.IndexAny(s.text[s.i:], stops); n >= 0 {
		s.i += n
		return
	}
	s.stop()
}

// key passes a key and returns its parts. One that is written with an escape
// is refused: none of the policy's keys needs one, and "wri\u0074es" is there
// to be overlooked.
func (s *scanner) key() (parts []string) {
	for {
		s.skip(false)
		if s.done() {
			return parts
		}
		part := ""
		if at, q := s.i, s.text[s.i]; q == '"' || q == '\'' {
			s.quoted()
			part = strings.TrimSuffix(s.text[at+1:max(at+1, s.i)], string(q))
			if q == '"' && strings.Contains(part, `\`) {
				s.limit("a key is written with an escape")
			}
		} else {
			s.to(" \t.=]\r\n")
			part = s.text[at:s.i]
		}
		parts = append(parts, part)
		s.skip(false)
		if s.done() || s.text[s.i] != '.' {
			return parts
		}
		s.i++
	}
}
