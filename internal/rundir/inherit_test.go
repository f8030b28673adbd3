package rundir

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox/sandboxtest"
)

// heirEnv tells an heir how many descriptors it was left.
const heirEnv = "SEISIN_TEST_FILES"

// heir is the last process of a box: it waits until its parent is gone, and
// then ends the run on disk.
func heir() {
	n, err := strconv.Atoi(os.Getenv(heirEnv))
	if err != nil {
		fail(err)
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil { // the parent's lifeline
		fail(err)
	}
	var files []*os.File
	for i := range n {
		files = append(files, os.NewFile(uintptr(3+i), "left"))
	}
	if err := withoutPaths(); err != nil {
		fail(err)
	}
	d, err := Inherit(files)
	if err != nil {
		fail(err)
	}
	if err := d.Close(); err != nil {
		fail(err)
	}
	fmt.Println("heir: done")
	os.Exit(0)
}

// late marks a path that a parent makes when its heir is there already, as a
// box asks for a stand-in.
const late = "late:"

// parent is a supervisor: it begins a run with the paths of its arguments (a
// directory if one ends in a slash), starts an heir, and waits to be killed.
func parent() {
	paths := os.Args[2:]
	d, err := New(os.Args[1], trimAll(paths))
	if err != nil {
		fail(err)
	}
	isLate := func(p string) bool { return strings.HasPrefix(p, late) }
	ensureAll(d, slices.DeleteFunc(slices.Clone(paths), isLate))
	files := d.Files()
	cmd := exec.Command("rundir-heir")
	cmd.Env = append(os.Environ(), heirEnv+"="+strconv.Itoa(len(files)))
	cmd.ExtraFiles = files
	cmd.SysProcAttr = heirAttr()
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	if _, err := cmd.StdinPipe(); err != nil {
		fail(err)
	}
	if err := cmd.Start(); err != nil {
		fail(err)
	}
	ensureAll(d, slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !isLate(p) }))
	fmt.Println("parent:", d.ID)
	select {}
}

func ensureAll(d *Dir, paths []string) {
	for i, p := range trimAll(paths) {
		if _, err := d.Ensure(p, strings.HasSuffix(paths[i], "/")); err != nil {
			fail(err)
		}
	}
}

func trimAll(paths []string) (out []string) {
	for _, p := range paths {
		out = append(out, strings.TrimSuffix(strings.TrimPrefix(p, late), "/"))
	}
	return out
}

func fail(err error) {
	fmt.Println(err)
	os.Exit(1)
}

// A family is a run in processes of its own.
type family struct {
	parent *exec.Cmd
	out    *bufio.Reader // of both; at its end both are gone
}

func startFamily(t *testing.T, state string, paths ...string) *family {
	t.Helper()
	f := &family{parent: exec.Command("rundir-parent", append([]string{state}, paths...)...)}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	f.parent.Stdout, f.parent.Stderr = w, w
	if err := f.parent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.parent.Process.Kill(); _ = f.parent.Wait(); _ = r.Close() })
	_ = w.Close()
	f.out = bufio.NewReader(r)
	line, err := f.out.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "parent: ") {
		rest, _ := io.ReadAll(f.out)
		t.Fatalf("the parent says %q %v %q", line, err, rest)
	}
	return f
}

// orphan kills the parent and waits for what the heir has to say.
func (f *family) orphan(t *testing.T) string {
	t.Helper()
	if err := f.parent.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = f.parent.Wait()
	said, err := io.ReadAll(f.out)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// The supervisor is killed. Its box's last process clears away what the run
// left, by descriptors alone.
func TestInherit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		paths []string // of the run; / at the end: a directory
		fill  string
		left  []string
	}{
		{name: "NothingMade"},
		{name: "File", paths: []string{"/f"}},
		{name: "Nested", paths: []string{"/a/b/f", "/a/c/", "/d/"}},
		{name: "Filled", paths: []string{"/a/b/", "/f"}, fill: "/a/x", left: []string{"a/", "a/x"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state, work := t.TempDir(), t.TempDir()
			var paths []string
			for _, p := range tt.paths {
				paths = append(paths, work+p)
			}
			f := startFamily(t, state, paths...)
			if len(runsIn(t, state)) != 1 {
				t.Fatal("the parent has no run directory")
			}
			for _, p := range trimAll(paths) {
				if !exists(p) {
					t.Errorf("%s was not made", p)
				}
			}
			if tt.fill != "" {
				write(t, work+tt.fill)
			}
			if got, want := f.orphan(t), "heir: done\n"; got != want {
				t.Errorf("the heir says %q, want %q", got, want)
			}
			wantTree(t, work, tt.left...)
			wantRuns(t, state)
		})
	}
}

// As long as the heir lives, its run does; with it dies the last lock.
func TestTheHeirIsTheRun(t *testing.T) {
	state, work := t.TempDir(), t.TempDir()
	f := startFamily(t, state, work+"/f")
	other := start(t, state, work+"/f")
	if got := runsIn(t, state); len(got) != 2 {
		t.Fatalf("got runs %q, want both", got)
	}
	if got, want := f.orphan(t), "heir: done\n"; got != want {
		t.Errorf("the heir says %q, want %q", got, want)
	}
	wantTree(t, work, "f") // other's by now
	wantRuns(t, state, other)
}

func TestInheritRefuses(t *testing.T) {
	work := t.TempDir()
	d := start(t, t.TempDir(), work+"/f")
	ensure(t, d, work+"/f", false)
	empty, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = empty.Close() }()
	all := d.Files()
	for name, files := range map[string][]*os.File{
		"None":         nil,
		"One":          all[:1],
		"NoName":       {all[0], empty},
		"OneTooFew":    append(all[:2:2], all[0], all[0]),
		"NotThatOrder": {all[1], all[0]},
	} {
		if got, err := Inherit(files); err == nil {
			t.Errorf("%s: got run %q, want an error", name, got.ID)
		}
	}
	// Nothing of it was taken away meanwhile.
	wantTree(t, work, "f")
}

// duplicate returns descriptors of the same open files, as a child has them.
func duplicate(t sandboxtest.Fataler, files []*os.File) (held []*os.File) {
	t.Helper()
	for _, f := range files {
		fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, os.NewFile(uintptr(fd), f.Name()))
	}
	return held
}
