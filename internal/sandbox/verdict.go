package sandbox

import (
	"fmt"
	"net"
	"net/netip"
	"path"
	"slices"
	"strings"
)

// An Op is what someone inside tries.
type Op string

// The operations a Verdict is asked about.
const (
	// OpRead is to read a file's contents or to list a directory.
	OpRead Op = "read"
	// OpWrite is to change what is there: contents, mode, times, and the
	// names inside a granted directory.
	OpWrite Op = "write"
	// OpReplace is to create, remove, rename or link this very name. The name
	// of a grant and the directories that lead to something protected cannot
	// be replaced even where they can be written.
	OpReplace Op = "replace"
	// OpConnect is to connect to a network destination.
	OpConnect Op = "connect"
)

// A Verdict says what the box does with an attempt, and by which rule.
type Verdict struct {
	Allowed bool   `json:"allowed"`
	Rule    string `json:"rule"`

	// Crosses is set where the one reason is that two names stand in
	// different grants: the kernel then answers EXDEV, and programs such as
	// mv fall back to copying.
	Crosses bool `json:"crosses,omitempty"`
}

// Verdict is [Plan.Verdict] for one question. Whoever has many makes the Plan
// once.
func (s Spec) Verdict(op Op, name string) Verdict { return s.Plan().Verdict(op, name) }

// Verdict is the one answer to what the box does with op on name: "git seisin
// explain" prints it, landing asks it of every changed path, denial records
// quote it, and the kernel is held to it by a property test. Name is absolute
// and clean, and no directory in it is a symlink.
func (p Plan) Verdict(op Op, name string) Verdict {
	if op != OpConnect && !path.IsAbs(name) {
		return Verdict{Rule: fmt.Sprintf("%q is no absolute path", name)}
	}
	switch op {
	case OpRead:
		return p.read(name)
	case OpWrite:
		return p.write(name)
	case OpReplace:
		return p.replace(name)
	case OpConnect:
		return p.connect(name)
	}
	return Verdict{Rule: fmt.Sprintf("%q is no operation", op)}
}

func (p Plan) read(name string) Verdict {
	m := p.enclosing(name)
	if m.Mode == Empty {
		return Verdict{Rule: m.Rule}
	}
	if m.Mode == Skeleton && name != m.Path {
		if d := p.Spec.denial(name); d != nil {
			return Verdict{Rule: d.Rule}
		}
		return Verdict{Rule: m.Rule}
	}
	closed := slices.ContainsFunc(p.Spec.Closed, func(g Grant) bool { return g.Path == m.Path })
	if m.Path == "/" || m.Pin || closed {
		return Verdict{Allowed: true, Rule: "what is not hidden can be read"}
	}
	return Verdict{Allowed: true, Rule: m.Rule}
}

// connect judges a destination: an absolute path is a unix socket's, all else
// a host with or without a port.
func (p Plan) connect(to string) Verdict {
	if path.IsAbs(to) {
		for _, g := range p.Spec.Sockets {
			if g.Path == path.Clean(to) {
				return Verdict{Allowed: true, Rule: g.Rule}
			}
		}
		return Verdict{Rule: "no sockets of the role names it: of unix sockets with a path, a box reaches those that were made in it"}
	}
	host, _, err := net.SplitHostPort(to)
	if err != nil {
		host = strings.Trim(to, "[]")
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.IsLoopback() || host == "localhost" {
		return Verdict{Allowed: true, Rule: "it is the box's own loopback: what listens inside answers, nothing of the host does"}
	}
	return Verdict{Rule: "network: none in this version"}
}

func (p Plan) write(name string) Verdict {
	if d := p.Spec.denial(name); d != nil {
		return Verdict{Rule: d.Rule}
	}
	m := p.enclosing(name)
	if m.Mode != Writable {
		return Verdict{Rule: p.ungranted(m)}
	}
	if slices.Contains(kernels, name) {
		return Verdict{Rule: m.Rule + ", and the kernel alone makes names in it"}
	}
	return Verdict{Allowed: true, Rule: p.grantRule(name, m)}
}

// kernels are directories of a box in which only the kernel makes, moves and
// removes names.
var kernels = []string{"/proc", "/dev/pts"}

func (p Plan) replace(name string) Verdict {
	if d := p.Spec.denial(name); d != nil {
		return Verdict{Rule: d.Rule}
	}
	if i, ok := p.at[name]; ok {
		m := p.Mounts[i]
		if m.Mode == Writable && !m.Pin {
			return Verdict{Rule: m.Rule + ": the name of a grant can be written, not removed, renamed or replaced"}
		}
		return Verdict{Rule: m.Rule}
	}
	m := p.enclosing(path.Dir(name))
	if m.Mode != Writable {
		return Verdict{Rule: p.ungranted(m)}
	}
	if slices.ContainsFunc(kernels, func(dir string) bool { return Within(name, dir) }) {
		return Verdict{Rule: m.Rule + ", and the kernel alone makes names in it"}
	}
	return Verdict{Allowed: true, Rule: p.grantRule(name, m)}
}

// Rename judges rename(2) of from onto to: both names, and that no mount lies
// between them.
func (p Plan) Rename(from, to string) Verdict {
	for _, name := range []string{from, to} {
		if v := p.Verdict(OpReplace, name); !v.Allowed {
			return v
		}
	}
	return p.together(p.enclosing(path.Dir(from)), p.enclosing(path.Dir(to)), to)
}

// Link judges link(2) of the file from under the new name to.
func (p Plan) Link(from, to string) Verdict {
	if v := p.Verdict(OpRead, from); !v.Allowed {
		return v
	}
	if v := p.Verdict(OpReplace, to); !v.Allowed {
		return v
	}
	return p.together(p.enclosing(from), p.enclosing(path.Dir(to)), to)
}

func (p Plan) together(a, b Mount, to string) Verdict {
	if a.Path != b.Path {
		return Verdict{Crosses: true, Rule: fmt.Sprintf("%s and %s are granted apart: names cannot move between them, contents can be copied", a.Path, b.Path)}
	}
	return Verdict{Allowed: true, Rule: p.grantRule(to, b)}
}

// grantRule names the deepest grant that covers name, which m makes writable.
func (p Plan) grantRule(name string, m Mount) string {
	for m.Pin {
		m = p.enclosing(path.Dir(m.Path))
	}
	if m.Own {
		return m.Rule
	}
	rule, depth := m.Rule, -1
	for _, g := range p.Spec.Write {
		if Within(name, g.Path) && len(g.Path) > depth {
			rule, depth = g.Rule, len(g.Path)
		}
	}
	return rule
}

// ungranted says why nothing makes a place writable.
func (p Plan) ungranted(m Mount) string {
	if m.Path == "/" || m.Mode == ReadOnly && !m.Own {
		return fmt.Sprintf("no grant of role %q covers it", p.Spec.Role)
	}
	return m.Rule
}
