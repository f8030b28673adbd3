package gitdir

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// commands are what the test binary also is; see sandboxtest.Main.
var commands = map[string]func(){"find-below-a-mount": findBelowAMount}

// findBelowAMount mounts a file system below a work tree and prints what Find
// and git make of a directory on it: a root, or an error.
func findBelowAMount() {
	mountpoint := os.Args[1]
	if err := syscall.Mount("tmpfs", mountpoint, "tmpfs", 0, ""); err != nil {
		fmt.Println("mount:", err)
		os.Exit(1)
	}
	dir := filepath.Join(mountpoint, "x/y")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	if p, err := Find(dir, os.Getenv); err != nil {
		fmt.Println("find:", err)
	} else {
		fmt.Println("find:", p.Root)
	}
	if p, err := gitPlace(dir); err != nil {
		fmt.Println("git: refused")
	} else {
		fmt.Println("git:", p.Root)
	}
}

// The way up ends at the edge of a file system, unless the person asks for
// more, as in git.
func TestFileSystemBoundary(t *testing.T) {
	for _, across := range []bool{false, true} {
		t.Run(fmt.Sprint(across), func(t *testing.T) {
			base := sh(t, `repo r; mkdir r/mnt`)
			cmd := exec.Command("find-below-a-mount", filepath.Join(base, "r/mnt"))
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
			want := fmt.Sprintf("find: %q lies in no git repository up to the mount point %q\ngit: refused\n",
				filepath.Join(base, "r/mnt/x/y"), filepath.Join(base, "r/mnt"))
			if across {
				t.Setenv("GIT_DISCOVERY_ACROSS_FILESYSTEM", "true")
				want = strings.ReplaceAll("find: R\ngit: R\n", "R", filepath.Join(base, "r"))
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if string(out) != want {
				t.Errorf("got  %s\nwant %s", out, want)
			}
		})
	}
	hint := (&NotRepositoryError{boundary: "/mnt"}).Hint()
	if want := "GIT_DISCOVERY_ACROSS_FILESYSTEM=1"; !strings.Contains(hint, want) {
		t.Errorf("got hint %q, want %q in it", hint, want)
	}
}
