package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

// Supplementary groups: a command of root's has none, a command of another
// user's has them all, and check says so. Only root can start a process with
// groups, so that the second run, which is nobody's, looks at its own.
func TestSupplementaryGroups(t *testing.T) {
	place := newTestPlace(t)
	if os.Getuid() != 0 {
		if groups, err := native.Groups(); err != nil || len(groups) > 0 {
			t.Errorf("got %v, %v, want none beside the first", groups, err)
		}
		return
	}
	const group = 4242 // nobody's, and without a name
	file := filepath.Join(place.repo, "src/group")
	if err := os.WriteFile(file, []byte("of the group\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		uid    uint32
		inside string // the group's file, read
		check  string
	}{
		{name: "Root", uid: 0, inside: "refused\n"},
		{name: "User", uid: uint32(sandboxtest.User()), inside: "of the group\n", check: "groups: it has yours, since only root can drop one, and may do what these let it: 4242\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := sandboxtest.Home(t) // of this test, so that each user makes his own
			chownAll(t, int(tt.uid), home, place.repo)
			if err := os.Chown(file, 4243, group); err != nil { // somebody else's
				t.Fatal(err)
			}
			do := func(groups []uint32, argv ...string) string {
				cmd := exec.Command(argv[0], argv[1:]...)
				cmd.Path, cmd.Err = lookUp(t, argv[0], place.env), nil
				cmd.Dir, cmd.Env = place.repo, append(place.env, "HOME="+home)
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: tt.uid, Gid: tt.uid, Groups: groups}}
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %v: %s", argv, err, out)
				}
				return string(out)
			}
			const read = "cat src/group 2>/dev/null || echo refused"
			if got := do([]uint32{group}, "sh", "-c", read); got != "of the group\n" {
				t.Fatalf("outside: got %q, want that the file can be read", got)
			}
			run := func(groups []uint32, text string) string {
				return do(groups, "git-seisin", "run", "--quiet", "dev", "--", "sh", "-c", text)
			}
			if got := run([]uint32{group}, read); got != tt.inside {
				t.Errorf("got %q, want %q", got, tt.inside)
			}
			if got := run(nil, read); got != "refused\n" {
				t.Errorf("without the group: got %q, want that it is refused", got)
			}
			if got := do([]uint32{group}, "git-seisin", "check", "dev"); !strings.Contains(got, tt.check) || tt.check == "" && strings.Contains(got, "groups:") {
				t.Errorf("check: got\n%s\nwant %q", got, tt.check)
			}
		})
	}
}

func chownAll(t *testing.T, uid int, roots ...string) {
	t.Helper()
	for _, root := range roots {
		err := filepath.WalkDir(root, func(p string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(p, uid, uid)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
