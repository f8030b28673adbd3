package roles

import "time"

// A Policy is the whole of one seisin.toml.
type Policy struct {
	Path    string // as given to Parse, for messages
	Keys    Keys
	Network Network
	Runtime Runtime
	Audit   Audit
	Roles   []Role // in the order of the file
}

// A Text is one string of the file and where it stands.
type Text struct {
	Value string
	Line  int // 1-based
}

// Keys is the table [keys].
type Keys struct {
	// Dirs are the directories that hold keys, in the order of the file:
	// clean, absolute or relative to the root, never the root itself.
	Dirs []Text
}

// Network is the table [network].
type Network struct {
	Allow []Dest // for roles without a list of their own
	Set   bool   // whether the file has the list at all
}

// A Kind says what a [Dest] names.
type Kind string

// The kinds of destinations.
const (
	KindSet       Kind = "set"       // "@claude", "@shared"
	KindName      Kind = "name"      // "api.example.com", and nothing below it
	KindWildcard  Kind = "wildcard"  // "*.example.com": what is below, not the name itself
	KindIP        Kind = "ip"        // "192.0.2.1", "[2001:db8::1]"
	KindLocalhost Kind = "localhost" // "localhost:5432": one port of the host
)

// A Dest is one destination that a role may connect to.
type Dest struct {
	Text
	Kind Kind

	// Name is the set with its "@"; the host in lower case ASCII without a
	// trailing dot, a wildcard's with its "*."; or the address in the one
	// spelling that net/netip gives it, without brackets.
	Name string

	// Ports are the granted ports: one, or 443 and 80 where the file says
	// none. Only a set has none of its own.
	Ports []uint16

	// Strangers says that a wildcard stands right above names that anyone may
	// register, as "*.github.io" does.
	Strangers bool
}

// An Isolation says what of the person's home a box sees.
type Isolation string

// The levels of isolation.
const (
	IsolateNone        Isolation = "none"        // false, the default
	IsolateCredentials Isolation = "credentials" // the home, without what signs in
	IsolateHome        Isolation = "home"        // a home for each role; true means this
)

// Runtime is the table [runtime]. A line of 0 says that the file leaves the
// key out.
type Runtime struct {
	Isolate     Isolation
	IsolateLine int
	IsolateSet  bool

	// Writes replaces the default list of scratch places: absolute, "~/…", or
	// exactly "$TMPDIR". It is never set at [IsolateHome].
	Writes     []Text
	WritesSet  bool
	WritesLine int

	Provider     string // "native" (the default), "srt" or "container"
	ProviderLine int
	Require      []Text // kernel features without which nothing starts
}

// Audit is the table [audit].
type Audit struct {
	Trace        string // "writes" (the default), "reads", or "none"
	TraceLine    int
	Required     bool // a log that cannot be written ends the run
	RequiredLine int
}

// A Pattern is one entry of a territory: a path, or a path and everything
// below it. Nothing else is expressible, since nothing else is what the kernel
// can grant.
type Pattern struct {
	Text
	Path string // clean: relative to the root, "." for "**", or absolute
	Tree bool   // written as "x/**" or "x/"
	Abs  bool
}

// A Port is a port of the box that the host reaches at 127.0.0.1.
type Port struct {
	Text
	Host, Box uint16 // never 0
	Exact     bool   // written as "HOST:BOX": this port of the host and no other
}

// A Role is one table [roles.NAME]. A line of 0 says that the file leaves the
// key out.
type Role struct {
	Name string // see [MaxNameLen]; no two are equal when case is folded
	Line int

	Command     []string // not empty where CommandLine is set
	CommandLine int

	Writes      []Pattern
	NeverWrites []Pattern // relative, and never "."
	WritesSet   bool
	WritesLine  int

	Reads        []Text // places: absolute or "~/…"
	Keys         []Text // names in a key directory, or paths; only with [keys] dir
	Env          []Text // names of variables
	Sockets      []Text // places
	ControlFiles []Text // "ide", "agents", "instructions"

	Network     []Dest // "@shared" is left in, and then [network] allow is set
	NetworkSet  bool
	NetworkLine int

	Ports []Port // no port of either side twice

	Git     string // "commit" (the default with writes), "read" (without), or "none"
	GitLine int

	Sign     bool // true unless the file says false
	SignLine int

	Userns     bool
	UsernsLine int

	Timeout     time.Duration // 0 is no limit
	TimeoutLine int
}

// An identified entry of a list can be told from the others.
type identified interface{ id() string }

func (t Text) id() string { return t.Value }

func (p Pattern) id() string {
	if p.Tree {
		return p.Path + "/**"
	}
	return p.Path
}
