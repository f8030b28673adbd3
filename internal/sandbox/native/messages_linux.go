package native

import (
	"time"

	"seisin/internal/sandbox"
)

// The names under which the binary executes itself. They are argv[0].
const (
	keeperArg = "seisin-keeper"
	initArg   = "seisin-init"
)

// The descriptors of a keeper and of an init, by number.
const (
	wireFD   = 3 // messages with the supervisor; its end is the supervisor's end
	holdFD   = 4 // keeper: joined to the init's keeperFD
	keeperFD = 4 // init: its end is the keeper's end
	pidfdFD  = 5 // keeper: the init itself
)

// setup is the first message to the keeper: what to build.
type setup struct {
	Role     string
	Mounts   []sandbox.Mount
	Own      map[string]string // the host's directory behind each Own mount
	Watch    []string          // below these, ancestors of a mount are watched too
	Deadline time.Time         // the box's last moment; zero is none
	Sockets  []string          // of the host, that may be connected to
	Terminal sandbox.Terminal  // has its name inside too
	Group    int               // the supervisor's process group
	Keep     int               // how many descriptors of the Site's come after this message
}

func (m *setup) code(c *coder) {
	c.string(&m.Role)
	list(c, &m.Mounts, codeMount)
	c.table(&m.Own)
	c.strings(&m.Watch)
	c.time(&m.Deadline)
	c.strings(&m.Sockets)
	c.string(&m.Terminal.Path)
	codeID(c, &m.Terminal.ID)
	c.int(&m.Group)
	c.int(&m.Keep)
}

func codeMount(c *coder, m *sandbox.Mount) {
	c.string(&m.Path)
	named(c, &m.Mode)
	c.bool(&m.Own)
	c.bool(&m.Pin)
	named(c, &m.Kind)
	named(c, &m.Gone)
	c.string(&m.Rule)
	codeID(c, &m.ID)
	c.string(&m.Opens)
}

func codeID(c *coder, m *sandbox.FileID) {
	c.number(&m.Dev)
	c.number(&m.Ino)
}

// kept is a message to the keeper that brings descriptors of the Site's.
type kept struct{}

func (*kept) code(*coder) {}

// initSetup is the first message to the init: what to give up.
type initSetup struct {
	Writable []string // Landlock allows writing below these
	ABI      int      // of Landlock, as the supervisor found it
	UserNS   bool     // the role may make user namespaces
	Slack    int      // timer slack of commands, in nanoseconds
}

func (m *initSetup) code(c *coder) {
	c.strings(&m.Writable)
	c.int(&m.ABI)
	c.bool(&m.UserNS)
	c.int(&m.Slack)
}

// fromKeeperToInit says that the tree stands.
type fromKeeperToInit struct{}

func (*fromKeeperToInit) code(*coder) {}

// fromInitToKeeper brings the listener of the filter.
type fromInitToKeeper struct{}

func (*fromInitToKeeper) code(*coder) {}

// fromKeeper is what a keeper says: one field is set.
type fromKeeper struct {
	Ready   *ready
	Failed  *failure
	Renewed string  // a mount the host had thrown off is back
	StandIn string  // a name that must not stay absent
	Refused string  // a unix socket, by its path in the box
	Blind   string  // why the box's own sockets are refused too
	Fallen  *fallen // a wall that cannot be held any more
	Vacated bool    // nothing runs in the box any more, and the kept descriptors are closed
}

func (m *fromKeeper) code(c *coder) {
	option(c, &m.Ready)
	option(c, &m.Failed)
	c.string(&m.Renewed)
	c.string(&m.StandIn)
	c.string(&m.Refused)
	c.string(&m.Blind)
	option(c, &m.Fallen)
	c.bool(&m.Vacated)
}

type ready struct {
	Mounts int
}

func (m *ready) code(c *coder) { c.int(&m.Mounts) }

type fallen struct {
	Path string
	Why  string
}

func (m *fallen) code(c *coder) {
	c.string(&m.Path)
	c.string(&m.Why)
}

// toKeeper is what a supervisor says after the setup.
type toKeeper struct {
	Close bool
}

func (m *toKeeper) code(c *coder) { c.bool(&m.Close) }

// Messages to the init and from it. The supervisor numbers its launches.
type toInit struct {
	Setup    *initSetup
	Launch   *launch // with the descriptors that are given
	Signal   *signalTo
	Continue *goOn
}

func (m *toInit) code(c *coder) {
	option(c, &m.Setup)
	option(c, &m.Launch)
	option(c, &m.Signal)
	option(c, &m.Continue)
}

type launch struct {
	ID         int
	Argv       []string
	Env        []string
	Dir        string
	Given      [3]bool   // which of the standard streams come; others are the box's /dev/null
	Anew       [3]string // of those that come, terminals that are opened anew by their names inside
	Foreground bool      // take the foreground of the terminal on stdin
}

func (m *launch) code(c *coder) {
	c.int(&m.ID)
	c.strings(&m.Argv)
	c.strings(&m.Env)
	c.string(&m.Dir)
	for i := range m.Given {
		c.bool(&m.Given[i])
		c.string(&m.Anew[i])
	}
	c.bool(&m.Foreground)
}

type signalTo struct {
	ID     int
	Signal int
}

func (m *signalTo) code(c *coder) {
	c.int(&m.ID)
	c.int(&m.Signal)
}

type goOn struct {
	ID         int
	Foreground bool
}

func (m *goOn) code(c *coder) {
	c.int(&m.ID)
	c.bool(&m.Foreground)
}

type fromInit struct {
	Ready   bool
	Failed  *failure
	Started int // a launch's ID
	Refused *refused
	Stopped *signalTo // by which signal
	Exited  *exitOf
}

func (m *fromInit) code(c *coder) {
	c.bool(&m.Ready)
	option(c, &m.Failed)
	c.int(&m.Started)
	option(c, &m.Refused)
	option(c, &m.Stopped)
	option(c, &m.Exited)
}

type refused struct {
	ID       int
	NotFound bool
	Why      string
}

func (m *refused) code(c *coder) {
	c.int(&m.ID)
	c.bool(&m.NotFound)
	c.string(&m.Why)
}

type exitOf struct {
	ID     int
	Code   int
	Signal int
}

func (m *exitOf) code(c *coder) {
	c.int(&m.ID)
	c.int(&m.Code)
	c.int(&m.Signal)
}
