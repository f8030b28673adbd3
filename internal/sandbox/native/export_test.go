package native

// Without returns a provider that leaves a mount out of every box: the one
// at a path for which omit says so. A test of a wall must fail without it.
func Without(omit func(path string) bool) *Provider { return &Provider{omit: omit} }
