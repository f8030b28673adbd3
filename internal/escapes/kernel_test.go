package escapes

// kernel are the rows F: how the parts of a box were got around when they were
// tried one by one.
var kernel = []row{
	{
		"F1", "kill, tgkill, sigqueue, a pidfd, F_SETOWN or a terminal's asynchronous input at the supervisor, the keeper, a pipeline mate or the calling shell; kill(0), kill(-1) and kill(1)",
		"a pid namespace, a process group of the command's own, and a filter that keeps terminals synchronous, or Landlock that keeps the signals inside; init and keeper ignore what comes from inside",
		[]string{"native.TestNobodyOutsideCanBeSignalled", "native.TestGroupSignalStaysInside", "native.TestTerminalStaysQuiet", "native.TestSignalsToInit", "native.TestInside/Init"}, "",
	},
	{
		"F2", "wait until the host replaces a file or directory of credentials that is masked, and read the new one",
		"with `isolate` a directory that holds credentials is a skeleton, in which nothing appears that the host makes later; key directories in the tree are directory mounts, which are put back; who holds what came in between ends the run",
		[]string{"native.TestCredentialsAreNotThere", "git-seisin.TestScript/isolation", "native.TestCredentialsInScratchAreMasked", "native.TestMountsAreRenewed", "native.TestProtectedNamesThatVanish", "native.TestStrangersEndTheRun", "settings.TestClosedPlaces", "settings.TestIsolationIsRefused"},
		"residual: a key directory in the work tree, or a closed place in scratch, that the host replaces can be read for milliseconds; keep keys outside. Without `isolate` credentials of the home are readable, and every run says so",
	},
	{
		"F3", "sendto, sendmsg and sendmmsg to a datagram socket of the host, of a socket or of a socketpair, of type DGRAM or RAW",
		"the filter makes no such socket", []string{"native.TestDatagramsStayInside", "native.TestFilterInKernel/UnixDatagramPair"}, "",
	},
	{
		"F4", "write to a FIFO or a device node on a read-only mount",
		"Landlock for FIFOs, nodev and a /dev of the box's own for devices",
		[]string{"native.TestFIFOs", "native.TestDeviceNodes", "native.TestSubmounts", "native.TestMachineIsClosed", "native.TestFIFOInTheRepositoryIsOpen", "native.TestFIFOBesideASocket"},
		"residual: a FIFO that stands in the repository or the home, outside the grants, or in a directory that is shown in the box's /tmp for a socket, can be written to: Landlock's rules lie on directories that live as long as the run",
	},
	{
		"F5", "a policy that came with a clone grants itself what it likes",
		"", nil, "not in this version: there is no approval. Nothing of a policy is executed on the host, and no box has a network",
	},
	{
		"F6", "connect to a unix socket of the host: by a link, by another thread that swaps address or name after the decision, by bytes sent before a late refusal",
		"the keeper reads the address once, decides on the inode it holds, and connects to that; what it refuses it never connects",
		[]string{"native.TestConnectByName", "native.TestConnectRace", "native.TestConnectionMakesNoSocketOwn", "native.TestOwnSockets", "native.TestOwnSocketWhereNumbersAreAmbiguous", "native.TestNamedSocketIsLookedUpEachTime"}, "",
	},
	{
		"F7", "write an approval, or the tool's own settings, through a default grant",
		"they lie in no default grant, and are closed to every role wherever they lie",
		[]string{"settings.TestDefaultScratch", "settings.TestOwn", "settings.TestRepositoryThatHoldsTheConfiguration"}, "",
	},
	{
		"F8", "spin on a protected name while the host replaces it, and open it before the mount is back",
		"every mount of the work tree is put back, a lease finds a writer, and who took hold of the new file ends the run",
		[]string{"native.TestMountsAreRenewed", "native.TestPolicyIsGuardedUnderAGrantOfEverything", "native.TestLeaseFindsAWriter", "native.TestStrangersEndTheRun", "native.TestVerdictAndKernelAgree"},
		"residual: guarded, not sealed: one that writes and lets go within the milliseconds has written; `check` names every such place. A role whose parent directory is read-only has no such moment",
	},
	{
		"F9", "use the capabilities over the box: by the keeper, by another process of the box, by what the keeper does for a caller",
		"only the keeper has them; it is outside the pid namespace, not dumpable, and answers as the caller",
		[]string{"native.TestNobodyOutsideCanBeSignalled", "native.TestInside/Capabilities", "native.TestConnectAsTheCaller", "native.TestWithoutCapabilities"}, "",
	},
	{
		"F10", "land a commit that reverts, links or hides what its author may not write",
		"", nil, "not in this version: nothing lands; git's directory is read-only",
	},
	{
		"F11", "write git's own directory, for git on the host to act on",
		"it is closed to every role, also where parts of it do not exist",
		[]string{"native.TestProtectedForEveryRole", "git-seisin.TestScript/closed", "settings.TestLinkOutOfTheGitDirectory"}, "",
	},
	{
		"F12", "confuse or block who answers connect: signals, restarts, another descriptor table, a listener that is closed",
		"WAIT_KILLABLE_RECV is required, answers are idempotent, descriptors are the thread's",
		[]string{"notify.TestSignals", "notify.TestFdOfTheThread", "notify.TestTakenAfterTheAnswerIsNothing", "notify.TestClose", "native.TestConnectIsIdempotent", "native.TestConnectAfterTheListener"}, "",
	},
	{
		"F13", "as root: core_pattern, sysrq, kernel settings, cgroups; leave a setuid file or a file capability behind; have a core dump start a program",
		"parts of /proc are read-only or masked for everybody, the filter refuses the mode bits, RLIMIT_CORE is 1",
		[]string{"native.TestMachineIsClosed", "native.TestMachineIsMasked", "native.TestFilterInKernel/ChmodSetuid", "native.TestFilesByOtherWays", "native.TestFilterIsInForce"},
		"residual: as root a command may raise the out-of-memory score of its own init, and so end its own box",
	},
	{
		"F14", "forge or stop the run through pid 1: its descriptors, memory, environment, root",
		"init is not dumpable before anything else is in the box, and pidfd_getfd and ptrace are refused",
		[]string{"native.TestProcLeadsNowhere", "native.TestInside/InitIsHidden", "native.TestFilterInKernel/PidfdGetfd"}, "",
	},
	{"F15", "read where nobody records it", "", nil, "cannot apply: a record is no wall; in this version nothing is recorded"},
	{"F16", "have refusals logged that were none", "", nil, "cannot apply: a record is no wall; in this version nothing is recorded"},
	{
		"F17", "a kernel that lacks a wall", "what is lacking is a refusal, by its name, or is said",
		[]string{"settings.TestUnheldIsRefused", "native.TestConnectWithoutUnixDiag", "native.TestFilterNotifies"},
		"residual: tried on the kernels of the checks only",
	},
	{
		"F18", "ioctl(TIOCSTI) with upper bits set; calls of i386 and x32",
		"32-bit arguments are compared by their low word, foreign calls kill",
		[]string{"native.TestFilterInKernel/TIOCSTIWithUpperBits", "native.TestFilterIgnoresUpperBits", "native.TestFilterKillsForeignCalls", "native.TestFilterAgreesWithTableAnywhere"}, "",
	},
	{
		"F19", "swap a granted name for a link, or another file, between the policy's reading and the mount",
		"names are opened without following links, and device and inode compared",
		[]string{"native.TestSwappedGrantIsRefused", "native.TestFlippedGrantNeverLeadsOut", "settings.TestNoRoleMovesAGrant", "git-seisin.TestScript/planted"},
		"residual: a file made anew may have the number of the old; it is a new file then, and never one that was protected",
	},
	{
		"F20", "connect 10,000 times to a listener that never accepts",
		"64 at a time, each given up when its caller is gone",
		[]string{"native.TestConnectLeavesNothing", "notify.TestAtMost64Wait", "notify.TestKilledCallersLeaveNothing"}, "",
	},
	{
		"F21", "replace a single granted file, and so detach it from its mount",
		"the directory around it is read-only", []string{"native.TestFileGrant", "git-seisin.TestScript/c16"}, "",
	},
	{
		"F22", "meet another run in /tmp, /var/tmp or $TMPDIR, or leave something there for the host",
		"they are the run's own directory; the home of a role, where it has one, is nobody else's",
		[]string{"native.TestBoxesAreApart", "native.TestInside/HostsTemporaryIsNotThere", "native.TestTemporaryDirectories", "native.TestHomesAreApart", "settings.TestTmpdir"}, "",
	},
	{
		"F23", "another user, or a role, takes the name of a run's or a role's directory first, or puts a link there",
		"directories are made by descriptor, and owner and mode looked at",
		[]string{"rundir.TestNewRefuses", "rundir.TestNothingIsMadeBehindALink", "rundir.TestTransient", "native.TestHomeIsTakenByDescriptor"}, "",
	},
	{
		"F24", "make namespaces, to undo mounts or to hide the box's marker",
		"a limit of the user namespace and the filter; with userns the filter keeps from mount namespaces",
		[]string{"native.TestNestedNamespaces", "native.TestInside/UserNamespaces", "native.TestInside/MountNamespaces", "native.TestInside/RunIsReadOnly", "native.TestFilterIsInForce"}, "",
	},
	{
		"F25", "keep the person's terminal, stop or end their shell, leave the terminal unusable",
		"the supervisor hands the terminal over, takes it back and restores it",
		[]string{"git-seisin.TestShellJobs", "git-seisin.TestTerminal", "git-seisin.TestSupervisorKilled", "native.TestTerminalStaysQuiet"},
		"residual: a script, which has no jobs, whose supervisor is killed by SIGKILL finds the terminal owned by a group that is dead",
	},
	{
		"F26", "outlive the supervisor",
		"keeper and init read a pipe that ends with it", []string{"git-seisin.TestScript/run_killed", "git-seisin.TestSupervisorKilled", "native.TestBegunIsEnded"}, "",
	},
	{"F27", "widen what was approved by text that looks narrower", "", nil, "not in this version: there is no approval"},
	{"F28", "carry an approval to another work tree", "", nil, "not in this version: there is no approval"},
	{
		"F29", "make a control file that did not exist, under a writable root, for the host to act on",
		"", nil, "not in this version: in the territory nothing is closed but what never_writes names, and `check` and the README say so",
	},
	{"F30", "connect to unix sockets before there is a keeper to judge it", "", nil, "cannot apply: no box opens without one"},
	{
		"F31", "a name that resolves on the host to something else than in the box",
		"names are looked up in the box's view, and no magic link is followed",
		[]string{"native.TestConnectInTheBoxsView", "native.TestViewWithAnotherRoot", "native.TestConnectThroughProc"}, "",
	},
}
