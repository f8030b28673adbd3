package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"seisin/internal/gitdir"
	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// A Site is a policy on its tree and machine. It looks once at what is the
// same for all roles, and takes the tree to stay as it is meanwhile.
type Site struct {
	policy  *roles.Policy
	place   *gitdir.Place
	machine Machine

	reach *reach  // see resolver.plantedBy; nil until it is asked for
	above *[]Note // see resolver.outer; nil likewise
	trees *trees  // see resolver.elsewhere; nil likewise

	executes *executes // see resolver.candidates; nil likewise
}

// trees are the other work trees of a repository.
type trees struct {
	main   string // "" if there is none
	linked []string
}

// At is the policy p here and now.
func At(p *roles.Policy, place *gitdir.Place, m Machine) *Site {
	return &Site{policy: p, place: place, machine: m}
}

// A reach is where the roles of a policy may make and replace names, each
// place with the rule that says so. Two maps and no list: a link is looked up
// by the directories above it, however many roles there are.
type reach struct {
	territory map[string]string
	scratch   map[string]string // never the repository, though that may lie in it (C24)
}

// rule says by what rule some role may replace the name of p, or "". The name
// of a grant itself is not to be replaced.
func (a *reach) rule(p, root string) string {
	for dir := filepath.Dir(p); ; dir = filepath.Dir(dir) {
		if rule := a.territory[dir]; rule != "" {
			return rule
		}
		if rule := a.scratch[dir]; rule != "" && !sandbox.Within(p, root) {
			return rule
		}
		if dir == "/" {
			return ""
		}
	}
}

// reachOf finds what the roles of the policy may write: every grant as it is
// written, and where it leads. A grant that goes through a link at such a
// place is none, and where that leads says nothing; as it was written it may
// have been granted before the link was there.
func (s *Site) reachOf() *reach {
	written := &reach{map[string]string{}, map[string]string{}}
	claims := s.claims()
	for _, c := range claims {
		c.into(written, c.path)
	}
	led := &reach{map[string]string{}, map[string]string{}}
	for _, c := range claims {
		w, err := follow(c.path)
		planted := func(link string) bool { return written.rule(link, s.place.Root) != "" }
		if err == nil && len(w.links) > 0 && !slices.ContainsFunc(w.links, planted) && !s.tooWide(c, w.real) {
			c.into(led, w.real)
		}
	}
	for p, rule := range led.territory {
		claim{rule: rule}.into(written, p)
	}
	for p, rule := range led.scratch {
		claim{rule: rule, scratch: true}.into(written, p)
	}
	return written
}

// A claim is one place that the policy lets some role write, as it is written.
type claim struct {
	path, rule string
	relative   bool // to the repository
	scratch    bool
}

func (c claim) into(a *reach, p string) {
	list := a.territory
	if c.scratch {
		list = a.scratch
	}
	if list[p] == "" {
		list[p] = c.rule
	}
}

func (s *Site) claims() (list []claim) {
	for i := range s.policy.Roles {
		r := &resolver{Site: s, role: &s.policy.Roles[i]}
		for _, p := range r.role.Writes {
			c := claim{path: p.Path, rule: r.rule(r.roleKey("writes"), p.Text), relative: !p.Abs}
			if c.relative {
				c.path = filepath.Join(s.place.Root, p.Path)
			}
			if !s.tooWide(c, c.path) {
				list = append(list, c)
			}
		}
	}
	r := &resolver{Site: s}
	add := func(place, rule string) {
		p, ok := s.expand(place)
		if c := (claim{path: p, rule: rule, scratch: true}); ok && !s.tooWide(c, p) {
			list = append(list, c)
		}
	}
	for _, t := range r.scratchList() {
		add(t.Value, r.scratchRule(t))
	}
	for _, place := range DefaultScratch {
		// Of another repository's policy, where this one has a list of its own.
		add(place, fmt.Sprintf("scratch %s: roles of other policies may write it", place))
	}
	return list
}

// tooWide reports whether a claim to p is refused whoever makes it, and so is
// no reach: what holds the repository or the home, and what leaves the
// repository that it is relative to.
func (s *Site) tooWide(c claim, p string) bool {
	home := s.machine.Home != "" && sandbox.Within(s.machine.Home, p)
	switch {
	case c.relative:
		return !sandbox.Within(p, s.place.Root)
	case c.scratch:
		return p == "/" || home || sandbox.Within(p, s.place.Root)
	}
	return home || overlaps(p, s.place.Root)
}

// expand is a place of scratch as an absolute path. Ok is false for the run's
// own directories, and where there is no home.
func (s *Site) expand(place string) (p string, ok bool) {
	switch {
	case place == "$TMPDIR" || place == "/tmp" || place == "/var/tmp":
		return "", false
	case strings.HasPrefix(place, "~/"):
		return filepath.Join(s.machine.Home, place[2:]), s.machine.Home != ""
	}
	return place, true
}
