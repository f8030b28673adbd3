package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// dieWithGit ends this process, and by that the box, when git is killed that
// started it: nobody would be left to end it. Only git sets GIT_EXEC_PATH. A
// shell that started us may end and leave us, as nohup means it to.
func dieWithGit() {
	parent := os.Getppid()
	if os.Getenv("GIT_EXEC_PATH") == "" || parent <= 1 {
		return
	}
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	if os.Getppid() != parent { // it was killed before we asked
		_ = unix.Kill(os.Getpid(), unix.SIGKILL)
	}
}
