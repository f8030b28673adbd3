package gitdir

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFind compares Find with the git of this machine on repositories that
// both accept. Paths in the table are relative to the script's directory.
func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script string
		dir    string // where Find begins
		root   string
		gitdir string // root/.git if empty
		common string // gitdir if empty
		kind   string // "dir" if empty
	}{
		{name: "Top", script: `repo r`, dir: "r", root: "r"},
		{name: "Subdirectory", script: `repo r`, dir: "r/src/deep", root: "r"},
		{name: "Unborn", script: `git init -q r`, dir: "r", root: "r"},
		{name: "Detached", script: `repo r; git -C r checkout -q --detach`, dir: "r", root: "r"},
		{name: "SymlinkedHead", script: `repo r; ln -sf refs/heads/x r/.git/HEAD`, dir: "r", root: "r"},
		{name: "SHA256", script: `repo --object-format=sha256 r`, dir: "r", root: "r"},
		{name: "SHA256Detached", script: `repo --object-format=sha256 r; git -C r checkout -q --detach`, dir: "r", root: "r"},
		{name: "SparseCheckout", script: `repo r; git -C r sparse-checkout set src`, dir: "r", root: "r"},
		{
			name:   "ParentIsASymlink",
			script: `repo r; ln -s r link`,
			dir:    "link/src", root: "r",
		},
		{
			name:   "LinkedWorktree", // C01
			script: `repo r; git -C r worktree add -q ../w`,
			dir:    "w/src", root: "w", gitdir: "r/.git/worktrees/w", common: "r/.git", kind: "file",
		},
		{
			// extensions.relativeWorktrees of git 2.48, which older ones read.
			name: "LinkedWorktreeRelative",
			script: `repo r; git -C r worktree add -q ../w
				echo 'gitdir: ../r/.git/worktrees/w' >w/.git`,
			dir: "w", root: "w", gitdir: "r/.git/worktrees/w", common: "r/.git", kind: "file",
		},
		{
			name: "LinkedWorktreeAbsoluteCommondir",
			script: `repo r; git -C r worktree add -q ../w
				echo "$PWD/r/.git" >r/.git/worktrees/w/commondir`,
			dir: "w", root: "w", gitdir: "r/.git/worktrees/w", common: "r/.git", kind: "file",
		},
		{
			name:   "Submodule",
			script: `repo sub; repo r; git -C r -c protocol.file.allow=always submodule -q add ../sub lib`,
			dir:    "r/lib/src", root: "r/lib", gitdir: "r/.git/modules/lib", kind: "file",
		},
		{
			name: "SubmoduleOfALinkedWorktree",
			script: `repo sub; repo r; git -C r -c protocol.file.allow=always submodule -q add "$PWD/sub" lib
				git -C r commit -q -m sub; git -C r worktree add -q ../w
				git -C w -c protocol.file.allow=always submodule -q update --init`,
			dir: "w/lib", root: "w/lib", gitdir: "r/.git/worktrees/w/modules/lib", kind: "file",
		},
		{
			name:   "WorktreeInABareContainer", // C01
			script: `container c; git -C c worktree add -q feat`,
			dir:    "c/feat/src", root: "c/feat", gitdir: "c/.bare/worktrees/feat", common: "c/.bare", kind: "file",
		},
		{
			// With worktreeConfig, core.bare of the common file is for all.
			name: "WorktreeSaysThatItIsNotBare",
			script: `container c; git -C c worktree add -q feat
				git -C c config extensions.worktreeConfig true
				git config -f c/.bare/worktrees/feat/config.worktree core.bare false`,
			dir: "c/feat", root: "c/feat", gitdir: "c/.bare/worktrees/feat", common: "c/.bare", kind: "file",
		},
		{
			name:   "WorktreeOfABareRepository",
			script: `repo r; git clone -q --bare r b.git; git -C b.git worktree add -q ../w`,
			dir:    "w", root: "w", gitdir: "b.git/worktrees/w", common: "b.git", kind: "file",
		},
		{
			name:   "SeparateGitDir",
			script: `repo --separate-git-dir=store r`,
			dir:    "r", root: "r", gitdir: "store", kind: "file",
		},
		{
			name:   "RelativeGitfile",
			script: `repo r; mv r/.git store; echo 'gitdir: ../store' >r/.git`,
			dir:    "r/src", root: "r", gitdir: "store", kind: "file",
		},
		{
			name:   "GitfileWithCRLF",
			script: `repo r; mv r/.git store; printf 'gitdir: ../store\r\n\r\n' >r/.git`,
			dir:    "r", root: "r", gitdir: "store", kind: "file",
		},
		{
			name:   "GitfileWithoutNewline",
			script: `repo r; mv r/.git store; printf 'gitdir: ../store' >r/.git`,
			dir:    "r", root: "r", gitdir: "store", kind: "file",
		},
		{
			// "hop/.." is x, where the link leads, and not r: it is no word game.
			name: "GitfileThroughASymlink",
			script: `repo r; mkdir -p x/y; mv r/.git x/store; ln -s ../x/y r/hop
				echo 'gitdir: hop/../store' >r/.git`,
			dir: "r", root: "r", gitdir: "x/store", kind: "file",
		},
		{
			name:   "SymlinkedDotGit",
			script: `repo r; mv r/.git store; ln -s ../store r/.git`,
			dir:    "r", root: "r", gitdir: "store", kind: "link",
		},
		{
			name:   "SymlinkToAGitfile",
			script: `repo r; git -C r worktree add -q ../w; mkdir v; ln -s ../w/.git v/.git`,
			dir:    "v", root: "v", gitdir: "r/.git/worktrees/w", common: "r/.git", kind: "link",
		},
		{name: "EmptyDotGitIsPassedOver", script: `repo r; mkdir -p r/sub/.git`, dir: "r/sub", root: "r"},
		{name: "DotGitThatIsAFIFOIsPassedOver", script: `repo r; mkfifo r/src/.git`, dir: "r/src", root: "r"},
		{name: "DotGitThatDanglesIsPassedOver", script: `repo r; ln -s nowhere r/src/.git`, dir: "r/src", root: "r"},
		{name: "JunkHeadIsPassedOver", script: `repo r; repo r/in; echo junk >r/in/.git/HEAD`, dir: "r/in", root: "r"},
		{name: "MissingRefsArePassedOver", script: `repo r; repo r/in; rm -r r/in/.git/refs`, dir: "r/in", root: "r"},
		{name: "NestedRepositoryIsItsOwn", script: `repo r; repo r/src/in`, dir: "r/src/in/src", root: "r/src/in"},
		{name: "Alternates", script: `repo r; git clone -q --shared r s`, dir: "s", root: "s"},
		{name: "NoConfig", script: `repo r; rm r/.git/config`, dir: "r", root: "r"},
		{
			name:   "WorktreeSetToWhereItIs",
			script: `repo r; git -C r config core.worktree ..`,
			dir:    "r", root: "r",
		},
		{
			// git reads neither where no format is named.
			name:   "BareAndWorktreeWithoutAVersion",
			script: `repo r; printf '[core]\n\tbare = true\n\tworktree = /\n' >r/.git/config`,
			dir:    "r", root: "r",
		},
		{
			// In a linked work tree they are those of the main one.
			name: "WorktreeOfTheMainOne",
			script: `repo r; git -C r worktree add -q ../w; mkdir other
				git -C r config core.worktree "$PWD/other"`,
			dir: "w", root: "w", gitdir: "r/.git/worktrees/w", common: "r/.git", kind: "file",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := sh(t, tt.script)
			at := func(paths ...string) string {
				for _, p := range paths {
					if p != "" {
						return filepath.Join(base, p)
					}
				}
				return ""
			}
			want := Place{
				Root:       at(tt.root),
				Gitdir:     at(tt.gitdir, tt.root+"/.git"),
				Common:     at(tt.common, tt.gitdir, tt.root+"/.git"),
				DotGit:     at(tt.root + "/.git"),
				DotGitKind: tt.kind,
			}
			if tt.kind == "" {
				want.DotGitKind = "dir"
			}
			got, err := Find(at(tt.dir), os.Getenv)
			if err != nil {
				t.Fatalf("Find(%q): %v", tt.dir, err)
			}
			if *got != want {
				t.Errorf("Find(%q):\ngot  %+v\nwant %+v", tt.dir, *got, want)
			}
			git, err := gitPlace(at(tt.dir))
			if err != nil {
				t.Fatalf("git refuses: %v", err)
			}
			git.DotGit, git.DotGitKind = got.DotGit, got.DotGitKind
			if *got != *git {
				t.Errorf("Find(%q):\ngot  %+v\ngit  %+v", tt.dir, *got, *git)
			}
		})
	}
}

// Unknown formats are no reason not to find a repository; git itself may be
// too old for them.
func TestFindWhateverTheFormat(t *testing.T) {
	base := sh(t, `repo r`)
	config := filepath.Join(base, "r/.git/config")
	for _, ext := range []string{
		"objectFormat = sha512", "refStorage = reftable", "preciousObjects = true", "relativeWorktrees = true",
		"partialClone = origin", "compatObjectFormat = sha1", "somethingNew = true", "worktreeConfig = true",
	} {
		for _, version := range []string{"0", "1"} {
			text := "[core]\n\trepositoryformatversion = " + version + "\n\tbare = false\n[extensions]\n\t" + ext + "\n"
			if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			got, err := Find(filepath.Join(base, "r/src"), os.Getenv)
			if err != nil {
				t.Errorf("version %s, %s: %v", version, ext, err)
				continue
			}
			if want := filepath.Join(base, "r"); got.Root != want {
				t.Errorf("version %s, %s: got root %q, want %q", version, ext, got.Root, want)
			}
		}
	}
}

// A reftable has a HEAD that leads nowhere and a file where refs/heads is.
func TestFindReftable(t *testing.T) {
	base := sh(t, `repo r; cd r/.git; rm -r refs; mkdir refs reftable
		echo 'ref: refs/heads/.invalid' >HEAD; echo 'this repository uses the reftable format' >refs/heads
		git config core.repositoryformatversion 1; printf '[extensions]\n\trefStorage = reftable\n' >>config`)
	got, err := Find(filepath.Join(base, "r"), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(base, "r/.git"); got.Gitdir != want {
		t.Errorf("got git directory %q, want %q", got.Gitdir, want)
	}
}

func TestFindFromARelativeDirectory(t *testing.T) {
	base := sh(t, `repo r`)
	t.Chdir(filepath.Join(base, "r/src"))
	for _, dir := range []string{".", "deep", "..", ""} {
		got, err := Find(dir, os.Getenv)
		if err != nil {
			t.Errorf("Find(%q): %v", dir, err)
			continue
		}
		if want := filepath.Join(base, "r"); got.Root != want {
			t.Errorf("Find(%q): got root %q, want %q", dir, got.Root, want)
		}
	}
}

// A FIFO in the place of a file of git's makes git wait for ever.
func TestFindDoesNotWait(t *testing.T) {
	base := sh(t, `repo r; repo r/head; repo r/config
		rm r/head/.git/HEAD r/config/.git/config; mkfifo r/head/.git/HEAD r/config/.git/config`)
	got, err := Find(filepath.Join(base, "r/head"), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(base, "r"); got.Root != want {
		t.Errorf("got root %q, want %q", got.Root, want)
	}
	got, err = Find(filepath.Join(base, "r/config"), os.Getenv)
	checkRefusal(t, got, err, &ConfigError{}, "not a regular file", "--list")
}

// Find is part of every start of the program.
func BenchmarkFind(b *testing.B) {
	base := sh(b, `repo r; git -C r worktree add -q ../w`)
	for _, dir := range []string{"r/src", "w/src"} {
		b.Run(dir[:1], func(b *testing.B) {
			for b.Loop() {
				if _, err := Find(filepath.Join(base, dir), os.Getenv); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
