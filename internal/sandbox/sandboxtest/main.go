package sandboxtest

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// nobody is the ordinary user of the second run. Debian, Fedora and Alpine
// all give this id to nobody, and the kernel to ids that it cannot map.
const nobody = 65534

// User returns the uid of the ordinary user that tests run as: 65534 where
// root started them, whoever started them otherwise. It is the same in both
// runs.
func User() int {
	if os.Getuid() == 0 {
		return nobody
	}
	return os.Getuid()
}

// Main runs the tests of a package and exits. As root it runs them twice: as
// root, then as [User] with no group but the user's own, and fails if either
// run does.
//
// The second run is the same executable with the same flags in the same
// directory. Its HOME, TMPDIR, GOCACHE and GOMODCACHE are the user's own and
// empty, its PATH holds what the user can read, and no variable leads into
// root's home. Profiles and coverage are of the first run. Fuzzing and -list
// have one run.
//
// Each of commands is on PATH, for scripts and for exec, as testscript.Main
// does it: the test binary again, under that name. The stages run first in
// every process of the test binary, the commands included: each looks at
// os.Args[0] and either returns, or does its work and never returns.
func Main(m *testing.M, commands map[string]func(), stages ...func()) {
	for _, stage := range stages {
		stage()
	}
	testscript.Main(twice{m}, commands)
}

// twice is the run as root and the run as an ordinary user, in one.
type twice struct{ m *testing.M }

// Run runs the tests and returns the exit code of the first run that failed.
func (r twice) Run() int {
	// What root's tests make, the second run reads, whatever root's umask.
	syscall.Umask(0o022)
	if err := place.open(); err != nil {
		return fail(err)
	}
	defer place.remove()

	start := time.Now()
	code := r.m.Run()
	if os.Getuid() != 0 || runsOnce() || code != 0 && isSet("test.failfast") {
		return code
	}
	again, err := runAs(nobody, argsAgain(time.Since(start)))
	if err != nil {
		return fail(err)
	}
	if code == 0 {
		return again
	}
	return code
}

// fail reports an error of the frame around the tests. "FAIL" alone on a line
// is what go test shows of a package without -v.
func fail(err error) int {
	fmt.Printf("sandboxtest: %v\nFAIL\n", err)
	return 1
}

// runsOnce reports whether the flags ask for something that a second run
// cannot add to: a list, or fuzzing, whose workers are processes of their own.
func runsOnce() bool {
	return isSet("test.list") || isSet("test.fuzz") || isSet("test.fuzzworker")
}

// isSet reports whether a flag of the test binary has another value than the
// one it has by itself.
func isSet(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != f.DefValue
}
