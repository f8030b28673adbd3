package launch

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"seisin/internal/sandbox"
)

// A role's time: the polite signal at its end, the other one KillAfter later.
func TestTimeout(t *testing.T) {
	const limit = time.Hour
	for _, tt := range []struct {
		name    string
		command func(c *command, sent func(os.Signal)) sandbox.Exit
		sent    string // the signals and when they came
		exit    sandbox.Exit
		late    bool
	}{
		{
			"EndsInTime",
			func(*command, func(os.Signal)) sandbox.Exit { time.Sleep(limit - 1); return sandbox.Exit{Code: 3} },
			"", sandbox.Exit{Code: 3}, false,
		},
		{
			"EndsWhenAsked",
			func(c *command, sent func(os.Signal)) sandbox.Exit { sent(<-c.signals); return sandbox.Exit{} },
			"terminated after 1h0m0s;", sandbox.Exit{}, true,
		},
		{
			"TakesItsTimeToEnd",
			func(c *command, sent func(os.Signal)) sandbox.Exit {
				sent(<-c.signals)
				time.Sleep(KillAfter - 1)
				return sandbox.Exit{Code: 1}
			},
			"terminated after 1h0m0s;", sandbox.Exit{Code: 1}, true,
		},
		{
			"WillNotEnd",
			func(c *command, sent func(os.Signal)) sandbox.Exit {
				sent(<-c.signals)
				sent(<-c.signals)
				return sandbox.Exit{Signal: 9}
			},
			"terminated after 1h0m0s;killed after 1h0m5s;", sandbox.Exit{Signal: 9}, true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			synctest.Test(t, func(t *testing.T) {
				var sent strings.Builder
				f := &fake{command: func(c *command) (sandbox.Exit, error) {
					start := time.Now()
					return tt.command(c, func(s os.Signal) { fmt.Fprintf(&sent, "%v after %v;", s, time.Since(start)) }), nil
				}}
				r := g.run(t, f, "write a")
				r.Spec.Timeout = limit
				exit, err := r.Do(t.Context())
				if exit != tt.exit || sent.String() != tt.sent {
					t.Errorf("got %+v and signals %q, want %+v and %q", exit, sent.String(), tt.exit, tt.sent)
				}
				if errors.Is(err, ErrTimeout) != tt.late || err != nil && !strings.Contains(err.Error(), "1h0m0s") {
					t.Errorf("got «%v», want that the timeout has passed: %v", err, tt.late)
				}
			})
			wantTree(t, g.work)
			g.wantNoRun(t)
		})
	}
}

// 0 is no limit.
func TestNoTimeout(t *testing.T) {
	g := newGround(t)
	synctest.Test(t, func(t *testing.T) {
		f := &fake{command: func(c *command) (sandbox.Exit, error) {
			select {
			case s := <-c.signals:
				t.Errorf("got signal %v", s)
			case <-time.After(365 * 24 * time.Hour):
			}
			return sandbox.Exit{}, nil
		}}
		if _, err := g.run(t, f).Do(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A box that ended under the command is the error, not the timeout it ran
// into.
func TestBoxEndsAfterTheTimeout(t *testing.T) {
	g := newGround(t)
	synctest.Test(t, func(t *testing.T) {
		fell := errors.New("the box fell")
		f := &fake{command: func(c *command) (sandbox.Exit, error) { <-c.signals; return sandbox.Exit{}, fell }}
		r := g.run(t, f)
		r.Spec.Timeout = time.Second
		if _, err := r.Do(t.Context()); !errors.Is(err, fell) {
			t.Errorf("got «%v», want «%v»", err, fell)
		}
	})
}
