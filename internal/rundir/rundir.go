// Package rundir keeps what a run needs on the host while it lives, and takes
// it away again: its own directory, and the stand-ins for granted paths that
// did not exist.
//
// A run directory is $XDG_STATE_HOME/seisin/run/<8 characters>, mode 0700. It
// is locked as long as any process of the run lives, so that the next run can
// tell a dead one and clear it away, whatever killed it. What was made for
// absent grants is listed in one file beside the run directories, since two
// runs may use the same grant: the last one out removes it, and only if it is
// still empty.
//
// All removal goes by directory descriptors that were opened when the run
// began. The last process of a box has no path of the host's that it could
// write, but it holds these.
package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// IDLen is the length of a run's name. It stands in the path of a socket,
// which holds 107 bytes in all on Linux (LX-9).
const IDLen = 8

const idAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

const (
	registryName = "made.json" // what runs made for absent grants
	guardName    = "guard"     // locked while the registry is read and changed
	lockName     = "lock"      // locked while the run lives
	usesName     = "uses.json" // the granted paths of one run
	mineName     = "mine.json" // what that run made, in the order of the descriptors in Files
)

// A Dir is one run's directory. The zero Dir is not usable; see [New].
type Dir struct {
	Path string // absolute
	ID   string

	mu    sync.Mutex // guards the fields below
	runs  *os.File   // the directory of all runs; nil once closed
	lock  *os.File   // held, exclusively, while the run lives
	uses  []string
	mine  []made
	above []*os.File // the parent of each of mine
	heir  bool       // see Inherit: what is not in mine cannot be reached
}

// errClosed is returned after Close.
var errClosed = errors.New("the run has ended")

// made is one file or directory that some run made for an absent grant.
type made struct {
	Path string `json:"path"`
	Dir  bool   `json:"dir"`
	identity
}

// An identity tells a file from all others, also from one that has its number
// after it: file systems give the number of a removed file to the next.
type identity struct {
	Dev  uint64 `json:"dev"`
	Ino  uint64 `json:"ino"`
	Born int64  `json:"born"` // in nanoseconds; 0 where the file system does not know
}

// New makes a run directory below state, which is $XDG_STATE_HOME/seisin, and
// makes state too if it is absent. It first clears away what dead runs left.
// Uses are the granted paths that this run relies on.
func New(state string, uses []string) (*Dir, error) {
	if err := os.MkdirAll(filepath.Join(state, "run"), 0o700); err != nil {
		return nil, err
	}
	runs, err := openDir(filepath.Join(state, "run"))
	if err != nil {
		return nil, err
	}
	d := &Dir{runs: runs, uses: slices.Sorted(slices.Values(uses))}
	if err := d.create(state); err != nil {
		return nil, errors.Join(err, runs.Close())
	}
	return d, nil
}

func (d *Dir) create(state string) error {
	unlock, err := d.guard()
	if err != nil {
		return err
	}
	defer unlock()
	if err := d.sweep(); err != nil {
		return err
	}
	for {
		d.ID = newID()
		d.Path = filepath.Join(state, "run", d.ID)
		err := os.Mkdir(d.Path, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	if d.lock, err = lockNew(filepath.Join(d.Path, lockName), d.ID); err != nil {
		return err
	}
	return d.writeJSON(usesName, d.uses)
}

func newID() string {
	b := make([]byte, IDLen)
	for i := range b { // no secret: the directory is the user's alone
		b[i] = idAlphabet[rand.IntN(len(idAlphabet))]
	}
	return string(b)
}

// Subdir makes a directory of the run's own and returns its path.
func (d *Dir) Subdir(name string) (string, error) {
	p := filepath.Join(d.Path, name)
	return p, os.Mkdir(p, 0o700)
}

// A Wanted is a path that has to exist while a run lives.
type Wanted struct {
	Path string
	Dir  bool // an empty directory if nothing is there; else an empty file
}

// Ensure makes path, with the directories above it, unless something is there
// already: an empty directory if dir is set, else an empty file. It returns
// the paths it made, outermost first.
func (d *Dir) Ensure(path string, dir bool) ([]string, error) {
	made, _, err := d.EnsureAll([]Wanted{{path, dir}})
	if made == nil {
		return nil, err
	}
	return made[0], err
}

// EnsureAll is Ensure for many paths at once. Of an error it says which of them
// it is about.
func (d *Dir) EnsureAll(wanted []Wanted) (made [][]string, failed int, err error) {
	unlock, err := d.guard()
	if err != nil {
		return nil, 0, err
	}
	defer unlock()
	before := len(d.mine)
	for i, w := range wanted {
		names, err := d.ensure(w.Path, w.Dir)
		made = append(made, names)
		if err != nil {
			return made, i, errors.Join(err, d.note(before))
		}
	}
	return made, len(wanted), d.note(before)
}

func (d *Dir) ensure(path string, dir bool) ([]string, error) {
	var missing []string
	for p := path; ; p = filepath.Dir(p) {
		_, err := os.Lstat(p)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		missing = append(missing, p)
	}
	slices.Reverse(missing)
	for i, p := range missing {
		if err := d.makeOne(p, dir || i < len(missing)-1); err != nil {
			return missing[:i], err
		}
	}
	return missing, nil
}

// Transient returns which of paths some run made, and so may go and come anew
// as runs end and begin. Asked once this run holds them, it is their last word.
func (d *Dir) Transient(paths []string) (map[string]bool, error) {
	unlock, err := d.guard()
	if err != nil {
		return nil, err
	}
	defer unlock()
	all, err := d.registry()
	if err != nil {
		return nil, err
	}
	transient := map[string]bool{}
	for _, m := range all {
		if slices.Contains(paths, m.Path) {
			transient[m.Path] = true
		}
	}
	return transient, nil
}

// StandIn makes the one directory path, whose parent must be there, unless
// something is there already.
func (d *Dir) StandIn(path string) error {
	unlock, err := d.guard()
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	before := len(d.mine)
	return errors.Join(d.makeOne(path, true), d.note(before))
}

// makeOne makes p, which is then to be noted.
func (d *Dir) makeOne(p string, dir bool) error {
	parent, err := openDir(filepath.Dir(p))
	if err != nil {
		return err
	}
	name := filepath.Base(p)
	m := made{Path: p, Dir: dir}
	if err = makeAt(parent, name, dir); err == nil {
		m.identity, err = identify(parent, name)
	}
	if err != nil {
		return errors.Join(err, parent.Close())
	}
	d.mine, d.above = append(d.mine, m), append(d.above, parent)
	return nil
}

// note writes down what was made since mine was so long: for this run's heir,
// and for the runs to come.
func (d *Dir) note(before int) error {
	if len(d.mine) == before {
		return nil
	}
	all, err := d.registry()
	if err != nil {
		return err
	}
	return errors.Join(d.setRegistry(append(all, d.mine[before:]...)), d.writeJSON(mineName, d.mine))
}

// Close ends the run on disk: it removes what was made and is still empty and
// used by no other run, then the run directory. It is safe to call again.
func (d *Dir) Close() error {
	unlock, err := d.guard()
	if errors.Is(err, errClosed) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	err = errors.Join(d.removeRun(d.ID), d.lock.Close(), d.sweep())
	for _, f := range d.above {
		err = errors.Join(err, f.Close())
	}
	err = errors.Join(err, d.runs.Close())
	d.runs = nil
	return err
}

// sweep removes the directories of dead runs and what no living run uses. The
// guard is held.
func (d *Dir) sweep() error {
	alive, err := d.clearDead()
	if err != nil {
		return err
	}
	all, err := d.registry()
	if err != nil || len(all) == 0 {
		return err
	}
	used := map[string]bool{}
	for _, id := range alive {
		for _, p := range d.usesOf(id) {
			for ; p != "/"; p = filepath.Dir(p) { // what leads to a used path is used
				used[p] = true
			}
		}
	}
	// Deepest first, so that a directory made only to hold another is empty
	// when its turn comes.
	slices.SortFunc(all, func(a, b made) int { return strings.Compare(b.Path, a.Path) })
	var kept []made
	for _, m := range all {
		if used[m.Path] || !d.removeMade(m) || holdsAny(kept, m.Path) {
			kept = append(kept, m)
		}
	}
	return d.setRegistry(kept)
}

// holdsAny reports whether something in list stands below dir: then dir could
// not be removed yet.
func holdsAny(list []made, dir string) bool {
	return slices.ContainsFunc(list, func(m made) bool { return strings.HasPrefix(m.Path, dir+"/") })
}

// removeMade removes m if it is what was made and is still empty, and reports
// whether that is settled. What cannot be removed is the person's by now, and
// no error; what an heir cannot reach is left to the next run.
func (d *Dir) removeMade(m made) (settled bool) {
	for i, own := range d.mine {
		if own == m { // more than one, where a file system gives an inode again
			settled = unlinkEmpty(d.above[i], m) || settled
		}
	}
	if d.heir || settled {
		return settled
	}
	parent, err := openDir(filepath.Dir(m.Path))
	if err != nil {
		return true
	}
	defer func() { _ = parent.Close() }()
	return unlinkEmpty(parent, m)
}

func (d *Dir) registry() ([]made, error) {
	b, err := readAt(d.runs, registryName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if cutShort(b) {
		return nil, nil
	}
	var all []made
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", d.runs.Name(), registryName, err)
	}
	return all, nil
}

// cutShort reports whether b is a registry of which not all bytes came to the
// disk before the machine lost its power. What it named then stays, empty as it
// is; to wait for the disk would cost each run that makes something more than
// the rest of its start, and to refuse would end all runs for a power cut.
func cutShort(b []byte) bool {
	if len(b) == 0 || bytes.IndexByte(b, 0) >= 0 {
		return true
	}
	e, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(b, new([]made)))
	return ok && e.Offset == int64(len(b)) && b[0] == '['
}

func (d *Dir) setRegistry(all []made) error {
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return replaceAt(d.runs, registryName, b)
}

func (d *Dir) usesOf(id string) (uses []string) {
	b, err := readAt(d.runs, id+"/"+usesName)
	if err != nil || json.Unmarshal(b, &uses) != nil {
		return nil // made a moment ago, or gone: it used nothing yet
	}
	return uses
}

func (d *Dir) writeJSON(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return replaceAt(d.runs, d.ID+"/"+name, b)
}
