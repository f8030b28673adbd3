package roles

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// MaxSize is the longest seisin.toml in bytes: ten times what 1,000 roles with
// 10,000 patterns take. Whoever reads the file need read no more than one byte
// beyond it.
const MaxSize = 4 << 20

// load turns text into the tree of its keys, or says what is wrong with it as
// TOML.
func load(path string, data []byte) (*node, *SyntaxError) {
	at := &node{path: path}
	if err := checkBytes(at, data); err != nil {
		return nil, err
	}
	text := string(data)
	s := index(text)
	if s.over != "" {
		return nil, at.fail(s.line, "a policy is made of [tables] with keys and lists of strings", "%s", s.over)
	}

	root, twice := plant(path, s.entries)
	var m map[string]any
	md, err := toml.Decode(text, &m)
	if err := syntaxError(at, s, err); err != nil {
		// The library knows some of what stands twice, and less of where.
		if twice != nil && twice.Line <= err.Line {
			return nil, twice
		}
		return nil, err
	}
	if twice != nil {
		return nil, twice
	}

	same := slices.EqualFunc(s.entries, md.Keys(), func(e entry, k toml.Key) bool { return slices.Equal(e.key, k) })
	if !same || !fill(root, m) {
		// Can't happen; but a key without a place is a key that nobody judges.
		return nil, at.fail(1, "please report this, with the file", "the keys of this file cannot be told apart")
	}
	return root, nil
}

// checkBytes refuses what is not plain UTF-8 text. The library would too, but
// for a mark at the beginning, and without words a person knows.
func checkBytes(at *node, data []byte) *SyntaxError {
	const utf8Hint = "save the file as UTF-8 without a byte-order mark"
	switch {
	case len(data) > MaxSize:
		return at.fail(1, "", "the file is larger than %d bytes", MaxSize)
	case strings.HasPrefix(string(data[:min(3, len(data))]), "\ufeff"):
		return at.fail(1, utf8Hint, "the file begins with a byte-order mark (BOM)")
	case len(data) > 1 && (data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff):
		return at.fail(1, utf8Hint, "the file is UTF-16, by its byte-order mark (BOM)")
	}
	line := 1
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return at.fail(line, utf8Hint, "the byte 0x%02x is not UTF-8", data[i])
		case r == '\n':
			line++
		case r == '\r' && i+1 < len(data) && data[i+1] == '\n', r == '\t':
		case r < ' ' || r == 0x7f:
			return at.fail(line, "remove it", "the line holds the control character %U", r)
		}
		i += n
	}
	return nil
}

// syntaxError words what the library found, with a line of the file.
func syntaxError(at *node, s *scanner, err error) *SyntaxError {
	if err == nil {
		return nil
	}
	perr, ok := errors.AsType[toml.ParseError](err)
	if !ok {
		return at.fail(1, "please report this, with the file", "cannot be decoded: %v", err)
	}
	msg := perr.Message
	if s.open != 0 && atEnd(s.text, perr) {
		return at.fail(s.open, "add the closing bracket or quotes", "%s: what begins here is never closed", dotted(s.entries[len(s.entries)-1].key))
	}
	hint := ""
	for _, h := range syntaxHints {
		if strings.Contains(msg, h.in) {
			hint = h.hint
			break
		}
	}
	msg = cut(lowerFirst(strings.TrimSuffix(msg, ".")))
	if perr.LastKey != "" {
		msg = perr.LastKey + ": " + msg
	}
	return at.fail(errorLine(s.text, perr.Position), hint, "%s", visible(msg))
}

// errorLine is the line of what the library found. Its own count is one too many
// where the fault is that a line ends.
func errorLine(text string, p toml.Position) int {
	last := min(max(0, p.Start+p.Len-1), len(text))
	return min(p.Line, 1+strings.Count(text[:last], "\n"))
}

// atEnd reports whether the library ran out of text, which it says in four ways.
func atEnd(text string, perr toml.ParseError) bool {
	rest := text[min(max(0, perr.Position.Start), len(text)):]
	return strings.Contains(perr.Message, "EOF") || strings.Contains(perr.Message, "end of file") ||
		strings.TrimSpace(rest) == "" && !strings.Contains(perr.Message, "newlines")
}

var syntaxHints = []struct{ in, hint string }{
	{"invalid escape", `put the string in single quotes, where \ stands for itself`},
	{"strings cannot contain newlines", "close the string's quotes on its own line"},
	{"expected a comma", `separate the strings of a list by commas, and close it with "]"`},
	{"unexpected comma", "leave one comma between two strings of a list"},
	{"expected value", "put strings in quotes; true, false and numbers stand bare"},
	{"to end with a newline", "put each key on a line of its own"},
	{"expected '.' or '='", "a line is [table], or key = value"},
}

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if next, _ := utf8.DecodeRuneInString(s[n:]); unicode.IsUpper(next) {
		return s // an abbreviation
	}
	return string(unicode.ToLower(r)) + s[n:]
}

// fail returns an error at line that msg and args word.
func (n *node) fail(line int, hint, msg string, args ...any) *SyntaxError {
	msg = fmt.Sprintf(msg, args...)
	if n.where != "" {
		msg = n.where + ": " + msg
	}
	return &SyntaxError{Path: n.path, Line: max(line, 1), Msg: msg, hint: hint}
}
