package main

import (
	"fmt"
	"strings"

	"seisin/internal/sandbox"
	"seisin/internal/settings"
)

// openScratch lists what stays open of scratch: what the host executes and the
// box does not close.
func (x *checker) openScratch(answer *settings.Answer) (list []string) {
	scratch := part(answer.Spec.Write, sandbox.Scratch)
	for _, root := range scratch {
		var names []string
		for _, gap := range answer.Gaps {
			if gap.Left == "" && sandbox.Within(gap.Path, root.Path) {
				names = append(names, strings.TrimPrefix(strings.TrimPrefix(gap.Path, root.Path), "/"))
			}
		}
		if len(names) > 0 {
			list = append(list, fmt.Sprintf("these are not in %s, and a role that makes one has it executed outside: %s",
				x.name(place{Path: root.Path, Kind: sandbox.Dir}), strings.Join(names, " ")))
		}
	}
	for _, gap := range answer.Gaps {
		if gap.Left != "" {
			list = append(list, fmt.Sprintf("%s runs outside (%s) and is not closed: %s", x.name(place{Path: gap.Path, Kind: gap.Kind}), gap.Why, gap.Left))
		}
	}
	if len(scratch) > 0 {
		list = append(list,
			"what is executed from scratch by other ways: an alias, a wrapper, a setting or a link in a closed directory that names a file there, a second name of a closed file",
			"what agents keep of their sessions, memories and histories in scratch can be written, and your own agents go on from it outside",
			"the caches of compilers and package managers that lie in scratch can be written, and what they give out runs outside")
	}
	return list
}
