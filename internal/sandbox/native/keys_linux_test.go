package native_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

const keyPolicy = "[keys]\ndir = [\".secrets\", \"src/keys\"]\n" +
	"[roles.dev]\nwrites = [\"src/**\"]\nkeys = [\"dev.key\", \"src/keys/d/in.key\", \"later.key\"]\n"

func keyFiles() map[string]string {
	return map[string]string{
		".secrets/dev.key": "dev\n", ".secrets/qa.key": "qa\n", ".secrets/d/x.key": "x\n",
		"src/a": "a\n", "src/keys/d/in.key": "in\n", "src/keys/d/other.key": "other\n", "src/keys/qa.key": "qa\n",
	}
}

func (b *openBox) reads(t *testing.T, name, want string) {
	t.Helper()
	if o := b.ok(t, act{Op: "read", Path: name}); o.Text != want {
		t.Errorf("read %s: got %q, want %q", name, o.Text, want)
	}
}

// A role reads the keys that it names. It cannot read another, nor learn that
// there is one, nor write its own.
func TestKeysAreOpenedOneByOne(t *testing.T) {
	b, root := boxIn(t, keyFiles(), keyPolicy)
	in := func(name string) string { return filepath.Join(root, name) }
	b.reads(t, in(".secrets/dev.key"), "dev\n")
	b.reads(t, in("src/keys/d/in.key"), "in\n")
	for name, want := range map[string][]string{".secrets": {"dev.key"}, "src/keys": {"d"}, "src/keys/d": {"in.key"}} {
		if o := b.ok(t, act{Op: "list", Path: in(name)}); !slices.Equal(o.Names, want) {
			t.Errorf("list %s: got %q, want %q", name, o.Names, want)
		}
	}
	for _, name := range []string{".secrets/qa.key", ".secrets/d/x.key", "src/keys/qa.key", "src/keys/d/other.key", ".secrets/later.key"} {
		if o, _ := b.do(act{Op: "read", Path: in(name)}); o.Errno == 0 {
			t.Errorf("read %s: got %q, want an error", name, o.Text)
		}
	}
	b.ok(t, act{Op: "write", Path: in("src/a"), Text: "beside\n"})
	for _, name := range []string{".secrets/dev.key", "src/keys/d/in.key"} {
		for _, a := range []act{
			{Op: "write", Path: in(name), Text: "x"}, {Op: "truncate", Path: in(name)}, {Op: "chmod", Path: in(name)},
			{Op: "unlink", Path: in(name)}, {Op: "rename", Path: in(name), To: in("src/moved")}, {Op: "link", Path: in(name), To: in("src/linked")},
			{Op: "rename", Path: in("src/a"), To: in(name)}, {Op: "create", Path: filepath.Dir(in(name)) + "/new"},
			{Op: "mkdir", Path: filepath.Dir(in(name)) + "/newdir"},
		} {
			b.refused(t, a)
		}
	}
	// What can be seen of the keys elsewhere in the box is no more than that.
	if o, _ := b.do(act{Op: "list", Path: "/run/seisin/opened/0"}); !slices.Equal(o.Names, []string{"dev.key"}) {
		t.Errorf("the box's own directory: got %q, want the key's name alone", o.Names)
	}
	if err := b.close(); err != nil {
		t.Errorf("the run: %v", err)
	}
	for name, want := range keyFiles() {
		if got, err := os.ReadFile(in(name)); name != "src/a" && (err != nil || string(got) != want) {
			t.Errorf("%s after the run: got %q, %v; want %q", name, got, err, want)
		}
	}
}

// The host replaces key files and their directories while a box runs: the new
// ones are opened, and nothing else is (F2, LX-3). Where it moves the territory
// around them, the run ends: see TestWallsGoWithWhatTheHostMoves.
//
// mv -T, since a stand-in may be at the name by then: without it mv would move
// the directory into that one (ADR 1).
func TestKeysAreRenewed(t *testing.T) {
	for _, tt := range []struct{ name, host, dev, in string }{
		{"Save", "for f in .secrets/dev.key src/keys/d/in.key; do echo 2 > $f.tmp; mv $f.tmp $f; done", "2\n", "2\n"},
		{"InPlace", "echo 2 > .secrets/dev.key", "2\n", "in\n"},
		{"RemovedAndMade", "rm .secrets/dev.key; sleep .2; echo 2 > .secrets/dev.key", "2\n", "in\n"},
		{"Directory", "for d in .secrets src/keys; do cp -r $d $d.new; mv $d $d.old; mv -T $d.new $d; rm -r $d.old; done; echo 2 > .secrets/dev.key", "2\n", "in\n"},
		{"DirectoryForAWhile", "mv src/keys k; sleep .3; rmdir src/keys; mv -T k src/keys", "dev\n", "in\n"},
		{"Between", "mv src/keys/d src/keys/e; sleep .1; mkdir src/keys/d; echo 2 > src/keys/d/in.key; echo o > src/keys/d/other.key", "dev\n", "2\n"},
		{"Later", "echo 2 > .secrets/later.key; mv .secrets/later.key .secrets/dev.key", "2\n", "in\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, root := boxIn(t, keyFiles(), keyPolicy)
			in := func(name string) string { return filepath.Join(root, name) }
			b.reads(t, in(".secrets/dev.key"), "dev\n")
			shell(t, root, tt.host)
			for name, want := range map[string]string{".secrets/dev.key": tt.dev, "src/keys/d/in.key": tt.in} {
				soonEnough(t, "reading "+name, func() bool {
					o, _ := b.do(act{Op: "read", Path: in(name)})
					return o.Errno == 0 && o.Text == want
				})
			}
			soonEnough(t, "hiding the others", func() bool {
				for _, name := range []string{".secrets/qa.key", "src/keys/qa.key", "src/keys/d/other.key"} {
					if o, _ := b.do(act{Op: "read", Path: in(name)}); o.Errno == 0 {
						return false
					}
				}
				return true
			})
			b.refused(t, act{Op: "write", Path: in(".secrets/dev.key"), Text: "x"})
			if err := b.close(); err != nil {
				t.Errorf("the run: %v", err)
			}
		})
	}
}

// A key that comes during the run is opened, and one that goes is gone: no
// empty file is taken for a key.
func TestKeysComeAndGo(t *testing.T) {
	b, root := boxIn(t, keyFiles(), keyPolicy)
	in := func(name string) string { return filepath.Join(root, name) }
	errno := func() int { o, _ := b.do(act{Op: "read", Path: in(".secrets/later.key")}); return o.Errno }
	if errno() == 0 {
		t.Error("a key that is not there can be read")
	}
	shell(t, root, "echo now > .secrets/later.key")
	soonEnough(t, "reading a key that came", func() bool { return errno() == 0 })
	b.reads(t, in(".secrets/later.key"), "now\n")
	shell(t, root, "rm .secrets/later.key")
	soonEnough(t, "a key that went is not there", func() bool { return errno() == int(unix.ENOENT) })
	soonEnough(t, "dev.key is there alone", func() bool {
		o, _ := b.do(act{Op: "list", Path: in(".secrets")})
		return slices.Equal(o.Names, []string{"dev.key"})
	})
	// A link in its place leads nowhere that the box could not go.
	secret := filepath.Join(filepath.Dir(root), filepath.Base(root)+".secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(secret) }()
	shell(t, root, "ln -s ../.secrets/qa.key .secrets/later.key; ln -sf "+secret+" .secrets/dev.key")
	soonEnough(t, "a key that became a link is not there", func() bool {
		o, _ := b.do(act{Op: "read", Path: in(".secrets/dev.key")})
		return o.Errno != 0
	})
	if errno() == 0 {
		t.Error("a link to another key can be read")
	}
}

// A key that is another file than when the spec was made is refused (SD-5).
func TestSwappedKeyIsRefused(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, keyFiles())
	spec, err := specFor(t, root, keyPolicy)
	if err != nil {
		t.Fatal(err)
	}
	shell(t, root, "cp .secrets/qa.key k; mv k .secrets/dev.key")
	_, err = native.New().Open(t.Context(), spec, sandbox.Site{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "another file than it was") {
		t.Errorf("got %v, want a refusal", err)
	}
}

// Keys in a directory below the host's /tmp, of which the box has its own, are
// renewed too.
func TestKeysBelowTmp(t *testing.T) {
	dir, err := os.MkdirTemp("", "keys")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	shell(t, dir, "echo dev > dev.key; echo qa > qa.key")
	b, _ := boxIn(t, map[string]string{"src/a": "a\n"}, "[keys]\ndir = \""+dir+"\"\n[roles.dev]\nwrites = [\"src/**\"]\nkeys = [\"dev.key\"]\n")
	b.reads(t, dir+"/dev.key", "dev\n")
	if o, _ := b.do(act{Op: "read", Path: dir + "/qa.key"}); o.Errno == 0 {
		t.Error("another key can be read")
	}
	shell(t, dir, "echo 2 > new; mv new dev.key")
	soonEnough(t, "reading the new key", func() bool {
		o, _ := b.do(act{Op: "read", Path: dir + "/dev.key"})
		return o.Text == "2\n"
	})
}

// While the host replaces the key directory again and again, a command that
// spins reads its own key or nothing, and when the host is done it is closed.
func TestKeysWhileTheHostSpins(t *testing.T) {
	b, root := boxIn(t, keyFiles(), keyPolicy)
	in := func(name string) string { return filepath.Join(root, name) }
	host := exec.Command("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do cp .secrets/dev.key .secrets/n; mv .secrets/n .secrets/dev.key; sleep .02; done")
	host.Dir = root
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- host.Wait() }()
	for start := time.Now(); ; {
		o, _ := b.do(act{Op: "read", Path: in(".secrets/dev.key")})
		if o.Errno == 0 && o.Text != "dev\n" {
			t.Fatalf("read %q, want the key or nothing: no empty file", o.Text)
		}
		if o, _ := b.do(act{Op: "read", Path: in(".secrets/qa.key")}); o.Errno == 0 {
			t.Fatal("another role's key was read") // its directory stands: no gap
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
		if time.Since(start) > patience {
			t.Fatal("the host did not end")
		}
	}
}
