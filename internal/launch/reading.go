package launch

import (
	"os"
	"time"

	"seisin/internal/sandbox"
)

// A reading is a file that is copied into the command's pipe. At its end the
// file is read up to where the command has read it, and no further: whoever has
// it too goes on from there, as a shell does in
//
//	while read x; do git seisin run dev -- true; done <list
//
// Some that say they are files give nothing until there is something, such as
// /proc/kmsg, and no deadline ends that. They are left after grace, wherever
// they stand.
type reading struct {
	in   *os.File
	at   int64    // where in stood
	pipe *os.File // the reader's end, once more
	w    *os.File
	done chan int64 // how much was written

	grace time.Duration
}

func newReading(in *os.File, at int64, r, w *os.File) (*reading, error) {
	pipe, err := again(r)
	if err != nil {
		return nil, err
	}
	f := &reading{in: in, at: at, pipe: pipe, w: w, done: make(chan int64, 1), grace: sandbox.ReapGrace}
	go f.copy()
	return f, nil
}

func (f *reading) copy() {
	var written int64
	buf := make([]byte, 64<<10)
	for {
		n, err := f.in.Read(buf)
		m, writeErr := f.w.Write(buf[:n])
		written += int64(m)
		if n == 0 || err != nil || writeErr != nil {
			break
		}
	}
	_ = f.w.Close() // the end of the file is the end of the pipe
	f.done <- written
}

// finish ends the copying. Nobody reads from the pipe any more.
func (f *reading) finish() {
	_ = f.w.SetWriteDeadline(time.Now()) // no error where it is closed matters
	defer func() { _ = f.pipe.Close() }()
	select {
	case written := <-f.done:
		if unread, err := unreadIn(f.pipe); err == nil {
			_, _ = f.in.Seek(f.at+written-int64(unread), 0)
		}
	case <-time.After(f.grace):
	}
}
