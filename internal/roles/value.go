package roles

import (
	"fmt"
	"strings"
	"time"
)

// texts reads a list of strings. One string is no list: taken for a list of
// one here, it would be taken for its letters, or for nothing, elsewhere.
func (n *node) texts() ([]Text, error) {
	items, err := n.items(`"…"`)
	if err != nil {
		return nil, err
	}
	list := make([]Text, len(items))
	for i, v := range items {
		s, ok := v.(string)
		if !ok {
			return nil, n.fail(n.lineOf(i), quoteHint(v), "%s is %s where a string belongs", brief(v), kindOf(v))
		}
		list[i] = Text{s, n.lineOf(i)}
		if err := n.noNUL(list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// items reads a list of anything. Example is an element, for the hint.
func (n *node) items(example string) ([]any, error) {
	switch v := n.value.(type) {
	case []any:
		return v, nil
	case []map[string]any:
		return nil, n.fail(n.line, "", "a list of tables where a list of strings belongs")
	default:
		if s, ok := v.(string); ok {
			example = quote(s)
		}
		return nil, n.fail(n.line, fmt.Sprintf("write %s = [%s]", n.name, example), "%s where a list belongs", kindOf(v))
	}
}

// lineOf is the line of a list's i-th element.
func (n *node) lineOf(i int) int {
	if i < len(n.elems) {
		return n.elems[i]
	}
	return n.line
}

// each reads a list of strings by parse, none of them twice.
func each[T identified](n *node, parse func(Text) (T, *fault)) ([]T, error) {
	texts, err := n.texts()
	if err != nil {
		return nil, err
	}
	list, seen := make([]T, len(texts)), make(map[string]Text, len(texts))
	for i, t := range texts {
		v, bad := parse(t)
		if bad != nil {
			return nil, n.fail(t.Line, bad.hint, "%s %s", quote(t.Value), bad.why)
		}
		if first, ok := seen[v.id()]; ok {
			also := ""
			if first.Value != t.Value {
				also = ", as " + quote(first.Value)
			}
			return nil, n.fail(t.Line, "remove one of them", "%s stands here twice, first in line %d%s", quote(t.Value), first.Line, also)
		}
		list[i], seen[v.id()] = v, t
	}
	return list, nil
}

// oneOf makes a parser of strings that are among known.
func oneOf(known ...string) func(Text) (Text, *fault) {
	return func(t Text) (Text, *fault) {
		for _, k := range known {
			if t.Value == k {
				return t, nil
			}
		}
		hint := "it may be " + orList(known)
		if near := nearest(t.Value, known); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return Text{}, &fault{"is not known here", hint}
	}
}

// text reads a string.
func (n *node) text(hint string) (Text, error) {
	s, ok := n.value.(string)
	if !ok {
		return Text{}, n.fail(n.line, hint, "%s where a string belongs", kindOf(n.value))
	}
	t := Text{s, n.line}
	return t, n.noNUL(t)
}

// noNUL refuses what no path, no argument and no variable can hold.
func (n *node) noNUL(t Text) error {
	if strings.ContainsRune(t.Value, 0) {
		return n.fail(t.Line, "remove it", "%s holds a NUL", quote(t.Value))
	}
	return nil
}

// word reads a string that is among known.
func (n *node) word(known ...string) (string, error) {
	hint := "it may be " + orList(known)
	t, err := n.text(hint)
	if err != nil {
		return "", err
	}
	if _, bad := oneOf(known...)(t); bad != nil {
		return "", n.fail(n.line, bad.hint, "%s %s", quote(t.Value), bad.why)
	}
	return t.Value, nil
}

// boolean reads true or false.
func (n *node) boolean() (bool, error) {
	b, ok := n.value.(bool)
	if !ok {
		return false, n.fail(n.line, "write true or false, without quotes", "%s where true or false belongs", kindOf(n.value))
	}
	return b, nil
}

// duration reads a length of time above zero.
func (n *node) duration() (time.Duration, error) {
	const hint = `write a number and a unit, such as "90s", "30m" or "2h"; without the key there is no limit`
	t, err := n.text(hint)
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(t.Value)
	switch {
	case err != nil:
		return 0, n.fail(n.line, hint, "%s is not a length of time", quote(t.Value))
	case d <= 0:
		return 0, n.fail(n.line, hint, "%s is not above zero", quote(t.Value))
	}
	return d, nil
}
