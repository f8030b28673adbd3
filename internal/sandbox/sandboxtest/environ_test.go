package sandboxtest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestUserEnviron(t *testing.T) {
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.MkdirAll(filepath.Join(closed, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	got := userEnviron([]string{
		"LANG=C.UTF-8",
		"GOCOVERDIR=/tmp/cover",
		"GORACE=atexit_sleep_ms=0",
		"HOME=/root",
		"GOPATH=/srv/go",
		"PYENV_ROOT=/root/.pyenv",
		"FLAGS=-I/root/include",
		"LIST=/usr/lib:/root",
		"ROOTED=/rootfs/x",
		"XDG_STATE_HOME=/srv/state",
		"PATH=/root/bin:" + closed + "/bin:relative:/usr/bin:/nosuch:/bin",
		"USER=root",
	}, []string{"/root"}, "/own")
	want := []string{
		"LANG=C.UTF-8",
		"GOCOVERDIR=/own/cover",
		"GORACE=atexit_sleep_ms=0",
		"ROOTED=/rootfs/x",
		"PATH=/usr/bin:/bin",
		"HOME=/own/home",
		"TMPDIR=/own/tmp",
		"GOCACHE=/own/gocache",
		"GOMODCACHE=/own/gomod",
	}
	if !slices.Equal(got, want) {
		t.Errorf("userEnviron\ngot  %q\nwant %q", got, want)
	}
}

func TestLeadsInto(t *testing.T) {
	for _, tt := range []struct {
		value string
		want  bool
	}{
		{"", false},
		{"/root", true},
		{"/root/", true},
		{"/root/x", true},
		{"/rootfs", false},
		{"/rootfs:/root", true},
		{"a:/root:b", true},
		{"-L/root -l", true},
		{"file:///root/x", true},
	} {
		if got := leadsInto(tt.value, []string{"/root"}); got != tt.want {
			t.Errorf("leadsInto(%q) = %v, want %v", tt.value, got, tt.want)
		}
	}
}

func TestTimeLeft(t *testing.T) {
	for _, tt := range []struct{ timeout, want string }{
		{"20m0s", "15m0s"},
		{"0s", "0s"}, // none
		{"1m0s", "1s"},
	} {
		if got := timeLeft(tt.timeout, 5*60e9); got != tt.want {
			t.Errorf("timeLeft(%q, 5m) = %q, want %q", tt.timeout, got, tt.want)
		}
	}
}
