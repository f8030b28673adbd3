package launch

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"seisin/internal/sandbox"
)

// B-1: what a command left behind is reaped, before its box is closed. A reap
// that takes longer than ReapGrace is abandoned and told, whether it heeds its
// context or not, and the command's result stands.
func TestReap(t *testing.T) {
	slow := func(ctx context.Context) error {
		select {
		case <-time.After(time.Minute):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for _, tt := range []struct {
		name string
		reap func(context.Context) error
		took time.Duration
		note string
	}{
		{"AtOnce", func(context.Context) error { return nil }, 0, ""},
		{"InTime", func(context.Context) error { time.Sleep(sandbox.ReapGrace - 1); return nil }, sandbox.ReapGrace - 1, ""},
		{"TooLong", slow, sandbox.ReapGrace, "what the command left behind: context deadline exceeded"},
		{"Deaf", func(context.Context) error { time.Sleep(time.Minute); return nil }, sandbox.ReapGrace, "what the command left behind: context deadline exceeded"},
		{"Fails", func(context.Context) error { return errors.New("no") }, 0, "what the command left behind: no"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			synctest.Test(t, func(t *testing.T) {
				f := &fake{command: func(*command) (sandbox.Exit, error) { return sandbox.Exit{Code: 3}, nil }}
				f.reap = func(ctx context.Context) error {
					_ = f.call("Reap")
					return tt.reap(ctx)
				}
				start := time.Now()
				exit, err := g.run(t, f).Do(t.Context())
				if exit.Code != 3 || err != nil {
					t.Errorf("got %+v, %v, want code 3", exit, err)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if want := []string{"Check", "Open", "Admit", "Launch", "Start", "Reap", "Release", "Close"}; !slices.Equal(f.called(), want) {
					t.Errorf("got calls %q, want %q", f.called(), want)
				}
				time.Sleep(time.Minute) // the deaf one is still at it
			})
			var want []string
			if tt.note != "" {
				want = []string{tt.note}
			}
			if !slices.Equal(g.notes, want) {
				t.Errorf("got notes %q, want %q", g.notes, want)
			}
		})
	}
}
