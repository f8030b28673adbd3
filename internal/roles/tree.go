package roles

// A node is one key of the file with its value, or a table.
type node struct {
	path   string // of the file, for messages
	where  string // the table and key, for messages: "roles.dev: writes"
	name   string // the last part of the key
	line   int
	how    made
	elems  []int // the lines of the elements of a list
	kids   []*node
	byName map[string]*node
	value  any // as BurntSushi/toml decodes it; a map where there are kids
}

// made says how a node came to be, which decides what may come again.
type made int

const (
	byImplication made = iota // the "roles" of [roles.dev]
	byHeader                  // [roles.dev]
	byDots                    // the "dev" of dev.writes = …
	byValue                   // writes = …, dev = { … }
)

func (n *node) kid(name string) *node { return n.byName[name] }

func (n *node) add(name string, line int, how made) *node {
	k := &node{path: n.path, name: name, line: line, how: how}
	if n.byName == nil {
		n.byName = make(map[string]*node)
	}
	n.byName[name] = k
	n.kids = append(n.kids, k)
	return k
}

// plant makes the tree of entries, and reports the first key or table that is
// written a second time. That is TOML's own rule, of which the library keeps
// only a part: it takes roles.dev.writes = […] and a later [roles.dev] as one
// table, where a reader of the latter never sees the former (UA-13).
func plant(path string, entries []entry) (root *node, twice *SyntaxError) {
	root = &node{path: path, how: byHeader}
	nodes := make([]*node, len(entries)) // where each entry's keys go
	for i, e := range entries {
		if e.inList {
			continue // no table in a list is any of the policy's
		}
		table := root
		if e.scope >= 0 {
			table = nodes[e.scope]
		}
		var err *SyntaxError
		if e.header {
			nodes[i], err = plantHeader(root, e)
		} else {
			nodes[i], err = plantKey(table, e)
		}
		if err != nil {
			return nil, err
		}
	}
	return root, nil
}

func plantHeader(n *node, e entry) (*node, *SyntaxError) {
	if e.double {
		return nil, n.fail(e.line, "write [roles.NAME] for each role", "[[%s]] is a list of tables, which no key of a policy is", dotted(e.key))
	}
	for i, name := range e.key {
		k := n.kid(name)
		last := i == len(e.key)-1
		switch {
		case k == nil:
			k = n.add(name, e.line, byImplication)
		case last && k.how == byHeader:
			return nil, twiceFault(n, e, k)
		case k.how == byValue || k.how == byDots:
			return nil, n.fail(e.line, keepOne, "[%s] adds to %q, which line %d has written already", dotted(e.key), dotted(e.key[:i+1]), k.line)
		}
		if last {
			k.line, k.how = e.line, byHeader
		}
		n = k
	}
	return n, nil
}

func plantKey(n *node, e entry) (*node, *SyntaxError) {
	own := e.key[len(e.key)-e.own:]
	for i, name := range own {
		k := n.kid(name)
		last := i == e.own-1
		switch {
		case k == nil && last:
			k = n.add(name, e.line, byValue)
			k.elems = e.elems
		case k == nil:
			k = n.add(name, e.line, byDots)
		case last:
			return nil, twiceFault(n, e, k)
		case k.how != byDots: // one that is was begun right here: no header leads into it
			return nil, n.fail(e.line, keepOne, "%q adds to %q, which line %d has written already", dotted(e.key), dotted(e.key[:len(e.key)-e.own+i+1]), k.line)
		}
		n = k
	}
	return n, nil
}

const keepOne = "keep one of the two, with everything that is meant to hold"

func twiceFault(n *node, e entry, first *node) *SyntaxError {
	return n.fail(e.line, keepOne, "%q is written twice, first in line %d", dotted(e.key), first.line)
}

// fill gives each node its value, and says whether tree and values agree.
func fill(n *node, m map[string]any) bool {
	n.value = m
	if len(n.kids) != len(m) {
		return false
	}
	for _, k := range n.kids {
		v, ok := m[k.name]
		if !ok {
			return false
		}
		k.value = v
		if sub, ok := v.(map[string]any); ok {
			if !fill(k, sub) {
				return false
			}
		} else if len(k.kids) > 0 {
			return false
		}
	}
	return true
}
