package gitdir

import "strings"

// An Identity is who the person is to git.
type Identity struct{ Name, Email string }

// Identity asks git whom it would take for the author of a commit in the work
// tree: what the repository's configuration says, the person's and the
// system's. What none of them says is "". Git's error is returned, except that
// nothing is configured.
func (p *Place) Identity(env func(string) string) (Identity, error) {
	out, err := runGit(p.Root, env, "config", "--null", "--get-regexp", `^user\.(name|email)$`)
	if err != nil && err.Error() == "" {
		return Identity{}, nil // status 1 without a word: no such key
	}
	var who Identity
	for entry := range strings.SplitSeq(out, "\x00") { // the last one counts
		switch key, value, _ := strings.Cut(entry, "\n"); key {
		case "user.name":
			who.Name = value
		case "user.email":
			who.Email = value
		}
	}
	return who, err
}
