package roles

import "strings"

// value passes the value of the entry n, or with elem one element of it.
func (s *scanner) value(n int, elem, inList bool, depth int) {
	if s.done() {
		return
	}
	if depth == maxDepth {
		s.limit("lists and tables are nested deeper than a policy can need")
		return
	}
	switch s.text[s.i] {
	case '"', '\'':
		s.str()
	case '[':
		s.list(n, elem, depth)
	case '{':
		s.inline(n, inList, depth)
	default:
		s.to(",]}#\r\n") // a date may hold a blank
	}
}

// list passes a list and notes the lines of its elements, unless it is itself
// an element.
func (s *scanner) list(n int, elem bool, depth int) {
	at := s.line
	for s.i++; ; {
		s.skip(true)
		if s.done() {
			s.opened(at)
			return
		}
		switch s.text[s.i] {
		case ']':
			s.i++
			return
		case ',':
			s.i++
		case '}':
			s.stop()
			return
		default:
			if !elem {
				s.entries[n].elems = append(s.entries[n].elems, s.line)
			}
			s.value(n, true, true, depth+1)
		}
	}
}

// inline passes an inline table, whose keys become entries in the scope of n.
func (s *scanner) inline(n int, inList bool, depth int) {
	at := s.line
	for s.i++; ; {
		s.skip(true)
		if s.done() {
			s.opened(at)
			return
		}
		switch s.text[s.i] {
		case '}':
			s.i++
			return
		case ',':
			s.i++
		default:
			if !s.pair(s.entries[n].key, n, inList, depth+1) {
				s.stop()
				return
			}
		}
	}
}

// opened notes that what began at line has no end. The innermost is told: it
// is where the person forgot something.
func (s *scanner) opened(line int) {
	if s.open == 0 {
		s.open = line
	}
}

// str passes a string of any of the four kinds.
func (s *scanner) str() {
	q := s.text[s.i]
	long := strings.Repeat(string(q), 3)
	if !strings.HasPrefix(s.text[s.i:], long) {
		s.quoted()
		return
	}
	at := s.line
	for s.i += 3; !s.done(); s.i++ {
		switch {
		case s.text[s.i] == '\n':
			s.line++
		case q == '"' && s.text[s.i] == '\\':
			if s.i++; !s.done() && s.text[s.i] == '\n' {
				s.line++
			}
		case strings.HasPrefix(s.text[s.i:], long):
			// Up to two more quotes belong to the string.
			for s.i += 3; !s.done() && s.text[s.i] == q; s.i++ {
			}
			return
		}
	}
	s.stop()
	s.opened(at)
}

// quoted passes a string of one line, or what there is of it.
func (s *scanner) quoted() {
	q := s.text[s.i]
	for s.i++; !s.done(); s.i++ {
		switch c := s.text[s.i]; {
		case c == q:
			s.i++
			return
		case c == '\n':
			return
		case q == '"' && c == '\\' && !strings.HasPrefix(s.text[s.i+1:], "\n"):
			s.i++
		}
	}
	s.stop()
}
