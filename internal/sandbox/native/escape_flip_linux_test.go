package native_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/launch"
	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
	"seisin/internal/settings"
)

// Somebody swaps a granted directory with a link that leads out of the
// territory, all the time, while the policy is read and the box is built (P-3).
// It may be another role: where none may put a link it is the person's, and is
// followed.
// THIS TEST VERIFIES that whichever the box meets, it writes nothing where the
// link leads: it is refused, or it has the directory. The control is that the
// flips come in between, and that without them the box writes.
func TestFlippedGrantNeverLeadsOut(t *testing.T) {
	const tries = 40
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/x": "x\n", "other/x": "x\n"})
	src, link := filepath.Join(root, "src"), filepath.Join(root, "link")
	if err := os.Symlink("other", link); err != nil {
		t.Fatal(err)
	}
	m, err := settings.Here()
	if err != nil {
		t.Fatal(err)
	}
	read := func() (sandbox.Spec, error) {
		return specFor(t, root, srcPolicy+"[roles.all]\nwrites = [\"**\"]\n")
	}
	run := func(spec sandbox.Spec, err error) error {
		if err != nil {
			return err
		}
		_, err = launch.Run{
			Provider: native.New(), Spec: spec, State: m.State(), Note: func(string, ...any) {},
			Command: []string{"sh", "-c", "for d in src link; do echo y > $d/x; done 2>/dev/null; true"},
		}.Do(context.Background())
		return err
	}
	before, err := read()
	if err := run(before, err); err != nil {
		t.Fatalf("the control: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(src, "x")); err != nil || string(text) != "y\n" {
		t.Fatalf("the control: src/x is %q, %v", text, err)
	}
	stop, flips := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				flips <- nil
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, src, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE); err != nil && !errors.Is(err, unix.EBUSY) {
				flips <- err
				return
			}
		}
	}()
	refused := 0
	for i := range tries {
		spec, err := before, error(nil)
		if i%4 == 0 { // most of these are refused before there is a box
			spec, err = read()
		}
		if run(spec, err) != nil {
			refused++
		}
	}
	close(stop)
	if err := <-flips; err != nil {
		t.Fatal(err)
	}
	if refused == 0 {
		t.Errorf("the control: none of %d runs met a flip", tries)
	}
	t.Logf("%d of %d runs were refused", refused, tries)
	if text, err := os.ReadFile(filepath.Join(root, "other/x")); err != nil || string(text) != "x\n" {
		t.Errorf("other/x is %q, %v: a box wrote it", text, err)
	}
}
