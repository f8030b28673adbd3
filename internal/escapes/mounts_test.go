package escapes

// mounts are the rows LX.
var mounts = []row{
	{
		"LX-1", "rename a directory above a protected path, and make the path anew",
		"every directory between a writable root and a protected path is a mount", []string{"native.TestAncestorsArePinned", "native.TestAMissingMountIsCaught", "git-seisin.TestScript/closed"}, "",
	},
	{
		"LX-2", "remove or rename across such a mount",
		"EBUSY and EXDEV", []string{"native.TestAncestorsArePinned", "native.TestVerdictAndKernelAgree", "sandbox.TestRenameAndLink"}, "",
	},
	{
		"LX-3", "write after the host has replaced a protected file or directory, whose mount fell off",
		"mounts are put back, grants too", []string{"native.TestMountsAreRenewed", "native.TestPolicyIsGuardedUnderAGrantOfEverything", "native.TestVerdictAndKernelAgree"},
		"residual: the moment of F8",
	},
	{
		"LX-4", "make a protected path that is absent, or have the host keep what was made to hang a mount on",
		"absent paths are protected by what stands above, or stood in for by a directory, which goes; nothing else is made",
		[]string{"native.TestProtectedForEveryRole", "native.TestAbsentProtectedFileIsRefused", "git-seisin.TestScript/c17"}, "",
	},
	{
		"LX-5", "a grant of an absent path that silently grants nothing",
		"it is made and told", []string{"native.TestAbsentGrants", "git-seisin.TestScript/c15"}, "",
	},
	{
		"LX-6", "the host replaces a file inside a protected directory, or below a read-only parent",
		"directory mounts and read-only parents hold whatever the host does below",
		[]string{"native.TestVerdictAndKernelAgree", "native.TestMountsAreRenewed"}, "",
	},
	{
		"LX-7", "write into the empty place that hides a directory, and take it for done",
		"what is empty is read-only", []string{"native.TestProtectedForEveryRole", "native.TestAMissingMountIsCaught", "native.TestBoxesAreApart"}, "",
	},
	{
		"LX-8", "connect to a unix socket that has a path: docker, ssh-agent, the session bus",
		"connect is answered by the keeper: the box's own, and what sockets names", []string{"native.TestUnixSockets", "native.TestConnectByName", "sandbox.TestVerdict"}, "",
	},
	{
		"LX-9", "a socket path that is too long, or not ended",
		"the kernel's own errors", []string{"native.TestConnectBadAddress", "native.TestSocketName"}, "",
	},
	{
		"LX-10", "a key, or a key directory, that is a symlink",
		"decided on what it leads to, or refused by name", []string{"settings.TestKeyDirectories", "settings.TestKeyDirectoriesRefused", "settings.TestKeysRefused", "native.TestSwappedKeyIsRefused", "git-seisin.TestScript/c18"}, "",
	},
	{
		"LX-11", "setsid, to outlive the run", "a pid namespace that ends with init", []string{"native.TestNothingIsLeft", "native.TestInside/Processes", "git-seisin.TestScript/run_killed"}, "",
	},
}
