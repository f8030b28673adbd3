package rundir

import (
	"os"
	"testing"
)

// A path is made, removed with the directory it stood in, and made anew. ext4
// may give the new ones the old inodes (TestInterleavings met it): what was
// noted first looks like what stands there, and its parent's descriptor leads
// nowhere any more.
func TestMadeAgainWithTheSameInode(t *testing.T) {
	state, work := t.TempDir(), t.TempDir()
	d := start(t, state, work+"/d/e")
	ensure(t, d, work+"/d/e", true)
	if err := os.RemoveAll(work + "/d"); err != nil {
		t.Fatal(err)
	}
	ensure(t, d, work+"/d/e", true)
	d.mine[0], d.mine[1] = d.mine[2], d.mine[3]
	if err := d.setRegistry(d.mine); err != nil {
		t.Fatal(err)
	}
	end(t, d)
	wantTree(t, work)
}
