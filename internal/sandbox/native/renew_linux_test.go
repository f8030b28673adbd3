package native_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

// soonEnough waits until ok, and fails the test if it never is. Renewal takes
// milliseconds; the patience is for a loaded machine.
func soonEnough(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for start := time.Now(); time.Since(start) < patience; time.Sleep(2 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Errorf("%s: never in %v", what, patience)
}

func shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// What people and their programs do to granted and protected names while a box
// runs throws mounts off or carries them away; they are put back, grants and
// denials alike (LX-3, F8).
func TestMountsAreRenewed(t *testing.T) {
	for _, tt := range []struct{ name, host string }{
		{"EditorsSave", "for f in seisin.toml src/gen/g package.json; do cp $f $f.tmp; mv $f.tmp $f; done"},
		{"EditorsBackup", "for f in seisin.toml package.json; do mv $f $f~; cp $f~ $f; done"},
		{"Checkout", "git checkout -qf without; git checkout -qf main"},
		{"Stash", "echo x >> package.json; echo x >> src/a; git stash -q; git stash pop -q"},
		{"MovedAway", "mv src s2; mkdir -p src/gen; cp s2/a src/a; cp s2/gen/g src/gen/g"},
		{"MovedAwayAndBack", "mv src s2; sleep .1; mv s2 src"},
		{"RemovedAndMade", "rm -rf src/gen; mkdir src/gen; echo g > src/gen/g"},
		{"RemovedForAWhile", "rm -rf src/gen; sleep .3; mkdir -p src/gen; echo g > src/gen/g"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sandboxtest.Home(t)
			policy := "[roles.dev]\nwrites = [\"src/**\", \"package.json\"]\nnever_writes = [\"src/gen/**\"]\n"
			root := sandboxtest.Repo(t, map[string]string{"seisin.toml": policy, "src/a": "a\n", "src/gen/g": "g\n", "package.json": "{}\n", "other/f": "f\n"})
			shell(t, root, "git checkout -q -b without; git rm -rq src; echo 1 > package.json; git commit -qam without; git checkout -q main")
			b := boxAt(t, root, policy)
			in := func(name string) string { return filepath.Join(root, name) }
			check := func() {
				t.Helper()
				soonEnough(t, "writing the territory", func() bool {
					o, _ := b.do(act{Op: "write", Path: in("src/a"), Text: "x\n"})
					return o.Errno == 0
				})
				soonEnough(t, "writing the file grant", func() bool {
					o, _ := b.do(act{Op: "write", Path: in("package.json"), Text: "\n"})
					return o.Errno == 0
				})
				soonEnough(t, "the closed directory", func() bool {
					o, _ := b.do(act{Op: "utimes", Path: in("src/gen")})
					return o.Errno == int(unix.EROFS)
				})
				b.refusedOrThere(t, act{Op: "write", Path: in("src/gen/g"), Text: "x"})
				b.refused(t, act{Op: "create", Path: in("src/gen/new")})
				b.refused(t, act{Op: "write", Path: in("seisin.toml"), Text: "x"})
				b.refused(t, act{Op: "write", Path: in("other/f"), Text: "x"})
			}
			check()
			shell(t, root, tt.host)
			check()
			if _, err := os.Lstat(in("s2")); err == nil {
				// The mount went with the directory, and was taken off there.
				b.refused(t, act{Op: "create", Path: in("s2/new")})
			}
			b.refused(t, act{Op: "rename", Path: in("src/gen"), To: in("src/g2")})
			text, err := os.ReadFile(in("src/a"))
			if err != nil || !strings.HasSuffix(string(text), "x\n") {
				t.Errorf("src/a on the host: %q, %v", text, err)
			}
		})
	}
}

// For a role that may write everything the policy is guarded by a mount and
// its renewal.
func TestPolicyIsGuardedUnderAGrantOfEverything(t *testing.T) {
	b, root := boxIn(t, map[string]string{"src/a": "a\n"}, "[roles.dev]\nwrites = [\"**\"]\n")
	p := filepath.Join(root, "seisin.toml")
	b.refused(t, act{Op: "write", Path: p, Text: "x"})
	for range 20 {
		shell(t, root, "cp seisin.toml s; mv s seisin.toml")
		soonEnough(t, "seisin.toml is a mount again", func() bool {
			o, _ := b.do(act{Op: "utimes", Path: p})
			return o.Errno == int(unix.EROFS)
		})
		b.refused(t, act{Op: "write", Path: p, Text: "x"})
	}
	b.ok(t, act{Op: "create", Path: filepath.Join(root, "new"), Text: "x"})
	if err := b.close(); err != nil {
		t.Errorf("a run that outlived 20 saves of the policy ended with %v", err)
	}
}

// A protected file that is gone cannot be kept from a role that could make it:
// the run ends and says why. A directory is stood in for, and the stand-in is
// gone at the end.
func TestProtectedNamesThatVanish(t *testing.T) {
	t.Run("FileEndsTheRun", func(t *testing.T) {
		b, root := boxIn(t, map[string]string{"src/a": "a\n"}, "[roles.dev]\nwrites = [\"**\"]\n")
		if err := os.Remove(filepath.Join(root, "seisin.toml")); err != nil {
			t.Fatal(err)
		}
		soonEnough(t, "the box ends", func() bool {
			_, alive := b.do(act{Op: "list", Path: "/"})
			return !alive
		})
		fallen, ok := errors.AsType[*native.FallenError](b.close())
		if !ok || fallen.Path != filepath.Join(root, "seisin.toml") {
			t.Errorf("the run ended with %v", fallen)
		}
	})
	t.Run("DirectoryIsStoodInFor", func(t *testing.T) {
		b, root := boxIn(t, map[string]string{"src/a": "a\n", "gen/g": "g\n"},
			"[roles.dev]\nwrites = [\"**\"]\nnever_writes = [\"gen/**\"]\n")
		gen := filepath.Join(root, "gen")
		if err := os.RemoveAll(gen); err != nil {
			t.Fatal(err)
		}
		soonEnough(t, "gen is closed again", func() bool {
			o, _ := b.do(act{Op: "utimes", Path: gen})
			return o.Errno == int(unix.EROFS)
		})
		b.refused(t, act{Op: "create", Path: filepath.Join(gen, "g")})
		if err := b.close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(gen); err == nil {
			t.Error("the stand-in is left")
		}
	})
	t.Run("ScratchRepositoryEndsTheRun", func(t *testing.T) {
		home := sandboxtest.Home(t)
		root := filepath.Join(home, ".cache", "p")
		shell(t, home, "mkdir -p .cache/p/src && cd .cache/p && git init -q . && echo a > src/a")
		b := boxAt(t, root, "[roles.dev]\nwrites = [\"src/**\"]\n")
		b.refused(t, act{Op: "create", Path: filepath.Join(root, "x")}) // C24
		b.ok(t, act{Op: "create", Path: filepath.Join(home, ".cache", "x")})
		if err := os.Rename(root, root+"2"); err != nil {
			t.Fatal(err)
		}
		soonEnough(t, "the box ends", func() bool {
			_, alive := b.do(act{Op: "list", Path: "/"})
			return !alive
		})
	})
}

// A protected file that does not exist is a refusal where the role could make
// it, and no matter where it could not.
func TestAbsentProtectedFileIsRefused(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	for _, tt := range []struct {
		writes string
		want   string
	}{
		{`["**"]`, "nothing keeps the role from creating it"},
		{`["src/**"]`, ""},
	} {
		spec, err := specFor(t, root, "[roles.dev]\nwrites = "+tt.writes+"\nnever_writes = [\"x.lock\"]\n")
		if err != nil {
			t.Fatal(err)
		}
		err = native.New().Check(t.Context(), spec)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("writes = %s: got %v, want %q", tt.writes, err, tt.want)
		}
	}
}

// A process that holds the new policy open for writing, opened in the gap, is
// found by a lease, and the run ends.
func TestLeaseFindsAWriter(t *testing.T) {
	b, root := boxIn(t, map[string]string{"src/a": "a\n"}, "[roles.dev]\nwrites = [\"**\"]\n")
	next := filepath.Join(root, "src", "next")
	if err := os.WriteFile(next, []byte("[roles.dev]\nwrites = [\"**\"]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	held, err := os.OpenFile(next, os.O_WRONLY, 0) // in the place of one inside
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Close() }()
	if err := os.Rename(next, filepath.Join(root, "seisin.toml")); err != nil {
		t.Fatal(err)
	}
	soonEnough(t, "the box ends", func() bool {
		_, alive := b.do(act{Op: "list", Path: "/"})
		return !alive
	})
	fallen, ok := errors.AsType[*native.FallenError](b.close())
	if !ok || !strings.Contains(fallen.Why, "took hold") {
		t.Errorf("the run ended with %v", fallen)
	}
}

// A process that took hold of what came in a wall's place, before the wall was
// there again, ends the run: it would go on behind the wall (F8).
func TestStrangersEndTheRun(t *testing.T) {
	for _, way := range []string{"directory", "reference", "cwd", "deep", "nested", "program", "reader", "map", "link"} {
		t.Run(way, func(t *testing.T) {
			b, root := boxIn(t, map[string]string{"src/gen/g": "g\n"},
				"[roles.dev]\nwrites = [\"**\"]\nnever_writes = [\"src/gen/**\"]\nuserns = true\n")
			name, replace := "src/gen", "rm -rf s2 && cp -r src/gen s2 && rm -rf s3 && mv src/gen s3 && mv -T s2 src/gen"
			switch way {
			case "program":
				shell(t, root, "cp \"$(command -v sleep)\" src/gen/tool")
			case "reader", "map", "link":
				name, replace = "seisin.toml", "cp seisin.toml s && mv s seisin.toml"
			}
			won := filepath.Join(root, "won")
			grabbed := make(chan outcome, 1)
			go func() {
				o, _ := b.do(act{Op: "grab", Path: filepath.Join(root, name), To: won, Text: way})
				grabbed <- o
			}()
			for o := (outcome{Errno: -1}); o.Errno != 0; {
				select {
				case o = <-grabbed:
					if o.Errno != 0 {
						t.Fatalf("got %v, want it to take hold of %s once", o, name)
					}
				case <-time.After(20 * time.Millisecond):
					if _, err := os.Lstat(won); err != nil {
						shell(t, root, replace)
					}
				}
			}
			soonEnough(t, "the box ends", func() bool {
				_, alive := b.do(act{Op: "list", Path: "/"})
				return !alive
			})
			fallen, ok := errors.AsType[*native.FallenError](b.close())
			if !ok || fallen.Path != filepath.Join(root, name) || !strings.Contains(fallen.Why, "took hold") {
				t.Errorf("the run ended with %v", fallen)
			}
		})
	}
}

// The host moves a directory in which a process stands, and with it what is
// closed there. What was taken off there holds all the same: nothing in the moved
// directory can be written through it, or the run ends (F8, C24).
func TestWallsGoWithWhatTheHostMoves(t *testing.T) {
	for _, tt := range []struct {
		name, policy, cd, move string
		ends                   bool
	}{
		{"Territory", `writes = ["src/**"]` + "\nnever_writes = [\"src/gen/**\"]", "src", "mv src s2; mkdir -p src/gen", false},
		{"AndBack", `writes = ["src/**"]` + "\nnever_writes = [\"src/gen/**\"]", "src", "mv src s2; sleep .3; mv s2 src", false},
		{"WithKeys", `writes = ["src/**"]`, "src", "mv src s2; sleep .1; mv s2 src", true},
		{"Everything", `writes = ["**"]`, ".", "mv $PWD $PWD.x; sleep .1; mv $PWD.x $PWD", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sandboxtest.Home(t)
			policy := "[keys]\ndir = \"src/keys\"\n[roles.dev]\n" + tt.policy + "\n"
			if !tt.ends {
				policy = "[roles.dev]\n" + tt.policy + "\n"
			}
			root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n", "src/gen/g": "g\n", "src/keys/k": "k\n"})
			b := boxAt(t, root, policy)
			b.ok(t, act{Op: "chdir", Path: filepath.Join(root, tt.cd)})
			shell(t, root, tt.move)
			if tt.ends {
				soonEnough(t, "the box ends", func() bool {
					_, alive := b.do(act{Op: "list", Path: "/"})
					return !alive
				})
				if _, ok := errors.AsType[*native.FallenError](b.close()); !ok {
					t.Error("the run ended without a word of the wall")
				}
				return
			}
			soonEnough(t, "writing the territory", func() bool {
				o, _ := b.do(act{Op: "save", Path: filepath.Join(root, "src/b"), Text: "x"})
				return o.Errno == 0
			})
			for _, name := range []string{"new", "a", "gen/new", "gen/g"} {
				soonEnough(t, "writing "+name+" from where it stands is refused", func() bool {
					o, _ := b.do(act{Op: "save", Path: name, Text: "x"})
					return o.Errno == int(unix.EROFS)
				})
			}
			if err := b.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// The host replaces what is protected, as people do all day, and a command that
// does nothing about it goes on (F8): also after it was looked at.
func TestHonestRunsGoOn(t *testing.T) {
	b, root := boxIn(t, map[string]string{"src/gen/g": "g\n", ".secrets/k": "k\n"},
		"[keys]\ndir = \".secrets\"\n[roles.dev]\nwrites = [\"**\"]\nnever_writes = [\"src/gen/**\"]\n")
	b.ok(t, act{Op: "chdir", Path: filepath.Join(root, "src/gen")})
	shell(t, root, `cp seisin.toml s; mv s seisin.toml
		for d in src/gen .secrets; do cp -r $d $d.new; mv $d $d.old; mv $d.new $d; rm -r $d.old; done`)
	time.Sleep(2 * time.Second) // the first look is after half a second
	if _, alive := b.do(act{Op: "list", Path: "/"}); !alive {
		t.Errorf("the run ended: %v", b.close())
		return
	}
	if err := b.close(); err != nil {
		t.Error(err)
	}
}
