package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

// A stdio is what a command gets as its standard streams.
//
// A descriptor carries the mount it was opened on, and a process can open it
// anew through /proc/self/fd with other rights, or change the file's mode, times
// and length. From a directory it reaches the whole of the host's tree, with a
// socket of the host's network it sends to any address there, and the reader's
// end of a pipe can be opened for writing: what is written there is read by the
// next program, such as the shell that started us from its own standard input.
// So nothing of that goes into a box. A terminal is opened anew inside, where it
// has a name. /dev/null is the box's own; directories, mere references (O_PATH)
// and what the kernel hands out without a file, such as an eventfd, are refused,
// and everything else is copied through pipes.
type stdio struct {
	sandbox.Stdio
	copies sync.WaitGroup // of what the command wrote
	close  []*os.File     // our ends of its pipes, once it has them
	read   *reading       // of a file, or nil
}

// brokenPipes is told of SIGPIPE, and nobody reads it. Who reads what a command
// writes may go: that is the command's to hear of, and no reason for this process,
// which would take the box with it, to die.
var brokenPipes = make(chan os.Signal, 1)

func newStdio(in, out, err *os.File) (*stdio, error) {
	signal.Notify(brokenPipes, unix.SIGPIPE)
	s := &stdio{}
	for _, stream := range []struct {
		name string
		from *os.File
		to   **os.File
	}{{"standard input", in, &s.In}, {"standard output", out, &s.Out}, {"standard error", err, &s.Err}} {
		kind, e := kindOf(stream.from)
		if e != nil {
			s.started()
			return nil, fmt.Errorf("%s %w", stream.name, e)
		}
		switch {
		case kind == kindNone:
		case kind == kindTerminal:
			*stream.to = stream.from
		case stream.from == in:
			e = s.copyIn(in)
		case stream.from == err && same(out, err) && s.Out != nil:
			s.Err = s.Out // one file, in the order in which it was written
		default:
			*stream.to, e = s.copyOut(stream.from)
		}
		if e != nil {
			s.started()
			return nil, e
		}
	}
	return s, nil
}

type kind int

const (
	kindNone     kind = iota // the box's own /dev/null
	kindTerminal             // is the provider's to open anew
	kindFile                 // is copied
)

func kindOf(f *os.File) (kind, error) {
	if f == nil {
		return kindNone, nil
	}
	info, err := f.Stat()
	if err != nil {
		return kindNone, nil // closed: the command gets /dev/null
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return kindNone, err
	}
	switch {
	case isPath(flags):
		return kindNone, errors.New("refers to a file without opening it (O_PATH)")
	case isNameless(f):
		return kindNone, fmt.Errorf("is %q, which is neither a file nor a stream", nameOf(f))
	case info.IsDir():
		return kindNone, errors.New("is a directory")
	case isNull(info):
		return kindNone, nil
	case isTerminal(f):
		return kindTerminal, nil
	}
	return kindFile, nil
}

func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(null, info)
}

func same(a, b *os.File) bool {
	x, err1 := a.Stat()
	y, err2 := b.Stat()
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// copyIn gives the command a pipe with what in holds from where it stands.
func (s *stdio) copyIn(in *os.File) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.In, s.close = r, append(s.close, r)
	info, err := in.Stat()
	if err != nil {
		return errors.Join(err, w.Close())
	}
	if at, err := in.Seek(0, io.SeekCurrent); err == nil && info.Mode().IsRegular() {
		if s.read, err = newReading(in, at, r, w); err != nil {
			return errors.Join(err, w.Close())
		}
		return nil
	}
	go func() {
		_, _ = io.Copy(w, in) // EPIPE: the command has read enough
		_ = w.Close()
	}()
	return nil
}

// copyOut gives the command a pipe, and writes what comes to out.
func (s *stdio) copyOut(out *os.File) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.close = append(s.close, w)
	s.copies.Go(func() {
		_, _ = io.Copy(out, r) // a full disk: the command gets EPIPE
		_ = r.Close()
	})
	return w, nil
}

// started lets go of what the command has by now.
func (s *stdio) started() {
	for _, f := range s.close {
		_ = f.Close()
	}
	s.close = nil
}

// finish waits until all that the command wrote has arrived. Nothing may run
// inside any more: a process that holds the pipe would keep it open.
func (s *stdio) finish() {
	s.started()
	s.copies.Wait()
	if s.read != nil {
		s.read.finish()
		s.read = nil
	}
}
