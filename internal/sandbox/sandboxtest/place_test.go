package sandboxtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What a killed run left is removed by the next one; what a living run has, or
// one that is just beginning, stays.
func TestSweep(t *testing.T) {
	top := t.TempDir()
	ground := func(name string, locked bool, age time.Duration) string {
		dir := filepath.Join(top, prefix+name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if locked {
			if err := os.WriteFile(filepath.Join(dir, lockFile), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dead := ground("dead", true, 0)
	half := ground("half", false, time.Hour)
	young := ground("young", false, 0)
	living := ground("living", true, time.Hour)
	held, err := os.Open(filepath.Join(living, lockFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}

	sweep(top)

	for _, tt := range []struct {
		dir  string
		want bool
	}{{dead, false}, {half, false}, {young, true}, {living, true}} {
		_, err := os.Stat(tt.dir)
		if got := !errors.Is(err, fs.ErrNotExist); got != tt.want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(tt.dir), got, tt.want)
		}
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	sweep(top)
	if _, err := os.Stat(living); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after its run ended, living is there: %v", err)
	}
}
