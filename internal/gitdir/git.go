package gitdir

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
)

// passed is what git gets to see of the caller's environment: who the person
// is and where the person's own configuration lies. Nothing that places a
// repository, and no "-c", is among it.
var passed = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "SUDO_UID",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
}

// runGit runs git in dir and returns what it prints. The error of a git that
// refuses is the first line of its complaint; without git, it is
// [exec.ErrNotFound].
func runGit(dir string, env func(string) string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"LC_ALL=C"}
	for _, name := range passed {
		if v := env(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		line, _, _ := strings.Cut(complaint.String(), "\n")
		return "", errors.New(line)
	}
	return string(out), err
}
