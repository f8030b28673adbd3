package rundir

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// An agent fills the run's temporary directories. All of it goes, however it
// is closed, and nothing that it points at.
func TestCloseRemovesWhatAnAgentLeft(t *testing.T) {
	for _, how := range []string{"Close", "Dead"} {
		t.Run(how, func(t *testing.T) {
			state, outside := t.TempDir(), t.TempDir()
			write(t, outside+"/kept/file", outside+"/closed/file")
			for path, mode := range map[string]os.FileMode{"/kept": 0o750, "/closed": 0o500, "/kept/file": 0o640} {
				chmod(t, outside+path, mode)
			}
			t.Cleanup(func() { chmod(t, outside+"/closed", 0o700) })
			d := start(t, state)
			mess(t, d, outside)
			if how == "Close" {
				end(t, d)
			} else {
				die(d)
				end(t, start(t, state))
			}
			wantRuns(t, state)
			wantTree(t, outside, "closed/", "closed/file", "kept/", "kept/file")
			for path, want := range map[string]os.FileMode{"/kept": 0o750, "/closed": 0o500, "/kept/file": 0o640} {
				info, err := os.Lstat(outside + path)
				if err != nil {
					t.Fatal(err)
				}
				if got := info.Mode().Perm(); got != want {
					t.Errorf("%s has mode %v, want %v: a link was followed", path, got, want)
				}
			}
		})
	}
}

// mess leaves in d what is hard to remove.
func mess(t *testing.T, d *Dir, outside string) {
	t.Helper()
	tmp, err := d.Subdir("tmp")
	if err != nil {
		t.Fatal(err)
	}
	chmod(t, tmp, 0o777|os.ModeSticky)
	write(t, tmp+"/file", tmp+"/empty/", tmp+"/-rf", tmp+"/a\nb\x1b[2J", tmp+"/"+long[:255], tmp+"/...", tmp+"/\xff\xfe")
	const depth = 200
	write(t, tmp+strings.Repeat("/d", depth)+"/file")

	symlink(t, outside, tmp+"/dirlink")
	symlink(t, outside+"/kept/file", tmp+"/filelink")
	symlink(t, outside+"/closed", tmp+"/closedlink")
	symlink(t, "/", tmp+"/rootlink")
	symlink(t, "loop", tmp+"/loop")
	symlink(t, "..", tmp+"/up")
	if err := os.Link(outside+"/kept/file", tmp+"/hardlink"); err != nil {
		t.Fatal(err)
	}
	mknod(t, tmp+"/fifo", unix.S_IFIFO)
	mknod(t, tmp+"/socket", unix.S_IFSOCK)

	// Closed, from the inside outwards.
	write(t, tmp+"/c/x/y/file", tmp+"/c/x/z/")
	symlink(t, outside, tmp+"/c/x/link")
	for _, m := range []struct {
		path string
		mode os.FileMode
	}{
		{"/c/x/y/file", 0}, {"/c/x/y", 0}, {"/c/x/z", 0}, {"/c/x", 0o111}, {"/c", 0o444}, {"/file", 0}, {"/empty", 0},
	} {
		chmod(t, tmp+m.path, m.mode)
	}
	chmod(t, tmp, 0)
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func mknod(t *testing.T, path string, kind uint32) {
	t.Helper()
	if err := unix.Mknod(path, kind|0o600, 0); err != nil {
		t.Fatal(err)
	}
}
