package native

import (
	"errors"
	"os"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

const landlockFix = `use Linux 6.1 or newer with "landlock" in the lsm= boot parameter (see /sys/kernel/security/lsm)`

// minLandlockABI can say that a file may move between directories (REFER).
// ABI 1 refuses every such rename, also within a territory (F17).
const minLandlockABI = 2

// scopeABI can keep signals of a box inside (Linux 6.12), also those that the
// kernel sends on its behalf to the owner of a descriptor.
const scopeABI = 6

// writeRights are what Landlock takes from everything that is not below a
// writable place. The mounts say the same of files and directories; only
// Landlock says it of FIFOs (F4).
const writeRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
	unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
	unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
	unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
	unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
	unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER

// fileRights are those of writeRights that a rule on a single file can have.
const fileRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE

// landlockABI returns the kernel's Landlock version, or 0 where it has none.
func landlockABI() int {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0 // ENOSYS: not built in. EOPNOTSUPP: off at boot.
	}
	return abi
}

// restrictWriting lets this thread, and what it forks, write below the
// writable places only. They are directories that live as long as the run: a
// rule binds to an inode, and a territory that the host makes anew has
// another (F8).
func restrictWriting(s *initSetup) error {
	rights := uint64(writeRights)
	if s.ABI >= 3 {
		rights |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	ruleset, err := ll.LandlockCreateRuleset(&ll.RulesetAttr{HandledAccessFS: rights, Scoped: scopes(s.ABI)}, 0)
	if err != nil {
		return os.NewSyscallError("landlock_create_ruleset", err)
	}
	defer func() { _ = unix.Close(ruleset) }()
	for _, p := range s.Writable {
		if err := allowBelow(ruleset, p, rights); err != nil {
			return err
		}
	}
	return os.NewSyscallError("landlock_restrict_self", ll.LandlockRestrictSelf(ruleset, 0))
}

// scopes are what a box's processes can do to their own only. The scope of
// abstract sockets is left out: the box has a network namespace of its own.
func scopes(abi int) uint64 {
	if abi < scopeABI {
		return 0
	}
	return unix.LANDLOCK_SCOPE_SIGNAL
}

func allowBelow(ruleset int, p string, rights uint64) error {
	fd, err := openNoLinks(p)
	if errors.Is(err, unix.ENOENT) {
		return nil // nothing to write below
	}
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	_, mode, err := identityOf(fd)
	if err != nil {
		return err
	}
	if mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	return os.NewSyscallError("landlock_add_rule", ll.LandlockAddPathBeneathRule(ruleset, &ll.PathBeneathAttr{
		ParentFd: fd, AllowedAccess: rights,
	}, 0))
}
