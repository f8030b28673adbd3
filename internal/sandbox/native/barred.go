package native

import (
	"fmt"
	"io/fs"
	"os/user"
	"strconv"
)

// A BarredError reports a directory on the way to what the box is built of
// that its mode does not let the person go through. Root goes through it outside;
// in a box root has no capabilities over the files of others.
type BarredError struct {
	Path string // what could not be reached
	Dir  string
	Mode fs.FileMode
	UID  uint32 // whose it is
}

func (e *BarredError) Error() string {
	return fmt.Sprintf("%q cannot be reached from a box: its directory %q belongs to %s, and its mode %s does not let you through", e.Path, e.Dir, e.owner(), e.Mode)
}

// Hint says what the user can do about it.
func (e *BarredError) Hint() string {
	return fmt.Sprintf("run as %s, or let others through it: chmod o+x %s\ninside, root has no rights over the files of others", e.owner(), e.Dir)
}

func (e *BarredError) owner() string {
	uid := strconv.FormatUint(uint64(e.UID), 10)
	if u, err := user.LookupId(uid); err == nil {
		return u.Username
	}
	return "uid " + uid
}
