package roles

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// kindOf names what BurntSushi/toml decoded v from.
func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case bool:
		return "a boolean"
	case time.Time:
		return "a date or time"
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	default:
		return "a list of tables"
	}
}

// brief shows v as the file would, cut short.
func brief(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case []any, map[string]any, []map[string]any, time.Time:
		return "this"
	default:
		return fmt.Sprint(v)
	}
}

// quoteHint shows how v is written as a string, where it can be.
func quoteHint(v any) string {
	switch v.(type) {
	case int64, float64, bool:
		return instead(fmt.Sprint(v))
	}
	return "write a string in quotes"
}

// quote quotes s; a long one is cut, since a message is for reading.
func quote(s string) string {
	if short := cut(s); short != s {
		return strconv.Quote(strings.TrimSuffix(short, "…")) + "…"
	}
	return strconv.Quote(s)
}

// cut shortens s to what a line of a message has room for.
func cut(s string) string {
	const longest = 200
	if len(s) <= longest {
		return s
	}
	n := longest
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// visible escapes what does not show in a text that the library made of the
// file's.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// dotted writes a key as the file does.
func dotted(key []string) string {
	parts := make([]string, len(key))
	for i, k := range key {
		if parts[i] = k; k == "" || strings.ContainsFunc(k, notInName) {
			q := strconv.Quote(k)
			parts[i] = "'" + q[1:len(q)-1] + "'"
		}
	}
	return strings.Join(parts, ".")
}

// orList joins quoted words: "a", "b" or "c".
func orList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	if len(words) < 2 {
		return strings.Join(quoted, "")
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
