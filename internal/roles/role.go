package roles

import "strings"

var roleKeys = []key[Role]{
	{"command", func(n *node, r *Role) (err error) {
		r.CommandLine = n.line
		r.Command, err = n.command()
		return err
	}},
	{"writes", func(n *node, r *Role) (err error) {
		r.WritesSet, r.WritesLine = true, n.line
		r.Writes, err = each(n, parsePattern)
		return err
	}},
	{"never_writes", func(n *node, r *Role) (err error) {
		r.NeverWrites, err = each(n, parseNever)
		return err
	}},
	{"reads", func(n *node, r *Role) (err error) { r.Reads, err = each(n, parsePlace); return err }},
	{"keys", func(n *node, r *Role) (err error) { r.Keys, err = each(n, parseKey); return err }},
	{"env", func(n *node, r *Role) (err error) { r.Env, err = each(n, parseVariable); return err }},
	{"network", func(n *node, r *Role) (err error) {
		r.NetworkSet, r.NetworkLine = true, n.line
		r.Network, err = each(n, parseDest)
		return err
	}},
	{"ports", func(n *node, r *Role) (err error) { r.Ports, err = n.ports(); return err }},
	{"sockets", func(n *node, r *Role) (err error) { r.Sockets, err = each(n, parsePlace); return err }},
	{"git", func(n *node, r *Role) (err error) {
		r.GitLine = n.line
		r.Git, err = n.word("commit", "read", "none")
		return err
	}},
	{"sign", func(n *node, r *Role) (err error) { r.SignLine = n.line; r.Sign, err = n.boolean(); return err }},
	{"control_files", func(n *node, r *Role) (err error) {
		r.ControlFiles, err = each(n, oneOf("ide", "agents", "instructions"))
		return err
	}},
	{"userns", func(n *node, r *Role) (err error) { r.UsernsLine = n.line; r.Userns, err = n.boolean(); return err }},
	{"timeout", func(n *node, r *Role) (err error) {
		r.TimeoutLine = n.line
		r.Timeout, err = n.duration()
		return err
	}},
}

// readRoles reads every table [roles.NAME].
func readRoles(n *node, p *Policy) error {
	if err := n.table("write a table [roles.NAME] for each role"); err != nil {
		return err
	}
	p.Roles = make([]Role, 0, len(n.kids))
	folded := make(map[string]Text, len(n.kids))
	for _, k := range n.kids {
		if bad := checkName(k.name); bad != nil {
			return n.fail(k.line, bad.hint, "the name %s %s", quote(k.name), bad.why)
		}
		k.where = "roles." + k.name
		if err := k.table("write [roles.NAME] for a role, and its keys below it"); err != nil {
			return err
		}
		// On a file system that folds case they would share a home (UA-11).
		fold := strings.ToLower(k.name)
		if first, ok := folded[fold]; ok {
			return k.fail(k.line, "rename one of them", "differs only in case from the role %q in line %d", first.Value, first.Line)
		}
		folded[fold] = Text{k.name, k.line}

		r, err := readRole(k)
		if err != nil {
			return err
		}
		p.Roles = append(p.Roles, r)
	}
	return nil
}

func readRole(n *node) (Role, error) {
	r := Role{Name: n.name, Line: n.line, Sign: true}
	for _, k := range n.kids {
		if err := n.noDot(k); err != nil {
			return r, err
		}
	}
	if err := readTable(n, roleKeys, &r); err != nil {
		return r, err
	}
	if r.GitLine == 0 {
		r.Git = "read"
		if len(r.Writes) > 0 {
			r.Git = "commit"
		}
	}
	return r, nil
}

// noDot refuses [roles.mimo-v2.5], which to TOML is a table 5 in the role
// mimo-v2 (UA-11).
func (n *node) noDot(k *node) error {
	_, table := k.value.(map[string]any)
	if !table || k.how == byValue || k.how == byDots && n.how != byDots {
		return nil
	}
	names := namesOf(roleKeys)
	if nearest(k.name, names) != "" || foreign(n.where, k.name) != "" || len(homesOf(k.name)) > 0 {
		return nil // a table where a list belongs, or an unknown one
	}
	name := n.name
	for at := k; ; at = at.kids[0] {
		name += "." + at.name
		if _, ok := at.value.(map[string]any); !ok || at.how != byImplication || len(at.kids) == 0 {
			break
		}
	}
	at := &node{path: n.path}
	return at.fail(k.line, suggestName(name), "roles: the name %s holds a dot, which begins a table in a table", quote(name))
}

// command reads what starts the role: a program and its arguments. Arguments
// hold prompts, and so any text that an argument can be.
func (n *node) command() ([]string, error) {
	texts, err := n.texts()
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return nil, n.fail(n.line, "name a program, or leave the key out and give the command to run", "is empty")
	}
	if texts[0].Value == "" {
		return nil, n.fail(texts[0].Line, "name a program first, and then its arguments", "the program is empty")
	}
	list := make([]string, len(texts))
	for i, t := range texts {
		list[i] = t.Value
	}
	return list, nil
}

// checkWhole checks what no table shows by itself.
func checkWhole(p *Policy) error {
	at := &node{path: p.Path}
	if rt := p.Runtime; rt.WritesSet && rt.Isolate == IsolateHome {
		return at.fail(max(rt.WritesLine, rt.IsolateLine), "remove writes: each role has a home of its own, and writes there",
			`runtime: writes and isolate = "home" exclude each other`)
	}
	for _, r := range p.Roles {
		at.where = "roles." + r.Name
		if len(r.Keys) > 0 && len(p.Keys.Dirs) == 0 {
			return at.fail(r.Keys[0].Line, "write [keys] and below it dir = \".secrets\"",
				"keys: %s is listed, and the file has no key directory", quote(r.Keys[0].Value))
		}
		for _, d := range r.Network {
			if d.Value == sharedSet && !p.Network.Set {
				return at.fail(d.Line, "write [network] and below it allow = […], or remove it",
					"network: %q stands for [network] allow, which the file does not have", d.Value)
			}
		}
	}
	return nil
}
