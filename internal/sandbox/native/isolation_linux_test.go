package native_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"seisin/internal/sandbox/sandboxtest"
)

const isolated = "[runtime]\nisolate = \"credentials\"\n[roles.dev]\nwrites = [\"src/**\"]\n"

// What isolation closes is not there, whether it is a file, a directory, a link
// or missing at the start, and stays away when the host makes or replaces it; what
// stands beside it can be read (A-18, A-19, F2).
func TestCredentialsAreNotThere(t *testing.T) {
	for _, where := range []string{"Home", "HomeInTMPDIR", "TMPDIRInHome"} {
		t.Run(where, func(t *testing.T) {
			home := sandboxtest.Home(t)
			if where == "HomeInTMPDIR" { // of which the box has its own
				t.Setenv("TMPDIR", filepath.Dir(home))
			}
			if where == "TMPDIRInHome" {
				shell(t, home, "mkdir own; echo theirs > own/f")
				t.Setenv("TMPDIR", filepath.Join(home, "own"))
			}
			shell(t, home, `mkdir -p .ssh .config/gh open/deep dot .cache
				echo secret > .ssh/id; echo secret > .npmrc; echo secret > .config/gh/hosts.yml; echo secret > dot/netrc
				ln -s dot/netrc .netrc; ln -s open link; echo plain > plain; echo plain > open/f; echo plain > dot/other; mkfifo fifo`)
			root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
			b := boxAt(t, root, isolated)
			closed := []string{".ssh/id", ".npmrc", ".config/gh/hosts.yml", ".netrc", "dot/netrc", ".git-credentials", ".aws/credentials", "fifo", "later"}
			gone := func() {
				t.Helper()
				for _, name := range closed {
					if o, _ := b.do(act{Op: "read", Path: filepath.Join(home, name)}); o.Errno == 0 {
						t.Errorf("read ~/%s: got %q, want an error", name, o.Text)
					}
					if o, _ := b.do(act{Op: "save", Path: filepath.Join(home, name), Text: "x"}); o.Errno == 0 {
						t.Errorf("save ~/%s: got ok, want an error", name)
					}
				}
			}
			gone()
			if where == "TMPDIRInHome" {
				if o, _ := b.do(act{Op: "read", Path: filepath.Join(home, "own/f")}); o.Errno == 0 {
					t.Errorf("read of the host's in TMPDIR: got %q, want an error", o.Text)
				}
				b.ok(t, act{Op: "create", Path: filepath.Join(home, "own/made")})
			}
			for _, name := range []string{"plain", "open/f", "link/f", "dot/other"} {
				b.reads(t, filepath.Join(home, name), "plain\n")
				b.refused(t, act{Op: "write", Path: filepath.Join(home, name), Text: "x"})
			}
			b.ok(t, act{Op: "create", Path: filepath.Join(home, ".cache/made")}) // scratch
			if _, err := os.Lstat(filepath.Join(home, ".cache/made")); err != nil {
				t.Errorf("scratch is not the host's: %v", err)
			}
			b.ok(t, act{Op: "write", Path: filepath.Join(root, "src/a"), Text: "x"})
			shell(t, home, `echo 2 > n; mv n .npmrc; echo secret > .git-credentials; mkdir .aws; echo secret > .aws/credentials
				mv .ssh s; mv s .ssh; echo new > later; echo 3 > n; mv n dot/netrc`)
			gone()
			if err := b.close(); err != nil {
				t.Errorf("the run: %v", err)
			}
		})
	}
}

// A role's reads open a closed place, or a part of it, by name.
func TestReadsOpenWhatIsClosed(t *testing.T) {
	home := sandboxtest.Home(t)
	shell(t, home, "mkdir -p .ssh .config/gh .config/other; echo secret > .ssh/id; echo open > .config/gh/hosts.yml; echo secret > .config/other/f; echo open > .npmrc")
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	b := boxAt(t, root, isolated+"reads = [\"~/.config/gh\", \"~/.npmrc\"]\n")
	for _, name := range []string{".config/gh/hosts.yml", ".npmrc"} {
		b.reads(t, filepath.Join(home, name), "open\n")
		b.refused(t, act{Op: "write", Path: filepath.Join(home, name), Text: "x"})
	}
	for _, name := range []string{".ssh/id", ".config/other/f"} {
		if o, _ := b.do(act{Op: "read", Path: filepath.Join(home, name)}); o.Errno == 0 {
			t.Errorf("read ~/%s: got %q, want an error", name, o.Text)
		}
	}
}

// In scratch a closed place is masked, also when the host makes it later (SD-10).
func TestCredentialsInScratchAreMasked(t *testing.T) {
	home := sandboxtest.Home(t)
	shell(t, home, "mkdir -p .local/share/keyrings .local/share/open; echo secret > .local/share/keyrings/login; echo plain > .local/share/open/f")
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	b := boxAt(t, root, isolated)
	b.reads(t, filepath.Join(home, ".local/share/open/f"), "plain\n")
	b.ok(t, act{Op: "create", Path: filepath.Join(home, ".local/share/made")})
	for _, name := range []string{"keyrings/login", "fish/fish_history"} {
		if o, _ := b.do(act{Op: "read", Path: filepath.Join(home, ".local/share", name)}); o.Errno == 0 {
			t.Errorf("read %s: got %q, want an error", name, o.Text)
		}
	}
	if err := b.close(); err != nil {
		t.Errorf("the run: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(home, ".local/share/fish")); err == nil {
		t.Error("a directory that was masked and absent is left behind")
	}
}

// What the host puts in the place of a directory that holds a closed name is not
// in the box. One in the home is in a skeleton already, which has no name of the
// host's: it stays as it was. Another is a mount, which falls off, and nothing
// could take its place but what is there now, so that the run ends: what it reads
// in between, check says (F2, LX-3).
func TestSkeletonIsReplaced(t *testing.T) {
	for name, host := range map[string]string{
		"Moved":    "mv held old",
		"Replaced": "mkdir -p fresh/credentials; echo secret > fresh/credentials/token; echo new > fresh/open; mv held old; mv fresh held",
		"Removed":  "rm -r held",
		"Link":     "mkdir -p fresh/credentials; echo secret > fresh/credentials/token; mv held old; ln -s fresh held",
	} {
		for _, where := range []string{"InTheHome", "Elsewhere"} {
			t.Run(name+where, func(t *testing.T) {
				home, held := sandboxtest.Home(t), ".cargo"
				dir := home
				if where == "Elsewhere" {
					dir, held = sandboxtest.Home(t), "held"
					t.Setenv("HOME", home)
					t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, held, "credentials"))
				}
				shell(t, dir, "mkdir -p "+held+"/credentials; echo secret > "+held+"/credentials/token; echo plain > "+held+"/open")
				root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
				b := boxAt(t, root, isolated)
				b.reads(t, filepath.Join(dir, held, "open"), "plain\n")
				shell(t, dir, strings.ReplaceAll(host, "held", held))
				alive := true
				for tries := 0; alive && (tries < 200 || where == "Elsewhere"); tries++ {
					var o outcome
					if o, alive = b.do(act{Op: "read", Path: filepath.Join(dir, held, "credentials/token")}); where == "InTheHome" && o.Errno == 0 {
						t.Fatalf("the credentials were read: %q", o.Text)
					}
					if tries == 20_000 {
						t.Fatal("the run has not ended")
					}
					time.Sleep(time.Millisecond)
				}
				if where == "InTheHome" {
					b.reads(t, filepath.Join(dir, held, "open"), "plain\n")
				}
				if err := b.close(); where == "Elsewhere" && (err == nil || !strings.Contains(err.Error(), dir)) || where == "InTheHome" && err != nil {
					t.Errorf("the run: %v", err)
				}
			})
		}
	}
}
