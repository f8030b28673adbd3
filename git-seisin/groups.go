package main

import (
	"os/user"
	"strconv"

	"seisin/internal/sandbox/native"
)

// groupNames are the supplementary groups that a command in a box has, as ls -l
// names them. Inside a box they have no numbers, and nothing is said of them.
func groupNames() []string {
	names := []string{}
	groups, err := native.Groups()
	if err != nil || inside() != "" {
		return names
	}
	for _, g := range groups {
		name := strconv.Itoa(g)
		if known, err := user.LookupGroupId(name); err == nil {
			name = known.Name
		}
		names = append(names, name)
	}
	return names
}
