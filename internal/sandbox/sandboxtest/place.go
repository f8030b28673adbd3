package sandboxtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// placeVar tells the second run where the place of the first one is.
const placeVar = "SEISIN_TEST_PLACE"

// place is where this run's homes, repositories and binaries are.
var place ground

// A ground is a directory for one "go test" of one package:
//
//	shared/   made by the first run, read by both: the real binary, modules
//	UID/      the user's own: homes, repositories
//
// It lies outside /tmp and $TMPDIR, as people's homes and repositories do: a
// box has a /tmp of its own, so a fixture there would test a special case.
// Names are short, since a unix socket's path, below a home, has 107 bytes.
type ground struct {
	dir   string // empty where TestMain does not call Main
	owned bool   // this run made dir, and removes it
	lock  *os.File
	count atomic.Int64
}

// open makes the ground, or finds the first run's.
func (g *ground) open() error {
	if dir := os.Getenv(placeVar); dir != "" && os.Getuid() != 0 {
		g.dir = dir
		return os.MkdirAll(g.own(), 0o755)
	}
	top, err := groundTop()
	if err != nil {
		return err
	}
	sweep(top)
	dir, err := os.MkdirTemp(top, prefix)
	if err != nil {
		return fmt.Errorf("place for the tests: %w", err)
	}
	g.dir, g.owned = dir, true
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	g.lock = lock
	return errors.Join(
		syscall.Flock(int(lock.Fd()), syscall.LOCK_EX),
		os.Chmod(dir, 0o755), // MkdirTemp's 0700 would keep the second run out
		os.Mkdir(g.shared(), 0o755),
		os.Mkdir(g.own(), 0o755))
}

const (
	prefix   = ".seisin-test-"
	lockFile = "lock" // locked while the run lives
)

// groundTop is where grounds are made: for root where an ordinary user can
// get to, which root's home is not; for others in their home, but not below
// ~/.cache, which a role may write.
func groundTop() (string, error) {
	if os.Getuid() == 0 {
		return "/var/cache", nil
	}
	return os.UserHomeDir()
}

// sweep removes what runs left behind that were killed, or that go test ended
// at their timeout: each holds copies of large executables.
func sweep(top string) {
	dirs, _ := filepath.Glob(filepath.Join(top, prefix+"*")) // the pattern is well formed
	for _, dir := range dirs {
		if !alive(dir) {
			_ = os.RemoveAll(dir) // another user's: then it stays
		}
	}
}

// alive reports whether the run that made a ground still holds its lock, or is
// about to.
func alive(dir string) bool {
	lock, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0)
	if err != nil {
		fi, err := os.Lstat(dir)
		return err != nil || time.Since(fi.ModTime()) < time.Minute
	}
	defer lock.Close()
	return syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}

func (g *ground) shared() string { return filepath.Join(g.dir, "shared") }

func (g *ground) own() string { return filepath.Join(g.dir, strconv.Itoa(os.Getuid())) }

func (g *ground) remove() {
	if !g.owned {
		return
	}
	if err := removeAll(g.dir); err != nil {
		fmt.Fprintf(os.Stderr, "sandboxtest: %v\n", err)
	}
}

// fresh returns a new directory that is removed when the test ends. Without
// Main there is no ground, and it is one of t.TempDir.
func (g *ground) fresh(t testing.TB, kind string) string {
	t.Helper()
	if g.dir == "" {
		return t.TempDir()
	}
	dir, err := g.number(kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := removeAll(dir); err != nil {
			t.Errorf("cleaning up: %v", err)
		}
	})
	return dir
}

// number makes the next directory of a kind. A test may run this executable
// again, and that process counts from one too: a number that is taken is
// another process's.
func (g *ground) number(kind string) (string, error) {
	for {
		dir := filepath.Join(g.own(), kind+strconv.FormatInt(g.count.Add(1), 10))
		if err := os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

// removeAll removes dir, and tries again while somebody still writes there: a
// go command leaves a process behind that files its counters in the home.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	for range 40 {
		if err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
		err = os.RemoveAll(dir)
	}
	return err
}
