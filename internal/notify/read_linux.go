package notify

import (
	"bytes"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Bytes returns n bytes of the caller's memory. It fails with EFAULT where not
// all of them are there.
func (c *Call) Bytes(addr uint64, n int) ([]byte, error) {
	buf := make([]byte, n)
	got, err := c.read(buf, addr)
	if err != nil {
		return nil, err
	}
	if got < n {
		return nil, unix.EFAULT
	}
	return buf, nil
}

// String returns the string at addr in the caller's memory, without the NUL
// that ends it. It fails with ENAMETOOLONG if limit bytes hold no NUL.
func (c *Call) String(addr uint64, limit int) (string, error) {
	// Page by page: the string may end at the last byte before a hole.
	page := uint64(os.Getpagesize())
	var all []byte
	for len(all) < limit {
		part := make([]byte, min(int(page-addr%page), limit-len(all)))
		got, err := c.read(part, addr)
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(part[:got], 0); end >= 0 {
			return string(append(all, part[:end]...)), nil
		}
		if got < len(part) {
			return "", unix.EFAULT
		}
		all, addr = append(all, part...), addr+uint64(got)
	}
	return "", unix.ENAMETOOLONG
}

// read fills buf from the caller's memory as far as there is any.
func (c *Call) read(buf []byte, addr uint64) (int, error) {
	if len(buf) == 0 {
		return 0, nil
	}
	local := []unix.Iovec{{Base: &buf[0]}}
	local[0].SetLen(len(buf))
	remote := []unix.RemoteIovec{{Base: uintptr(addr), Len: len(buf)}}
	for {
		n, err := unix.ProcessVMReadv(c.Thread, local, remote, 0)
		if errors.Is(err, unix.EINTR) && c.Interrupted() == 0 {
			continue
		}
		if !c.Waiting() {
			return 0, unix.ESRCH // perhaps another process's memory
		}
		return n, err
	}
}
