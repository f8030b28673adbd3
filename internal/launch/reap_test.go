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

// B-1: what a command left behind is reaped, within ReapGrace. A reap that
// takes longer is abandoned, and the command's result stands.
func TestReap(t *testing.T) {
	for _, tt := range []struct {
		name  string
		takes time.Duration
		want  time.Duration
	}{
		{"AtOnce", 0, 0},
		{"TooLong", 6 * time.Second, sandbox.ReapGrace},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			synctest.Test(t, func(t *testing.T) {
				var order []string
				f := &fake{
					command: func(*command) (sandbox.Exit, error) {
						order = append(order, "ended")
						return sandbox.Exit{Code: 3}, nil
					},
					reap: func(ctx context.Context) error {
						order = append(order, "reaped")
						select {
						case <-time.After(tt.takes):
							return nil
						case <-ctx.Done():
							return ctx.Err()
						}
					},
				}
				start := time.Now()
				exit, err := g.run(t, f).Do(t.Context())
				if exit.Code != 3 || err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %+v, %v, want code 3", exit, err)
				}
				if want := []string{"ended", "reaped"}; !slices.Equal(order, want) {
					t.Errorf("got %q, want %q", order, want)
				}
				if took := time.Since(start); took != tt.want {
					t.Errorf("took %v, want %v", took, tt.want)
				}
			})
		})
	}
}
