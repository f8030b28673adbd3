package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Files are the descriptors by which another process can end the run: see
// [Inherit]. They stay d's own.
func (d *Dir) Files() []*os.File {
	return append([]*os.File{d.runs, d.lock}, d.above...)
}

// Inherit returns the run directory behind files, which are the [Dir.Files]
// of the process that made it. That process is gone, or about to be: its
// Close and this one's must not both be called.
func Inherit(files []*os.File) (*Dir, error) {
	if len(files) < 2 {
		return nil, errors.New("a run directory needs two descriptors")
	}
	d := &Dir{runs: files[0], lock: files[1], above: files[2:], heir: true}
	id := make([]byte, IDLen)
	if _, err := d.lock.ReadAt(id, 0); err != nil {
		return nil, fmt.Errorf("which run: %w", err)
	}
	d.ID = string(id)
	if len(d.above) == 0 {
		return d, nil
	}
	b, err := readAt(d.runs, d.ID+"/"+mineName)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &d.mine); err != nil {
		return nil, err
	}
	if len(d.mine) < len(d.above) {
		return nil, fmt.Errorf("run %s made %d paths, and %d descriptors came", d.ID, len(d.mine), len(d.above))
	}
	// What was made after the descriptors were handed on is in the registry,
	// and the next run's to remove.
	d.mine = d.mine[:len(d.above)]
	return d, nil
}
