package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// A Spec is all that one box may reach, resolved. The zero Spec reaches
// nothing but what the host lets everybody read.
//
// Invariants, which [Spec.Validate] checks:
//   - every path is absolute and lexically clean, and was real (no symlink in
//     it) when it was resolved;
//   - every path and variable is UTF-8, since a spec travels as JSON, which
//     would make another path of it;
//   - the lists of grants are sorted by path and hold no path twice, so that
//     equal specs have equal encodings;
//   - no list is nil, so that an encoding shows every field, also when empty.
//
// There are no pointers and no optional fields: a provider that forgets one
// fails the test that walks the fields by reflection (B-6).
type Spec struct {
	Role   string `json:"role"`    // for messages and the log
	Key    string `json:"key"`     // names the box: one per run, or shared when kept warm
	Root   string `json:"root"`    // the work tree
	RootID string `json:"root_id"` // names Root in paths that must be short
	Cwd    string `json:"cwd"`

	Write     []Grant  `json:"write"`     // may be written, and so read: territory and scratch
	Read      []Grant  `json:"read"`      // opened again inside something hidden
	Hidden    []Grant  `json:"hidden"`    // neither read nor written, by anyone inside
	Closed    []Grant  `json:"closed"`    // readable, never writable: the policy, git's own, never_writes
	Private   []Grant  `json:"private"`   // directories the run has to itself in place of the host's: /tmp
	Shown     []Grant  `json:"shown"`     // the host's, readable, where it lies inside Write or Private: the repository in /tmp
	Skeletons []Grant  `json:"skeletons"` // directories of which only Entries are there
	Entries   []Grant  `json:"entries"`   // names of the host's in a skeleton, readable
	Gitdirs   []Gitdir `json:"gitdirs"`   // how each repository in reach appears

	Network []Domain `json:"network"` // empty means none
	Sockets []Grant  `json:"sockets"` // unix sockets on the host, by path
	Ports   []Port   `json:"ports"`   // the box's, offered at the host's 127.0.0.1

	Env     []string      `json:"env"`     // NAME=value, sorted; the whole environment
	UserNS  bool          `json:"userns"`  // the command may make user namespaces
	Require []string      `json:"require"` // features without which Open must refuse
	Timeout time.Duration `json:"timeout"` // from start to the first signal, in nanoseconds; 0 is no limit

	Environment json.RawMessage `json:"environment"` // from Provider.Environment; null is none
}

// A Grant is a path, all below it if it is a directory, and where the policy
// says so.
type Grant struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
	Part Part   `json:"part"`
	Rule string `json:"rule"` // what a person reads when the grant decides: `roles.dev.writes "src/**" (seisin.toml:14)`
	ID   FileID `json:"id"`   // what stood there when the spec was made; zero: nothing did
}

// Absent reports whether nothing stood at the grant's path when the spec was
// made.
func (g Grant) Absent() bool { return g.ID == FileID{} }

// A Kind is what a granted path is, or is to be where it is absent.
type Kind string

// The kinds of a granted path.
const (
	File Kind = "file"
	Dir  Kind = "dir"
	Link Kind = "link" // a symlink, not what it leads to: of Entries and Closed only
)

// A Part is what a grant is to the person: lists are shown by it.
type Part string

// The parts of a box.
const (
	Territory   Part = "territory"   // of a role, in the repository or named by it
	Scratch     Part = "scratch"     // what every role may write besides: [runtime] writes
	Policy      Part = "policy"      // seisin.toml
	State       Part = "state"       // the tool's own
	Keys        Part = "keys"        // a declared key directory
	Git         Part = "git"         // git's own administration
	Never       Part = "never"       // never_writes
	Executed    Part = "executed"    // what the host executes from scratch
	Temporary   Part = "temporary"   // /tmp and kin
	Socket      Part = "socket"      // a unix socket of the host, and where it is
	Credentials Part = "credentials" // what isolation closes
	Home        Part = "home"        // of the role: HOME inside
	Toolchain   Part = "toolchain"   // programs on PATH in what isolation closes
	Visible     Part = "visible"     // the repository, the home: shown where something private covers them
)

// A FileID names a file as the kernel does. The zero FileID is no file. A
// provider that finds another file at a granted path refuses: something was
// swapped in between.
type FileID struct {
	Dev uint64 `json:"dev"`
	Ino uint64 `json:"ino"`
}

// A Gitdir is one repository's administration as the box shall see it.
type Gitdir struct {
	Path   string `json:"path"`   // where git looks inside
	Common string `json:"common"` // equal to Path but in linked worktrees
	Mode   string `json:"mode"`   // "read", "private", "none"
}

// A Domain is a name, *.name or address, and the ports it may be reached at.
type Domain struct {
	Name  string   `json:"name"`
	Ports []uint16 `json:"ports"` // never empty
	Rule  string   `json:"rule"`
}

// A Port of the box is offered on the host, at Host or, where that is 0, at
// the next free one from Box on.
type Port struct {
	Box  uint16 `json:"box"`
	Host uint16 `json:"host"`
}

// Normalize sorts the lists and makes none of them nil. Whoever makes a Spec
// calls it once, last.
func (s *Spec) Normalize() {
	for _, list := range s.grantLists() {
		slices.SortStableFunc(*list, func(a, b Grant) int { return strings.Compare(a.Path, b.Path) })
		*list = slices.CompactFunc(*list, func(a, b Grant) bool { return a.Path == b.Path })
		*list = orEmpty(*list)
	}
	slices.Sort(s.Env)
	s.Gitdirs, s.Network, s.Ports = orEmpty(s.Gitdirs), orEmpty(s.Network), orEmpty(s.Ports)
	s.Env, s.Require = orEmpty(s.Env), orEmpty(s.Require)
	if s.Environment == nil {
		s.Environment = json.RawMessage("null")
	}
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Unidentified returns s with the grants at which which is true taken as they
// come: no FileID is asked for.
func (s Spec) Unidentified(which func(path string) bool) Spec {
	for _, list := range s.grantLists() {
		*list = slices.Clone(*list)
		for i, g := range *list {
			if which(g.Path) {
				(*list)[i].ID = FileID{}
			}
		}
	}
	return s
}

func (s *Spec) grantLists() []*[]Grant {
	return []*[]Grant{&s.Write, &s.Read, &s.Hidden, &s.Closed, &s.Private, &s.Shown, &s.Skeletons, &s.Entries, &s.Sockets}
}

// Validate reports the first invariant that s breaks. Whoever receives a Spec
// from another process calls it before acting on any part of it.
func (s Spec) Validate() error {
	paths := []string{s.Root, s.Cwd}
	for _, g := range s.Gitdirs {
		paths = append(paths, g.Path, g.Common)
	}
	for _, p := range paths {
		if err := validPath(p); err != nil {
			return err
		}
	}
	for _, list := range s.grantLists() {
		if *list == nil {
			return fmt.Errorf("spec of role %q: a list is missing", s.Role)
		}
		for i, g := range *list {
			if err := validPath(g.Path); err != nil {
				return err
			}
			if i > 0 && (*list)[i-1].Path >= g.Path {
				return fmt.Errorf("grants are not sorted: %q before %q", (*list)[i-1].Path, g.Path)
			}
			if g.Kind != File && g.Kind != Dir && (g.Kind != Link || list != &s.Entries && list != &s.Closed) {
				return fmt.Errorf("grant %q has kind %q", g.Path, g.Kind)
			}
			if g.Rule == "" {
				return fmt.Errorf("grant %q names no rule", g.Path)
			}
		}
	}
	if s.Gitdirs == nil || s.Network == nil || s.Ports == nil || s.Env == nil || s.Require == nil || s.Environment == nil {
		return fmt.Errorf("spec of role %q: a list is missing", s.Role)
	}
	for _, d := range s.Network {
		if len(d.Ports) == 0 {
			return fmt.Errorf("domain %q has no ports", d.Name)
		}
	}
	for _, v := range s.Env {
		if name, _, ok := strings.Cut(v, "="); !ok || name == "" || strings.ContainsRune(v, 0) {
			return fmt.Errorf("%q is not an environment variable", v)
		}
		if !utf8.ValidString(v) {
			return &EncodingError{Variable: v}
		}
	}
	return nil
}

func validPath(p string) error {
	if !strings.HasPrefix(p, "/") || path.Clean(p) != p || strings.ContainsRune(p, 0) {
		return fmt.Errorf("path %q is not absolute and clean", p)
	}
	if !utf8.ValidString(p) {
		return &EncodingError{Path: p}
	}
	return nil
}

// Digest names the spec: the hex SHA-256 of its JSON encoding.
func (s Spec) Digest() (string, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// Within reports whether p is dir or lies below it. Both are absolute and
// clean.
func Within(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir) && p[len(dir)] == '/'
}

// Variable returns the value of one variable of an environment, or "".
func Variable(env []string, name string) string {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}
