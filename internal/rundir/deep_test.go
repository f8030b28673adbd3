package rundir

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// deep closes a run whose agent nested directories deeper than this process
// may have files open, and then begins another.
func deep() {
	d, err := New(os.Args[1], nil)
	if err != nil {
		fail(err)
	}
	if err := os.Chdir(d.Path); err != nil {
		fail(err)
	}
	for range 1000 {
		if err := os.Mkdir("d", 0o700); err != nil {
			fail(err)
		}
		if err := os.Chdir("d"); err != nil {
			fail(err)
		}
	}
	if err := os.Chdir("/"); err != nil {
		fail(err)
	}
	few := unix.Rlimit{Cur: 256, Max: 256}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		fail(err)
	}
	closed := d.Close()
	if _, err := New(os.Args[1], nil); err != nil { // of whichever role, in whichever repository
		fail(err)
	}
	if closed != nil {
		fail(closed)
	}
	os.Exit(0)
}

// No agent keeps the person's next run from starting.
func TestDeepNesting(t *testing.T) {
	out, err := exec.Command("rundir-deep", t.TempDir()).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// Every level is closed: a directory that is moved must be writable itself.
func TestDeepNestingOfClosedDirectories(t *testing.T) {
	state := t.TempDir()
	d := start(t, state)
	write(t, d.Path+strings.Repeat("/d", 200)+"/file")
	for n := 200; n > 0; n-- {
		chmod(t, d.Path+strings.Repeat("/d", n), 0)
	}
	end(t, d)
	wantRuns(t, state)
}
