package roles

// The tables of the policy but for the roles.

var keysKeys = []key[Keys]{
	{"dir", func(n *node, k *Keys) (err error) {
		// The one key that takes a string or a list: nearly all have one.
		if s, ok := n.value.(string); ok {
			n.value = []any{s}
		}
		k.Dirs, err = each(n, parseDir)
		return err
	}},
}

var networkKeys = []key[Network]{
	{"allow", func(n *node, w *Network) (err error) {
		w.Set = true
		w.Allow, err = each(n, func(t Text) (Dest, *fault) {
			if t.Value == sharedSet {
				return Dest{}, &fault{"stands for this very list", "use it in a role's network"}
			}
			return parseDest(t)
		})
		return err
	}},
}

var runtimeKeys = []key[Runtime]{
	{"isolate", func(n *node, r *Runtime) (err error) {
		r.IsolateSet, r.IsolateLine = true, n.line
		r.Isolate, err = n.isolation()
		return err
	}},
	{"writes", func(n *node, r *Runtime) (err error) {
		r.WritesSet, r.WritesLine = true, n.line
		r.Writes, err = each(n, parseScratch)
		return err
	}},
	{"provider", func(n *node, r *Runtime) (err error) {
		r.ProviderLine = n.line
		r.Provider, err = n.word("native", "srt", "container")
		return err
	}},
	{"require", func(n *node, r *Runtime) (err error) {
		r.Require, err = each(n, oneOf("landlock-truncate", "landlock-ioctl", "landlock-scope"))
		return err
	}},
}

// isolation reads the level. A level that is not known must not turn isolation
// off (SD-6).
func (n *node) isolation() (Isolation, error) {
	const levels = `write false, "credentials" or "home"`
	switch v := n.value.(type) {
	case bool:
		if v {
			return IsolateHome, nil
		}
		return IsolateNone, nil
	case string:
		switch v {
		case string(IsolateCredentials), string(IsolateHome):
			return Isolation(v), nil
		case "none", "false", "off", "no":
			return "", n.fail(n.line, "write isolate = false", "%s is not a level of isolation", quote(v))
		case "true", "on", "yes", "full":
			return "", n.fail(n.line, `write isolate = "home"`, "%s is not a level of isolation", quote(v))
		}
		hint := levels
		if near := nearest(v, []string{string(IsolateCredentials), string(IsolateHome)}); near != "" {
			hint = `did you mean "` + near + `"?`
		}
		return "", n.fail(n.line, hint, "%s is not a level of isolation", quote(v))
	default:
		return "", n.fail(n.line, levels, "%s where a level of isolation belongs", kindOf(v))
	}
}

var auditKeys = []key[Audit]{
	{"trace", func(n *node, a *Audit) (err error) {
		a.TraceLine = n.line
		if n.value == false {
			a.Trace = "none"
			return nil
		}
		const hint = `write "writes", "reads" or false`
		t, err := n.text(hint)
		if err != nil {
			return err
		}
		if t.Value != "writes" && t.Value != "reads" {
			return n.fail(n.line, hint, "%s is nothing that is traced", quote(t.Value))
		}
		a.Trace = t.Value
		return nil
	}},
	{"required", func(n *node, a *Audit) (err error) {
		a.RequiredLine = n.line
		a.Required, err = n.boolean()
		return err
	}},
}
