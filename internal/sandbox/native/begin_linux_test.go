package native_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

// What Begin started and no Open took is gone once End returns.
func TestBegunIsEnded(t *testing.T) {
	p := native.New()
	p.Begin()
	p.Begin() // a second one starts nothing
	pid := p.Begun()
	if err := unix.Kill(pid, 0); err != nil {
		t.Fatalf("the keeper was not started: %v", err)
	}
	p.End()
	if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
		t.Errorf("after End: got %v of keeper %d, want it to be gone", err, pid)
	}
	p.End()
}

// A signal from inside does not end pid 1, and a command starts with the
// default for every one.
func TestSignalsToInit(t *testing.T) {
	sandboxtest.Home(t)
	// Whoever started the test may have had some ignored, as nohup does.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, unix.SIGHUP, unix.SIGINT)
	defer signal.Stop(heard)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	got, exit := script(t, root, srcPolicy, `
		for s in $(seq 1 64); do kill -$s 1; done
		grep -E '^Sig(Blk|Ign):' /proc/self/status; sleep .1; kill -0 1 && echo alive`, nil)
	const none = "\t0000000000000000\n"
	if want := "SigBlk:" + none + "SigIgn:" + none + "alive\n"; got != want || exit.Code != 0 {
		t.Errorf("got %q and exit %v, want %q", got, exit, want)
	}
}

// Keeper and init turn aside before the command line's packages are
// initialised (ADR 4).
func TestStagesTurnAside(t *testing.T) {
	initialised := func(as string) string {
		cmd := exec.Cmd{Path: sandboxtest.Binary(t), Args: []string{as, "--version"}, Env: []string{"GODEBUG=inittrace=1"}}
		said, _ := cmd.CombinedOutput() // a stage without its descriptors fails
		return string(said)
	}
	const last = "init github.com/urfave/cli/v2 "
	if said := initialised("git-seisin"); !strings.Contains(said, last) {
		t.Fatalf("the command line does not initialise %q:\n%s", last, said)
	}
	for _, stage := range []string{"seisin-keeper", "seisin-init"} {
		said := initialised(stage)
		if !strings.Contains(said, "init os ") || strings.Contains(said, last) {
			t.Errorf("%s: got\n%s\nwant packages initialised, and not %q", stage, said, last)
		}
	}
}
