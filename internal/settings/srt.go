package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// An SRTFile is a settings file of sandbox-runtime. It has no optional field:
// sandbox-runtime refuses to start where one of these is missing, and takes a
// misspelt one for none. Network and filesystem stand at the top; below
// a key "sandbox" they would be another program's file.
type SRTFile struct {
	Network    SRTNetwork    `json:"network"`
	Filesystem SRTFilesystem `json:"filesystem"`
}

// An SRTNetwork is what a command may connect to.
type SRTNetwork struct {
	AllowedDomains    []string `json:"allowedDomains"` // each with its port
	DeniedDomains     []string `json:"deniedDomains"`  // always empty: egress only allows
	AllowUnixSockets  []string `json:"allowUnixSockets"`
	AllowLocalBinding bool     `json:"allowLocalBinding"` // always false
}

// An SRTFilesystem is what a command may read and write. DenyRead yields to
// AllowRead, and AllowWrite to DenyWrite.
type SRTFilesystem struct {
	DenyRead   []string `json:"denyRead"`
	AllowRead  []string `json:"allowRead"`
	AllowWrite []string `json:"allowWrite"`
	DenyWrite  []string `json:"denyWrite"`
}

// A GlobError reports a path that sandbox-runtime would take for a pattern,
// and then leave out without a word.
type GlobError struct{ Path string }

func (e *GlobError) Error() string {
	return fmt.Sprintf("%q cannot stand in sandbox-runtime's settings: it takes *, ?, [ and ] for a pattern, and drops patterns", e.Path)
}

// Hint says what the user can do about it.
func (e *GlobError) Hint() string { return "rename the directory, or run the role in the native box" }

// SRT says in sandbox-runtime's words what a role is granted. Where answer was
// made with [Options.Observe], so is the file. Spool is the socket of the
// supervisor, or "" where there is none to reach.
//
// What the policy grants and the file cannot say is left out, and named in
// left, a sentence each. The file is then narrower than the policy.
func SRT(answer *Answer, role *roles.Role, policy *roles.Policy, spool string) (file SRTFile, left []string, err error) {
	s := &srt{spec: answer.Spec, role: role, policy: policy, spool: spool}
	if policy.Runtime.Isolate == roles.IsolateHome {
		if err := s.giveHome(); err != nil {
			return SRTFile{}, nil, err
		}
	}
	file = SRTFile{
		Network: SRTNetwork{
			AllowedDomains:   s.domains(),
			DeniedDomains:    []string{},
			AllowUnixSockets: s.sockets(),
		},
		Filesystem: SRTFilesystem{
			DenyRead:   s.denyRead(),
			AllowRead:  s.allowRead(),
			AllowWrite: s.allowWrite(),
			DenyWrite:  s.denyWrite(),
		},
	}
	s.leaveOut(len(role.Sockets) > 0, "sockets are left out: the spool's is the only one")
	s.leaveOut(len(role.Ports) > 0, "ports are left out: sandbox-runtime offers none to the host")
	fs := file.Filesystem
	for _, p := range slices.Concat(fs.DenyRead, fs.AllowRead, fs.AllowWrite, fs.DenyWrite) {
		if strings.ContainsAny(p, "*?[]") {
			return SRTFile{}, nil, &GlobError{p}
		}
	}
	return file, s.left, nil
}

// An srt is one file in the making.
type srt struct {
	spec   sandbox.Spec
	role   *roles.Role
	policy *roles.Policy
	spool  string
	left   []string

	homes, home string // the directory of all of the policy's, and the role's; "" without
}

func (s *srt) leaveOut(yes bool, format string, args ...any) {
	if yes {
		s.left = append(s.left, fmt.Sprintf(format, args...))
	}
}

// domains lists what the role may connect to. Its own list stands in place of
// [network] allow, an empty one too.
func (s *srt) domains() []string {
	asked := s.role.Network
	if !s.role.NetworkSet {
		asked = s.policy.Network.Allow
	}
	list := []string{}
	for _, d := range asked {
		if d.Name != "@shared" {
			list = s.addDomain(list, d)
			continue
		}
		for _, shared := range s.policy.Network.Allow {
			list = s.addDomain(list, shared)
		}
	}
	return list
}

func (s *srt) addDomain(list []string, d roles.Dest) []string {
	if d.Kind == roles.KindSet {
		s.leaveOut(true, "%s is left out: what it stands for is not in this version", d.Name)
		return list
	}
	name := d.Name
	switch bare := strings.TrimPrefix(name, "*."); {
	case d.Kind == roles.KindIP && strings.Contains(name, ":"):
		name = "[" + name + "]"
	case d.Kind == roles.KindIP || d.Kind == roles.KindLocalhost:
	case !strings.Contains(bare, "."):
		s.leaveOut(true, "%s is left out: sandbox-runtime takes no name without a dot", d.Name)
		return list
	}
	for _, port := range d.Ports {
		// Without a port it would be all of them.
		if entry := fmt.Sprintf("%s:%d", name, port); !slices.Contains(list, entry) {
			list = append(list, entry)
		}
	}
	return list
}

// sockets is the spool, and nothing else.
func (s *srt) sockets() []string {
	if s.spool == "" {
		return []string{}
	}
	return []string{s.spool}
}

// allowRead opens hidden places again: what the spec says, and the spool.
func (s *srt) allowRead() []string {
	list := paths(s.spec.Read)
	if s.home != "" {
		list = append(list, s.home)
	}
	if s.spool != "" && slices.ContainsFunc(s.spec.Hidden, func(g sandbox.Grant) bool { return sandbox.Within(s.spool, g.Path) }) {
		list = append(list, s.spool)
	}
	return list
}

// allowWrite is the territory and then the scratch.
func (s *srt) allowWrite() []string {
	territory, scratch := []string{}, []string{}
	var absent []string
	for _, g := range s.spec.Write {
		switch {
		case g.Part == sandbox.Home: // the native box's
		case g.Part != sandbox.Scratch:
			territory = append(territory, g.Path)
		case s.holdsRoot(g.Path):
		default:
			scratch = append(scratch, g.Path)
		}
		if g.Absent() && g.Part == sandbox.Territory && !Sidecar(g) {
			absent = append(absent, g.Path)
		}
	}
	if s.home != "" { // and nothing shared
		for _, name := range []string{"", ".config", ".local", ".cache", "tmp"} {
			scratch = append(scratch, filepath.Join(s.home, name))
		}
		return append(territory, scratch...)
	}
	for _, p := range s.temporary() {
		if !s.holdsRoot(p) {
			scratch = append(scratch, p)
		}
	}
	s.leaveOut(len(absent) > 0, "sandbox-runtime skips a grant that does not exist, so make it first: %s", strings.Join(absent, " "))
	return append(territory, scratch...)
}

// temporary are the directories that the native box has of its own, as far as
// the scratch list names them: here they are the host's.
func (s *srt) temporary() (list []string) {
	named := s.policy.Runtime.Writes
	if !s.policy.Runtime.WritesSet {
		for _, p := range DefaultScratch {
			named = append(named, roles.Text{Value: p})
		}
	}
	for _, t := range named {
		p := t.Value
		if p == "$TMPDIR" {
			p = sandbox.Variable(s.spec.Env, "TMPDIR")
		}
		if real, err := RealPath(p); err == nil {
			p = real
		}
		own := slices.ContainsFunc(s.spec.Private, func(g sandbox.Grant) bool { return g.Path == p })
		if own && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// holdsRoot reports whether scratch would open the repository: a grant here is
// all that is below it, and what is denied again could not be granted to a
// territory.
func (s *srt) holdsRoot(p string) bool {
	holds := s.spec.Root != "" && sandbox.Within(s.spec.Root, p)
	s.leaveOut(holds, "scratch %s is left out: the repository lies in it", p)
	return holds
}

// denyWrite is all that no grant opens: policy, state, key directories, git's
// own, never_writes; what is hidden too, though sandbox-runtime implies
// it, since that is its own business. Of the spool also its directory,
// which could else be renamed with the socket in it.
func (s *srt) denyWrite() []string {
	list := append(paths(s.spec.Closed), paths(s.spec.Hidden)...)
	list = append(list, s.state()...)
	slices.Sort(list)
	if s.spool != "" {
		list = append(list, s.spool, filepath.Dir(s.spool))
	}
	return list
}

func paths(grants []sandbox.Grant) []string {
	list := []string{}
	for _, g := range grants {
		list = append(list, g.Path)
	}
	return list
}
