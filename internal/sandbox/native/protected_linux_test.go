package native_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

// boxIn opens a box of the only role of policy in a fresh repository of files.
func boxIn(t *testing.T, files map[string]string, policy string) (*openBox, string) {
	t.Helper()
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, files)
	return boxAt(t, root, policy), root
}

func boxAt(t *testing.T, root, policy string) *openBox {
	t.Helper()
	spec, err := specFor(t, root, policy)
	if err != nil {
		t.Fatal(err)
	}
	b := openWithActor(t, native.New(), spec)
	t.Cleanup(func() { _ = b.close() })
	return b
}

// ok and refused try an act and fail the test if the kernel does not say so.
func (b *openBox) ok(t *testing.T, a act) outcome {
	t.Helper()
	o, alive := b.do(a)
	if !alive || o.Errno != 0 {
		t.Errorf("%s %s %s: got %v, want ok", a.Op, a.Path, a.To, o)
	}
	return o
}

func (b *openBox) refused(t *testing.T, a act) {
	t.Helper()
	o, alive := b.do(a)
	if !alive || !slices.Contains(walls, unix.Errno(o.Errno)) {
		t.Errorf("%s %s %s: got %v, want a refusal", a.Op, a.Path, a.To, o)
	}
}

// What no role may ever write stays as it is, whatever is tried, with the
// whole repository granted, whether it exists at the start or not; and what
// stands beside it can be written (A-34, A-47, SD-14).
func TestProtectedForEveryRole(t *testing.T) {
	const key = "[keys]\ndir = [\"vault/keys\", \"vault/later\"]\n"
	for _, writes := range []string{`["**"]`, `["vault/**"]`, `["vault/a", "other/**"]`} {
		t.Run(writes, func(t *testing.T) {
			b, root := boxIn(t, map[string]string{"vault/a": "a\n", "vault/keys/k.key": "secret\n", "other/f": "f\n"},
				key+"[roles.dev]\nwrites = "+writes+"\n")
			in := func(name string) string { return filepath.Join(root, name) }
			b.ok(t, act{Op: "write", Path: in("vault/a"), Text: "beside\n"})

			for _, file := range []string{"seisin.toml", ".git/config", "vault/keys/k.key"} {
				p := in(file)
				before, err := os.ReadFile(p)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range []act{
					{Op: "write", Path: p, Text: "x"}, {Op: "save", Path: p, Text: "x"}, {Op: "truncate", Path: p},
					{Op: "chmod", Path: p}, {Op: "unlink", Path: p}, {Op: "rename", Path: p, To: p + ".moved"},
					{Op: "rename", Path: in("vault/a"), To: p}, {Op: "link", Path: p, To: in("vault/linked")},
					{Op: "link", Path: in("vault/a"), To: p + ".linked"}, {Op: "rename", Path: filepath.Dir(p), To: in("gone")},
					{Op: "symlink", Path: p, To: "a"}, {Op: "create", Path: filepath.Dir(p) + "/seisin.toml"},
				} {
					if o, alive := b.do(a); !alive || o.Errno == 0 {
						t.Errorf("%s %s %s: got %v, want an error", a.Op, a.Path, a.To, o)
					}
				}
				if after, err := os.ReadFile(p); err != nil || string(after) != string(before) {
					t.Errorf("%s: got %q, %v; want %q", file, after, err, before)
				}
			}
			// What does not exist yet: the state, a key directory.
			for _, absent := range []string{".git/seisin", ".git/seisin/log.jsonl", ".git/hooks/pre-commit", "vault/later/new.key", "vault/keys/new.key"} {
				for _, op := range []string{"create", "mkdir", "symlink", "mkfifo", "save"} {
					b.refusedOrThere(t, act{Op: op, Path: in(absent), To: "x"})
				}
			}
			b.refusedOrThere(t, act{Op: "rename", Path: in("vault/later"), To: in("vault/l2")})
			if o, _ := b.do(act{Op: "read", Path: in("vault/keys/k.key")}); o.Errno == 0 {
				t.Errorf("read a key: got %q", o.Text)
			}
			if err := b.close(); err != nil {
				t.Errorf("the run: %v", err)
			}
			if _, err := os.Lstat(in("vault/later")); err == nil {
				t.Error("vault/later was made for the run, and is left")
			}
		})
	}
}

func (b *openBox) refusedOrThere(t *testing.T, a act) {
	t.Helper()
	o, alive := b.do(a)
	if !alive || o.Errno == 0 {
		t.Errorf("%s %s: got %v, want an error", a.Op, a.Path, o)
	}
}

// An ancestor of what is protected cannot be moved away with it (LX-1), and
// the price is that names do not move across it (LX-2).
func TestAncestorsArePinned(t *testing.T) {
	b, root := boxIn(t, map[string]string{"src/n/.git/hooks/x": "x\n", "src/n/f": "f\n", "src/g": "g\n"},
		"[roles.dev]\nwrites = [\"src/**\"]\nnever_writes = [\"src/n/.git/hooks/**\"]\n")
	in := func(name string) string { return filepath.Join(root, "src", name) }
	b.ok(t, act{Op: "write", Path: in("n/f"), Text: "x"})
	b.ok(t, act{Op: "create", Path: in("n/.git/config"), Text: "x"})
	for _, a := range []act{
		{Op: "rename", Path: in("n/.git"), To: in("n/q")},
		{Op: "rename", Path: in("n"), To: in("q")},
		{Op: "rename", Path: in("n/.git/hooks"), To: in("n/.git/q")},
		{Op: "rmdir", Path: in("n/.git/hooks")},
		{Op: "create", Path: in("n/.git/hooks/pre-commit")},
		{Op: "write", Path: in("n/.git/hooks/x")},
		{Op: "rename", Path: in("g"), To: in("n/g")},
	} {
		b.refused(t, a)
	}
	b.ok(t, act{Op: "rename", Path: in("g"), To: in("g2")})
}

// A grant that is absent is made, as what its words say, works, and leaves
// nothing when it was not used (LX-4, LX-5, C15, C17).
func TestAbsentGrants(t *testing.T) {
	policy := "[roles.dev]\nwrites = [\"docs/new/**\", \"NOTES.md\", \"left/alone/**\", \"left.txt\", \"db/a.sqlite\"]\n"
	b, root := boxIn(t, map[string]string{"docs/old": "x\n", "db/b": "b\n"}, policy)
	in := func(name string) string { return filepath.Join(root, name) }
	b.ok(t, act{Op: "mkdir", Path: in("docs/new/deep")})
	b.ok(t, act{Op: "create", Path: in("docs/new/deep/f"), Text: "1"})
	b.ok(t, act{Op: "save", Path: in("NOTES.md"), Text: "1"})
	b.ok(t, act{Op: "save", Path: in("db/a.sqlite-wal"), Text: "1"}) // UA-16
	b.refused(t, act{Op: "create", Path: in("docs/other")})
	b.refused(t, act{Op: "create", Path: in("db/c")})
	if err := b.close(); err != nil {
		t.Fatal(err)
	}
	for name, there := range map[string]bool{
		"docs/new/deep/f": true, "NOTES.md": true, "db/a.sqlite-wal": true,
		"left": false, "left.txt": false, "db/a.sqlite": false, "db/a.sqlite-shm": false, "db/a.sqlite-journal": false,
	} {
		if info, err := os.Lstat(in(name)); (err == nil) != there {
			t.Errorf("%s: got there=%v, want %v", name, err == nil, there)
		} else if there && info.IsDir() {
			t.Errorf("%s is a directory", name)
		}
	}
}

// A grant of one file is for writing in place (F21, C16): it cannot be
// replaced, and the last good content is still there.
func TestFileGrant(t *testing.T) {
	b, root := boxIn(t, map[string]string{"NOTES.md": "one\n", "f": "f\n"}, "[roles.dev]\nwrites = [\"NOTES.md\"]\n")
	p := filepath.Join(root, "NOTES.md")
	b.ok(t, act{Op: "write", Path: p, Text: "two\n"})
	b.refused(t, act{Op: "create", Path: p + ".tmp"})
	b.refused(t, act{Op: "unlink", Path: p})
	b.refused(t, act{Op: "rename", Path: p, To: p + ".old"})
	b.refused(t, act{Op: "rename", Path: filepath.Join(root, "f"), To: p})
	if text, err := os.ReadFile(p); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("NOTES.md: got %q, %v", text, err)
	}
}

// A command that closes its own directories to itself does not blind the
// keeper: what it cannot look at stays as it is, and is not taken off.
func TestClosedDirectoriesDoNotBlind(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n", "src/gen/g": "g\n"})
	policy := "[roles.dev]\nwrites = [\"src/**\"]\nnever_writes = [\"src/gen/**\"]\n"
	stop := make(chan struct{})
	go func() { // something for the keeper to look at
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				time.Sleep(3 * time.Millisecond)
				if _, err := os.Stat(filepath.Join(root, "src/started")); err != nil && i == 0 {
					i--
					continue // the box is being built
				}
				p := filepath.Join(root, ".git/seisin")
				_ = os.Mkdir(p, 0o700)
				time.Sleep(3 * time.Millisecond)
				_ = os.Remove(p)
				time.Sleep(3 * time.Millisecond)
			}
		}
	}()
	out, exit := script(t, root, policy, `
echo > src/started
i=0; while [ $i -lt 300 ]; do
	chmod 0 src; chmod 755 src; i=$((i+1))
	{ echo > src/gen/evil$i; } 2>/dev/null
done
echo done`, nil)
	close(stop)
	if exit.Status() != 0 || out != "done\n" {
		t.Errorf("the run ended with %v and said %q", exit, out)
	}
	var made []string
	for _, name := range treeOf(t, filepath.Join(root, "src/gen")) {
		if strings.HasPrefix(name, "evil") {
			made = append(made, name)
		}
	}
	// The host left the directory alone, so that there was no moment for it.
	if len(made) > 0 {
		t.Errorf("made in a closed directory: %d files of 300", len(made))
	}
}
