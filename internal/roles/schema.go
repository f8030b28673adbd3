package roles

import (
	"fmt"
	"slices"
	"strings"
)

// A key is one key that a table may have, and how it is read into a T.
type key[T any] struct {
	name string
	read func(*node, *T) error
}

// readTable reads the keys of n in the order of the file. A key that is not
// among keys is an error, not a warning: a misspelt restriction must never turn
// into no restriction.
func readTable[T any](n *node, keys []key[T], dst *T) error {
	for _, k := range n.kids {
		i := slices.IndexFunc(keys, func(x key[T]) bool { return x.name == k.name })
		if i < 0 {
			return unknown(n, k, namesOf(keys))
		}
		k.where = join(n.where, k.name)
		if err := keys[i].read(k, dst); err != nil {
			return err
		}
	}
	return nil
}

func join(where, name string) string {
	if where == "" {
		return name
	}
	return where + ": " + name
}

func namesOf[T any](keys []key[T]) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}

// readPolicy reads the whole tree into p.
func readPolicy(root *node, p *Policy) error {
	if err := readTable(root, policyKeys, p); err != nil {
		return err
	}
	return checkWhole(p)
}

// defaults is the policy of an empty file.
func defaults(path string) *Policy {
	return &Policy{
		Path:    path,
		Runtime: Runtime{Isolate: IsolateNone, Provider: "native"},
		Audit:   Audit{Trace: "writes"},
	}
}

var policyKeys = []key[Policy]{
	{"keys", func(n *node, p *Policy) error { return readSub(n, keysKeys, &p.Keys) }},
	{"network", func(n *node, p *Policy) error { return readSub(n, networkKeys, &p.Network) }},
	{"runtime", func(n *node, p *Policy) error { return readSub(n, runtimeKeys, &p.Runtime) }},
	{"audit", func(n *node, p *Policy) error { return readSub(n, auditKeys, &p.Audit) }},
	{"roles", readRoles},
}

// readSub reads a table of the policy.
func readSub[T any](n *node, keys []key[T], dst *T) error {
	hint := "write [" + n.name + "] on a line of its own, and its keys below it"
	if slices.Contains(namesOf(roleKeys), n.name) {
		hint += "; a role's own " + n.name + " stands below [roles.NAME]"
	}
	if err := n.table(hint); err != nil {
		return err
	}
	return readTable(n, keys, dst)
}

// table checks that n is one.
func (n *node) table(hint string) error {
	if _, ok := n.value.(map[string]any); !ok {
		return n.fail(n.line, hint, "%s where a table belongs", kindOf(n.value))
	}
	return nil
}

// unknown refuses k, which is in the table n and none of known.
func unknown(n, k *node, known []string) error {
	what := "key"
	if _, ok := k.value.(map[string]any); ok {
		what = "table"
	}
	return n.fail(k.line, unknownHint(n, k.name, known), "unknown %s %q", what, k.name)
}

func unknownHint(n *node, name string, known []string) string {
	if hint := foreign(n.where, name); hint != "" {
		return hint
	}
	if homes := homesOf(name); len(homes) > 0 {
		return fmt.Sprintf("%q belongs to %s", name, strings.Join(homes, " or "))
	}
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if n.where == "" {
		return "the tables are: " + strings.Join(known, ", ")
	}
	return "the keys are: " + strings.Join(known, ", ")
}

// homesOf lists the tables that have a key called name.
func homesOf(name string) (homes []string) {
	for _, t := range tableKeys() {
		if slices.Contains(t.names, name) {
			homes = append(homes, t.table)
		}
	}
	return homes
}

// tableKeys lists the keys of every table, where a misplaced one is looked for.
func tableKeys() []tableNames {
	return []tableNames{
		{"[roles.NAME]", namesOf(roleKeys)},
		{"[runtime]", namesOf(runtimeKeys)},
		{"[audit]", namesOf(auditKeys)},
		{"[keys]", namesOf(keysKeys)},
		{"[network]", namesOf(networkKeys)},
	}
}

type tableNames struct {
	table string
	names []string
}
