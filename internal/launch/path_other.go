//go:build unix && !linux

package launch

// isPath is false: only Linux has descriptors that refer to a file and do not
// open it.
func isPath(int) bool { return false }
