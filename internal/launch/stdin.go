package launch

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// stdin returns what the command gets as its standard input, and what to call
// when it has ended.
//
// A descriptor carries the mount it was opened on, and a process can open it
// anew through /proc/self/fd with other rights. So a file that the person
// opened for reading would be writable inside, and from a directory the whole
// of the host's tree could be reached. A file is therefore copied through a
// pipe, and a directory is refused.
func stdin(in *os.File) (*os.File, func(), error) {
	none := func() {}
	if in == nil {
		return nil, none, nil
	}
	info, err := in.Stat()
	if err != nil {
		return nil, none, nil // closed: the command gets /dev/null
	}
	switch {
	case info.IsDir():
		return nil, none, errors.New("standard input is a directory")
	case !info.Mode().IsRegular():
		return in, none, nil
	}
	flags, err := unix.FcntlInt(in.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return nil, none, fmt.Errorf("standard input: %w", err)
	}
	if flags&unix.O_ACCMODE != unix.O_RDONLY {
		return in, none, nil // the person gave it for writing
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, none, err
	}
	go func() {
		_, _ = io.Copy(w, in) // EPIPE: the command has read enough
		_ = w.Close()
	}()
	return r, func() { _ = r.Close() }, nil
}
