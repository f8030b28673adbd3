package gitdir

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// checkOwner holds git's rule of safe.directory: whoever may write a
// repository's configuration may run commands as the person who enters it, so
// the top, its .git and the git directory must be the caller's own.
//
// It is stricter than git in one case. git looks at a symlinked .git itself
// and not at the directory behind it; here both count.
func checkOwner(p *Place, euid int, env func(string) string) error {
	excepted := "" // what git was asked about already, and trusts
	for _, path := range []string{p.Root, p.DotGit, p.Gitdir} {
		if path == "" { // no work tree
			continue
		}
		uid, err := ownerOf(path)
		if err != nil {
			return err
		}
		want := allowedOwner(uid, euid, env("SUDO_UID"))
		if uid == want {
			continue
		}
		trust := p.Root
		if trust == "" || p.DotGitKind == "link" && path == p.Gitdir {
			trust = p.Gitdir
		}
		if trust == excepted {
			continue
		}
		if !trusted(trust, env) {
			return &OwnerError{Path: path, UID: uid, Want: want, trust: trust}
		}
		excepted = trust
	}
	return nil
}

// allowedOwner returns the uid that what belongs to uid would have to belong
// to. Root may also enter what belongs to the person behind its sudo.
func allowedOwner(uid, euid int, sudoUID string) int {
	if euid != 0 || uid == 0 {
		return euid
	}
	if sudo, err := strconv.ParseUint(sudoUID, 10, 32); err == nil {
		return int(sudo)
	}
	return euid
}

// ownerOf does not follow a symlink: whoever owns the link chose its target.
func ownerOf(path string) (int, error) {
	fi, err := os.Lstat(path)
	if err != nil {
		return 0, err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("%q: the owner is unknown", path)
	}
	return int(st.Uid), nil
}

// trusted reports whether git enters dir all the same, which it does where the
// person listed it in safe.directory. Only git reads that list as git does. It
// decides before it reads anything of the repository, and this question runs
// nothing; any failure is a no.
func trusted(dir string, env func(string) string) bool {
	_, err := runGit(dir, env, "rev-parse", "--git-dir")
	return err == nil
}
