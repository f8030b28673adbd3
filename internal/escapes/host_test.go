package escapes

const (
	noFamilies  = "not in this version: a role may write such files where its territory has them; what it must not write, never_writes names"
	noProviders = "cannot apply: no key provider is run; nothing that a policy names is executed on the host"
	sharedState = "not in this version: ~/.claude and ~/.codex are scratch of every role; `[runtime] writes` replaces the list"

	absentScratch = "not in this version: what is not there can be made; `check` lists it"
)

// host are the rows ATT.
var host = []row{
	{"ATT-1, ATT-1b", "plant a program that the tool itself runs on the host: a key provider in a directory of PATH", "", nil, noProviders},
	{
		"ATT-2", "swap what a policy names for a symlink to another role's key",
		"symlinks at names that a role may replace are refused, and no key directory can be read",
		[]string{"settings.TestPlantedLinks", "settings.TestKeyDirectories", "native.TestProtectedForEveryRole"}, "",
	},
	{
		"ATT-3", "write the hooks of a repository, or move its .git away and make it anew",
		"git's directory of this repository is closed and pinned; of a nested one, what never_writes names",
		[]string{"native.TestProtectedForEveryRole", "native.TestAncestorsArePinned", "git-seisin.TestScript/closed"},
		"not in this version: a repository nested in the territory is not closed by itself",
	},
	{"ATT-4, ATT-5d", "write the settings of agents in the project, or give it some", "", nil, noFamilies},
	{
		"ATT-5, ATT-5c, SD-12", "append to the person's own settings of agents, hooks, plugins and instructions, through scratch that all roles share, or put others in their place",
		"what is there is closed, one by one and with the links to it, pinned, and put back when the host replaces it; who takes hold of it in between ends the run",
		[]string{
			"native.TestExecutedFromScratch/Settings", "native.TestExecutedFromScratch/Hooks", "native.TestExecutedFromScratch/Codex", "native.TestExecutedFromScratch/LinkedSettings",
			"native.TestExecutedPlaces", "native.TestExecutedIsRenewed", "native.TestExecutedAndGrabbed", "settings.TestExecuted", "settings.TestExecutedGaps",
		}, absentScratch + ". Sessions, memories and histories, which agents read again, are open",
	},
	{"ATT-6, ATT-7", "a key provider that leaks what it says, or never answers", "", nil, noProviders},
	{
		"ATT-8", "another spelling of a protected name", "what holds lies on the file, not on the spelling: policy and git's directory are mounts",
		[]string{"native.TestProtectedForEveryRole", "roles.TestC11"},
		"residual: not tried in directories that fold case",
	},
	{"ATT-9, ATT-9b", "write, move or make the settings of editors, which run tasks and tools", "", nil, noFamilies},
	{"ATT-10", "rewrite or make the instructions that agents read", "", nil, noFamilies},
	{"ATT-11", "leave word for another role in a place that all may write", "", nil, sharedState},
	{
		"ATT-12", "write git's files of submodules and of other work trees: config, hooks, commondir, config.worktree",
		"all of the common directory is closed", []string{"settings.TestOwnOfALinkedWorktree", "native.TestProtectedForEveryRole", "settings.TestGitDirectoryOfAWorktreeIsSound"}, "",
	},
	{
		"ATT-13", "plant a link where the tool writes a temporary file, or hold its lock",
		"what it makes it makes by descriptor, in directories of its own that no role sees", []string{"rundir.TestNothingIsMadeBehindALink", "rundir.TestAHeldLockIsLife", "settings.TestOwn"},
		"not in this version: the tool does not write the policy",
	},
	{
		"ATT-14", "approve its own request over the loopback", "the loopback is the box's own",
		[]string{"native.TestConnectInTheBoxsNetwork", "native.TestBoxesAreApart"}, "not in this version: requests and their answers",
	},
	{
		"ATT-15", "make the host run a control file: .envrc, .mcp.json, core.hooksPath, core.fsmonitor",
		"git's configuration is closed, wherever its parts lie", []string{"native.TestProtectedForEveryRole", "git-seisin.TestScript/closed", "settings.TestLinkOutOfTheGitDirectory"}, noFamilies,
	},
	{
		"ATT-16, SD-11", "replace a program that the host runs: this tool, one in a directory of PATH that the role writes, or one in scratch that a link in PATH leads to; turn that link, or move a directory above it",
		"this tool is written by no role, wherever it lies, and the box has it by descriptor; in scratch the directories of PATH, those that its links lead to, and the links on the way are closed and pinned",
		[]string{
			"settings.TestProgramIsClosed", "settings.TestProgramIsNotGranted", "native.TestExecutedFromScratch/OnPath", "native.TestExecutedFromScratch/InstallTree",
			"native.TestExecutedFromScratch/LinkFromPath", "native.TestExecutedFromScratch/LinkOnTheWay", "native.TestExecutedFromScratch/Cache", "native.TestExecutedPlaces", "native.TestExecutedIsRenewed",
			"settings.TestExecuted", "settings.TestExecutedIsNoScratch",
		},
		absentScratch + ". A program in the territory, the caches of compilers and package managers, and what is started from scratch by other ways than a link in PATH or the table (an alias, a wrapper, a link in a closed directory) are open",
	},
}

// others are the rows S.
var others = []row{
	{
		"S-1", "run a program from memory, which has no name to be judged by",
		"the walls are the process's", []string{"native.TestProgramFromMemory"}, "",
	},
	{
		"S-2", "hold up the host by a lease on a file that the box can read",
		"the filter refuses leases, delegations and directory notes", []string{"native.TestFilterInKernel/Lease", "native.TestFilterInKernel/Notify"},
		"residual: locks (flock, fcntl) stay, since git and builds need them; who locks a file that a box can read may have to wait",
	},
	{
		"S-3", "come back out through standard input, output or error: a directory, a file of another mode, a socket, a device",
		"what is neither pipe nor terminal is copied through a pipe, and a directory refused",
		[]string{"launch.TestStdio", "launch.TestStdinIsADirectory", "native.TestStandardInputIsNoWayOut"}, "",
	},
	{
		"S-4", "a repository made in the territory, with a policy of its own, for who runs from there",
		"it is told, and whose it may be", []string{"settings.TestPolicyInsideAnother", "git-seisin.TestScript/nested"}, "residual: it is obeyed, as any policy is",
	},
	{
		"S-5", "a policy that does not say what it seems to: unknown keys, odd patterns, names that differ by case",
		"it is refused, with its line", []string{"roles.TestC11", "roles.TestUA11", "git-seisin.TestScript/c13"}, "",
	},
	{
		"S-6", "write to the person's terminal through names and messages that the tool prints",
		"they are escaped in one place", []string{"git-seisin.TestPrintable"},
		"residual: what the command itself prints is the command's",
	},
	{
		"S-7", "hide a process's descriptors, or the directories it closes, from the keeper",
		"PR_SET_DUMPABLE is refused, and what cannot be looked at stays as it is", []string{"native.TestClosedDirectoriesDoNotBlind", "native.TestFilterNeedsEveryRow", "native.TestStrangersEndTheRun"}, "",
	},
	{
		"S-8", "connect to the session's or a service's socket by an address that is no name: abstract, netlink, the host's loopback",
		"a network namespace of the box's own", []string{"native.TestConnectInTheBoxsNetwork", "native.TestBoxesAreApart", "native.TestInside/Interfaces"}, "",
	},
	{
		"S-9", "use a group of the person's: docker, adm, disk", "", nil,
		"residual: an ordinary user cannot drop groups in a user namespace; files that a group may read can be read. Sockets that it may write are refused all the same (LX-8)",
	},
	{
		"S-10", "a fault of the kernel that any process can use", "calls that few programs need are refused", []string{"native.TestFilterAgreesWithTable", "native.TestFilterNeedsEveryRow"},
		"residual: a kernel that has one is no boundary",
	},
}
