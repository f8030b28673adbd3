package sandboxtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// runAs runs this executable once more as uid, in the directory this run is
// in, and returns its exit code.
func runAs(uid int, args []string) (int, error) {
	own, err := makeOwn(uid)
	if err != nil {
		return 0, err
	}
	// go test builds into a directory that only root can enter, and testscript
	// copies its own executable by name: give the user a copy of their own.
	exe := filepath.Join(own, "again.test")
	if err := copyFile(exe, "/proc/self/exe", 0o755); err != nil {
		return 0, err
	}
	dir, err := workDir(uid)
	if err != nil {
		return 0, err
	}

	// Pdeathsig is of the thread that forks, not of the process.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	cmd.Env = append(userEnviron(os.Environ(), rootHomes(), own), "PWD="+dir, placeVar+"="+place.dir,
		// git tells nobody about a repository of another's, and go asks it.
		"GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -buildvcs=false"))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		// Without Groups the list of supplementary groups is emptied.
		Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)},
		Pdeathsig:  syscall.SIGKILL,
	}
	fmt.Printf("sandboxtest: once more, as uid %d\n", uid)
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		fmt.Printf("sandboxtest: as uid %d: %v\nFAIL\n", uid, exit)
		return max(exit.ExitCode(), 1), nil // -1: killed by a signal
	}
	if err != nil {
		return 0, fmt.Errorf("as uid %d: %w", uid, err)
	}
	return 0, nil
}

// makeOwn makes the directories that are the user's own.
func makeOwn(uid int) (string, error) {
	own := filepath.Join(place.dir, fmt.Sprint(uid))
	for _, dir := range append([]string{own}, ownDirs(own)...) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		if err := os.Lchown(dir, uid, uid); err != nil {
			return "", err
		}
	}
	return own, nil
}

// workDir returns the directory for the second run: this one, where the user
// can get to it. A clone may lie in a closed directory, such as one that
// mktemp -d made; then it is the same place in a copy of the module.
func workDir(uid int) (string, error) {
	dir, err := os.Getwd()
	if err != nil || readable(dir) {
		return dir, err
	}
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		return "", err
	}
	clone := filepath.Join(place.dir, "module")
	if err := copyModule(clone, root, uid); err != nil {
		return "", fmt.Errorf("copying the module for uid %d: %w", uid, err)
	}
	return filepath.Join(clone, rel), nil
}
