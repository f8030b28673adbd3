package homes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"seisin/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { sandboxtest.Main(m, nil) }

// ground is a state directory, and the place of a home in it.
func ground(t testing.TB) (state, home string) {
	t.Helper()
	state = filepath.Join(sandboxtest.Home(t), "state")
	if err := os.Mkdir(state, 0o755); err != nil {
		t.Fatal(err)
	}
	return state, filepath.Join(state, "homes/sn-abcdefgh/dev")
}

func mustMake(t testing.TB, state, home string, seed Seed) []string {
	t.Helper()
	_, notes, err := Make(state, home, seed)
	if err != nil {
		t.Fatalf("Make: %v", err)
	}
	return notes
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A home is its user's alone from the first moment, whatever the umask, and
// again at the next start, whatever the role did to it (SD-7, F23).
func TestMakeIsPrivate(t *testing.T) {
	state, home := ground(t)
	defer syscall.Umask(syscall.Umask(0))
	for _, mode := range []fs.FileMode{0o700, 0o777, 0o000, 0o500} {
		id, _, err := Make(state, home, Seed{})
		must(t, err)
		for dir := home; dir != state; dir = filepath.Dir(dir) {
			info, err := os.Lstat(dir)
			must(t, err)
			if info.Mode() != fs.ModeDir|0o700 {
				t.Errorf("%s has mode %v, want drwx------", dir, info.Mode())
			}
			if st := info.Sys().(*syscall.Stat_t); dir == home && (st.Ino != id.Ino || uint64(st.Dev) != id.Dev) {
				t.Errorf("got the identity %+v, want that of %s", id, dir)
			}
		}
		must(t, os.Chmod(home, mode))
	}
	must(t, os.Chmod(home, 0o700))
}

// What stands in the way of a home is refused by its name, and nothing is made
// behind it (F23, SD-7).
func TestTaken(t *testing.T) {
	for _, name := range []string{"homes", "homes/sn-abcdefgh", "homes/sn-abcdefgh/dev"} {
		for what, put := range map[string]func(at, behind string) error{
			"symlink":      func(at, behind string) error { return os.Symlink(behind, at) },
			"no directory": func(at, _ string) error { return os.WriteFile(at, nil, 0o600) },
			"a FIFO":       func(at, _ string) error { return syscall.Mkfifo(at, 0o600) },
		} {
			t.Run(strings.ReplaceAll(name, "/", "_")+what, func(t *testing.T) {
				state, home := ground(t)
				behind := filepath.Join(filepath.Dir(state), "behind")
				must(t, os.MkdirAll(filepath.Join(behind, "sn-abcdefgh/dev"), 0o700))
				before := sandboxtest.Tree(t, behind)
				at := filepath.Join(state, name)
				must(t, os.MkdirAll(filepath.Dir(at), 0o700))
				must(t, put(at, behind))
				_, _, err := Make(state, home, Seed{})
				if taken, ok := errors.AsType[*TakenError](err); !ok || taken.Path != at || taken.Hint() == "" {
					t.Errorf("got %v, want a TakenError of %s", err, at)
				}
				if after := sandboxtest.Tree(t, behind); !slices.Equal(after, before) {
					t.Errorf("behind it there is %q, want %q as before", after, before)
				}
			})
		}
	}
}

// A directory that somebody else owns is no home. Root can give one away; another
// user finds one that is root's.
func TestTakenBySomebodyElse(t *testing.T) {
	state, home := ground(t)
	at := filepath.Join(state, "homes")
	if os.Geteuid() == 0 {
		must(t, os.Mkdir(at, 0o777))
		must(t, os.Chown(at, 65534, 65534))
	} else {
		state, at = "/", "/usr"
		home = "/usr/sn-abcdefgh/dev"
	}
	_, _, err := Make(state, home, Seed{})
	if taken, ok := errors.AsType[*TakenError](err); !ok || taken.Path != at || taken.Why != "it belongs to somebody else" {
		t.Errorf("got %v, want a TakenError of %s", err, at)
	}
	if os.Geteuid() == 0 {
		must(t, os.Chown(at, 0, 0)) // control: it was the owner
		mustMake(t, state, home, Seed{})
	}
}

// A home is below the state directory.
func TestMakeBelowState(t *testing.T) {
	state, _ := ground(t)
	for _, home := range []string{filepath.Dir(state), state + "x/homes/sn/dev", "/"} {
		if _, _, err := Make(state, home, Seed{}); err == nil {
			t.Errorf("a home at %s is made", home)
		}
	}
}

// configured is what git says in that home.
func configured(t sandboxtest.Fataler, home, key string) string {
	t.Helper()
	cmd := exec.Command("git", "config", "--null", "--get", key)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	if _, is := errors.AsType[*exec.ExitError](err); err != nil && !is {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(out), "\x00")
}

// What the person is called, git in the role's home is told, whatever is in the
// name (C26).
func TestIdentityIsCarried(t *testing.T) {
	state, home := ground(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(
			rapid.SampledFrom([]string{"", "T", `a "b" c`, `back\slash\`, "# no comment ; here", " blank ", "tab\tin", "two\nlines", "Zoë 漢", "'", "[user]\n\tname = x"}),
			rapid.StringMatching(`[ -~\t\n]{0,20}`))
		want := Identity{text.Draw(rt, "name"), text.Draw(rt, "email")}
		if _, notes, err := Make(state, home, Seed{Identity: want}); err != nil || len(notes) > 0 {
			rt.Fatalf("Make: %v, %q", err, notes)
		}
		if got := (Identity{configured(rt, home, "user.name"), configured(rt, home, "user.email")}); got != want {
			rt.Fatalf("git says %q, want %q", got, want)
		}
	})
}

// What the role told git in its home stays and wins; the rest follows the person.
func TestRolesOwnConfiguration(t *testing.T) {
	state, home := ground(t)
	mustMake(t, state, home, Seed{Identity: Identity{"One", "one@example.com"}})
	own := exec.Command("git", "config", "--global", "user.name", "Own")
	own.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1"}
	if out, err := own.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mustMake(t, state, home, Seed{Identity: Identity{"Two", "two@example.com"}})
	for key, want := range map[string]string{"user.name": "Own", "user.email": "two@example.com"} {
		if got := configured(t, home, key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}

// What a role put in its home leads nowhere: nothing outside changes, nothing is
// waited for, and the run is not refused (B-22, SD-9).
func TestPlantedInTheHome(t *testing.T) {
	seed := Seed{Identity: Identity{"T", "t@example.com"}, Stands: []Stand{{".config/gh", "/opened/gh"}, {".npmrc", "/opened/npmrc"}}}
	for _, name := range []string{".config", ".config/git", ".config/git/config", ".gitconfig", ".config/gh", ".npmrc"} {
		for what, put := range map[string]func(at, out string) error{
			"link":     func(at, out string) error { return os.Symlink(out, at) },
			"relative": func(at, out string) error { return os.Symlink("../../../../../outside", at) },
			"dangling": func(at, out string) error { return os.Symlink(out+"/new", at) },
			"file":     func(at, out string) error { return os.Symlink(out+"/f", at) },
			"FIFO":     func(at, _ string) error { return syscall.Mkfifo(at, 0o600) },
			"dir":      func(at, _ string) error { return os.MkdirAll(at+"/sub", 0o700) },
			"closed":   func(at, _ string) error { return os.Mkdir(at, 0) },
			"secret":   func(at, _ string) error { return os.WriteFile(at, []byte("mine"), 0) },
		} {
			t.Run(strings.ReplaceAll(name, "/", "_")+"_"+what, func(t *testing.T) {
				state, home := ground(t)
				out := filepath.Join(filepath.Dir(state), "outside")
				must(t, os.MkdirAll(out+"/git", 0o700))
				must(t, os.WriteFile(out+"/f", []byte("the person's"), 0o600))
				must(t, os.WriteFile(out+"/git/config", []byte("[user]\n\tname = person\n"), 0o600))
				before := sandboxtest.Tree(t, out)
				mustMake(t, state, home, Seed{})
				must(t, os.RemoveAll(filepath.Join(home, ".config")))
				must(t, os.RemoveAll(filepath.Join(home, ".gitconfig")))
				at := filepath.Join(home, name)
				must(t, os.MkdirAll(filepath.Dir(at), 0o700))
				must(t, put(at, out))
				mustMake(t, state, home, seed)
				if after := sandboxtest.Tree(t, out); !slices.Equal(after, before) {
					t.Errorf("outside there is %q, want %q as before", after, before)
				}
				for name, want := range map[string]string{"f": "the person's", "git/config": "[user]\n\tname = person\n"} {
					if text, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(text) != want {
						t.Errorf("outside/%s: got %q, %v; want %q", name, text, err, want)
					}
				}
				must(t, os.WriteFile(out+"/control", nil, 0o600)) // it could have been written
			})
		}
	}
}

// What reads names has its name in the home; what the role has made there
// instead stays, and the person is told.
func TestStands(t *testing.T) {
	state, home := ground(t)
	seed := Seed{Stands: []Stand{{".config/gh", "/opened/gh"}, {"deep/er/f", "/opened/f"}}}
	for range 2 {
		if notes := mustMake(t, state, home, seed); len(notes) > 0 {
			t.Errorf("got the notes %q, want none", notes)
		}
		for _, s := range seed.Stands {
			if to, err := os.Readlink(filepath.Join(home, s.Name)); err != nil || to != s.Target {
				t.Errorf("%s leads to %q, %v; want %q", s.Name, to, err, s.Target)
			}
		}
	}
	must(t, os.Remove(filepath.Join(home, ".config/gh")))
	must(t, os.WriteFile(filepath.Join(home, ".config/gh"), []byte("own"), 0o600))
	must(t, os.Remove(filepath.Join(home, "deep/er/f")))
	must(t, os.Symlink("/elsewhere", filepath.Join(home, "deep/er/f")))
	want := []string{"~/.config/gh is not in the role's home: the role has something else there", "~/deep/er/f is not in the role's home: the role has something else there"}
	if notes := mustMake(t, state, home, seed); !slices.Equal(notes, want) {
		t.Errorf("got the notes %q, want %q", notes, want)
	}
	if text, err := os.ReadFile(filepath.Join(home, ".config/gh")); err != nil || string(text) != "own" {
		t.Errorf("the role's own: got %q, %v; want it as it was", text, err)
	}
}

// Runs of one role begin together.
func TestMakeTogether(t *testing.T) {
	state, home := ground(t)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			seed := Seed{Identity: Identity{fmt.Sprint("Name ", i%3), "t@example.com"}, Stands: []Stand{{".config/gh", "/opened/gh"}}}
			if _, notes, err := Make(state, home, seed); err != nil || len(notes) > 0 {
				t.Errorf("Make: %v, %q", err, notes)
			}
		})
	}
	all.Wait()
	want := []string{".config/", ".config/gh", ".config/git/", ".config/git/config", ".gitconfig"}
	if got := sandboxtest.Tree(t, home); !slices.Equal(got, want) {
		t.Errorf("the home holds %q, want %q", got, want)
	}
	if got := configured(t, home, "user.name"); !strings.HasPrefix(got, "Name ") {
		t.Errorf("git says %q, want one of the names", got)
	}
}
