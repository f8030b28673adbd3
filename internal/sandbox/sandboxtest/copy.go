package sandboxtest

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// moduleRoot returns the directory of go.mod, at or above the current one,
// which for a test is its package's.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod at or above the package's directory")
		}
		dir = filepath.Dir(dir)
	}
}

// copyFile copies a file to a name that is not there yet.
func copyFile(to, from string, mode os.FileMode) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// copyModule copies the module at root, but not its git directory, and gives
// it to uid.
func copyModule(to, root string, uid int) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if rel == ".git" {
			return skip(d)
		}
		dst := filepath.Join(to, rel)
		if err := copyEntry(dst, name, d); err != nil {
			return err
		}
		return os.Lchown(dst, uid, uid)
	})
}

// skip leaves out d and, if it is a directory, what is in it.
func skip(d fs.DirEntry) error {
	if d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func copyEntry(to, from string, d fs.DirEntry) error {
	switch {
	case d.IsDir():
		return os.Mkdir(to, 0o755)
	case d.Type() == fs.ModeSymlink:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	fi, err := d.Info()
	if err != nil {
		return err
	}
	return copyFile(to, from, fi.Mode().Perm())
}
