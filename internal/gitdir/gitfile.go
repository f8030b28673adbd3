package gitdir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	maxGitfile   = 1 << 20 // bytes; git's own limit
	maxCommondir = 1 << 16 // bytes; git has none, and a path holds 4096
	maxHead      = 255     // bytes that git looks at
)

// followGitfile returns the git directory that the gitfile at name leads to,
// and its common directory. Unlike a .git directory that is no repository, a
// gitfile that leads nowhere ends the search, as in git.
func followGitfile(name string) (gitdir, common string, err error) {
	data, err := readRegular(name, maxGitfile)
	if err != nil {
		return "", "", &GitfileError{File: name, Why: reason(err)}
	}
	target, why := parseGitfile(filepath.Dir(name), data)
	if why != "" {
		return "", "", &GitfileError{File: name, Why: why}
	}
	gitdir, err = filepath.EvalSymlinks(target)
	if err != nil {
		return "", "", &GitfileError{File: name, Target: target, Why: reason(err)}
	}
	common, err = gitDirectory(gitdir)
	if err != nil {
		return "", "", err
	}
	if common == "" {
		return "", "", &GitfileError{File: name, Target: target, Why: "not a git directory"}
	}
	return gitdir, common, nil
}

// parseGitfile returns the absolute path that a gitfile in dir names, as it is
// written there, or why it names none.
func parseGitfile(dir string, data []byte) (target, why string) {
	path, ok := bytes.CutPrefix(data, []byte("gitdir: "))
	if !ok {
		return "", `it does not begin with "gitdir: "`
	}
	path = bytes.TrimRight(path, "\r\n")
	if len(path) == 0 {
		return "", "it names no path"
	}
	if bytes.IndexByte(path, 0) >= 0 {
		return "", "it holds a NUL byte"
	}
	return relativeTo(dir, string(path)), ""
}

// gitDirectory reports whether dir, which is real, is a git directory, by the
// signs that git goes by: HEAD in it, objects and refs in its common directory.
// It returns the common directory, or "" where dir is none.
func gitDirectory(dir string) (common string, err error) {
	if !validHead(filepath.Join(dir, "HEAD")) {
		return "", nil
	}
	common, err = commonOf(dir)
	if err != nil {
		return "", err
	}
	for _, sub := range []string{"objects", "refs"} {
		if !searchable(filepath.Join(common, sub)) {
			return "", nil
		}
	}
	return common, nil
}

// commonOf returns the real directory that dir shares with the other work
// trees of its repository: the one its commondir file names, or dir itself.
//
// A commondir that leads nowhere is an error. git passes over some such, and
// may then take a repository further up for the one that is meant.
func commonOf(dir string) (string, error) {
	file := filepath.Join(dir, "commondir")
	data, err := readRegular(file, maxCommondir)
	if errors.Is(err, fs.ErrNotExist) {
		return dir, nil
	}
	if err != nil {
		return "", &GitfileError{File: file, Why: reason(err)}
	}
	path := strings.TrimRight(string(data), "\r\n")
	if path == "" {
		return "", &GitfileError{File: file, Why: "it names no path"}
	}
	target := relativeTo(dir, path)
	common, err := filepath.EvalSymlinks(target)
	if err != nil {
		return "", &GitfileError{File: file, Target: target, Why: reason(err)}
	}
	return common, nil
}

// validHead reports whether the file at name reads like a HEAD: a symlink into
// refs/, "ref: refs/…", or an object id. It does not care where it leads; the
// refs of an unborn branch, or of a reftable, are not there to be found.
func validHead(name string) bool {
	fi, err := os.Lstat(name)
	if err != nil {
		return false
	}
	if fi.Mode()&os.ModeSymlink != 0 {
		to, err := os.Readlink(name)
		return err == nil && strings.HasPrefix(to, "refs/")
	}
	data, err := readHead(name)
	if err != nil {
		return false
	}
	if ref, ok := bytes.CutPrefix(data, []byte("ref:")); ok {
		return bytes.HasPrefix(bytes.TrimLeft(ref, " \t\n\r"), []byte("refs/"))
	}
	const sha1Hex = 40 // a sha256 id begins with as many
	return len(data) >= sha1Hex && !bytes.ContainsFunc(data[:sha1Hex], notHex)
}

func notHex(r rune) bool {
	return !strings.ContainsRune("0123456789abcdefABCDEF", r)
}

func readHead(name string) ([]byte, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxHead))
}

// readRegular returns the contents of the regular file at name, which has at
// most limit bytes.
func readRegular(name string, limit int64) ([]byte, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, nil
}

// openRegular opens without waiting: a FIFO in the place of one of git's files
// would otherwise hold the caller for ever.
func openRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// searchable reports whether name is a directory that the caller may enter.
func searchable(name string) bool {
	const xOK = 1 // X_OK of access(2)
	fi, err := os.Stat(name)
	return err == nil && fi.IsDir() && syscall.Access(name, xOK) == nil
}
