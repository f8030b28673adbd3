package settings

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"seisin/internal/gitdir"
	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// outer tells of a policy that lies inside the work tree of another. A role of
// the other can have made the repository, with a policy to its liking, and
// whoever runs from there obeys that one.
func (r *resolver) outer() error {
	if r.above == nil {
		r.above = new(r.findOuter())
	}
	r.answer.Notes = append(r.answer.Notes, *r.above...)
	return nil
}

func (s *Site) findOuter() []Note {
	// What the caller's environment says of git is about this repository.
	env := func(name string) string {
		if strings.HasPrefix(name, "GIT_") {
			return ""
		}
		return s.machine.Getenv(name)
	}
	for dir := s.place.Root; dir != "/"; {
		place, err := gitdir.Find(filepath.Dir(dir), env)
		if err != nil {
			return nil // there is none, or it is no one's to go by
		}
		name := filepath.Join(place.Root, roles.FileName)
		text, ok := readPolicy(name)
		if !ok {
			dir = place.Root
			continue
		}
		mine := filepath.Join(s.place.Root, roles.FileName)
		what := "this policy, " + mine + ", lies inside the work tree of another, " + name
		if p, err := roles.Parse(name, text); err == nil {
			if role := At(p, place, s.machine).writer(mine); role != "" {
				what += ", a role of which may write it: " + role
			}
		}
		return []Note{{What: what, Hint: "if it is not yours, run from " + place.Root}}
	}
	return nil
}

// writer is the first role that may write p, or "". Whether it could be run
// today, with the environment of today, makes no difference.
func (s *Site) writer(p string) string {
	for i := range s.policy.Roles {
		r := s.resolver(&s.policy.Roles[i], Options{Cwd: s.place.Root})
		if r.files() == nil && r.answer.Spec.Verdict(sandbox.OpWrite, p).Allowed {
			return r.role.Name
		}
	}
	return ""
}

// maxPolicy bounds what is read of another's policy.
const maxPolicy = 1 << 20

// readPolicy reads the file of that very name. Whatever cannot be read so is
// no policy that a run there would obey.
func readPolicy(name string) (text []byte, ok bool) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	text, err = io.ReadAll(io.LimitReader(f, maxPolicy+1))
	return text, err == nil && len(text) <= maxPolicy
}
