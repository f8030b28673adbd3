package main

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// C31, UA-8: a signal that is ignored when a run is started is ignored by the
// command, as without a box: nohup means it, and so does a shell that starts
// something in the background. It does not end pid 1 either, nor do others.
func TestIgnoredSignalsReachTheCommand(t *testing.T) {
	place := newTestPlace(t)
	const show = "sh -c 'grep SigIgn: /proc/self/status; kill -HUP 1; kill -INT 1; sleep 0.1; echo alive'"
	hup, interrupt := uint64(1)<<(unix.SIGHUP-1), uint64(1)<<(unix.SIGINT-1)
	for _, tt := range []struct {
		name, before string
		want         uint64
	}{
		{"None", "", 0},
		{"Hangup", "trap '' HUP; ", hup},
		{"Interrupt", "trap '' INT; ", interrupt},
		{"Both", "trap '' HUP INT; ", hup | interrupt},
		{"Nohup", "nohup ", hup},
	} {
		for _, start := range append([]string{""}, starts...) {
			t.Run(tt.name+"/"+start, func(t *testing.T) {
				run := strings.Replace(show, "kill -HUP 1; kill -INT 1; ", "", 1)
				if start != "" { // outside, 1 is the machine's
					run = start + " run --quiet dev -- " + show
				}
				// Default first: whoever started the test may ignore some.
				cmd := exec.Command("env", "--default-signal=HUP,INT", "sh", "-c", tt.before+run)
				cmd.Path, cmd.Err = lookUp(t, "env", place.env), nil
				cmd.Dir, cmd.Env = place.repo, place.env
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				if want := fmt.Sprintf("SigIgn:\t%016x\nalive\n", tt.want); string(out) != want {
					t.Errorf("got %q, want %q", out, want)
				}
			})
		}
	}
}
