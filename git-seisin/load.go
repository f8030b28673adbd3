package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"seisin/internal/gitdir"
	"seisin/internal/roles"
	"seisin/internal/sandbox"
	"seisin/internal/settings"
)

// A loaded is where we stand, and the policy that holds here.
type loaded struct {
	cwd     string // real
	place   *gitdir.Place
	policy  *roles.Policy
	machine settings.Machine

	site *settings.Site // made when the first role is resolved
}

// A noPolicyError reports a repository without a seisin.toml.
type noPolicyError struct{ root string }

func (e *noPolicyError) Error() string {
	return fmt.Sprintf("%q has no %s", e.root, roles.FileName)
}

func (e *noPolicyError) Hint() string {
	return "write one: a table [roles.dev] with writes = [\"src/**\"] is enough"
}

// A policyFileError reports a seisin.toml that is not read.
type policyFileError struct{ path, why, fix string }

func (e *policyFileError) Error() string { return fmt.Sprintf("%q %s", e.path, e.why) }
func (e *policyFileError) Hint() string  { return e.fix }

// maxPolicy bounds the policy file. 10,000 patterns are half of it.
const maxPolicy = 1 << 20

// load finds the work tree around the current directory and reads its policy.
func load() (*loaded, error) {
	cwd, err := os.Getwd()
	if errors.Is(err, fs.ErrPermission) {
		return nil, &hintedError{fmt.Errorf("the current directory cannot be entered: %w", err), "see its mode, ls -ld \"$PWD\", or change to another directory"}
	}
	if err != nil {
		return nil, &hintedError{fmt.Errorf("the current directory: %w", err), "change to a directory that is there"}
	}
	l := &loaded{}
	if l.cwd, err = filepath.EvalSymlinks(cwd); err != nil {
		return nil, err
	}
	if l.place, err = gitdir.Find(l.cwd, os.Getenv); err != nil {
		return nil, err
	}
	name := filepath.Join(l.place.Root, roles.FileName)
	text, err := readPolicy(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &noPolicyError{l.place.Root}
	}
	if errors.Is(err, fs.ErrPermission) {
		err = &hintedError{err, "see that you can read it: ls -l " + name}
	}
	if err != nil {
		return nil, err
	}
	if l.policy, err = roles.Parse(name, text); err != nil {
		return nil, err
	}
	l.machine, err = settings.Here()
	if errors.Is(err, fs.ErrPermission) {
		err = &hintedError{fmt.Errorf("HOME is %q: %w", os.Getenv("HOME"), err), "set HOME to a directory of your own"}
	}
	return l, err
}

// A hintedError is an error of the system's, and what to do about it.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }
func (e *hintedError) Hint() string  { return e.hint }

// readPolicy reads the file of that very name: a link could be turned between
// two looks at it, and a FIFO would be waited for.
func readPolicy(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, &policyFileError{name, "is a symlink", "put the file itself there: what a link leads to could be written under its own name"}
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &policyFileError{name, "is not a regular file", "write the policy in a file of that name"}
	}
	text, err := io.ReadAll(io.LimitReader(f, maxPolicy+1))
	if len(text) > maxPolicy {
		return nil, &policyFileError{name, fmt.Sprintf("is over %d bytes", maxPolicy), "name directories in place of files"}
	}
	return text, err
}

// role resolves one role of the policy.
func (l *loaded) role(name string, observe bool) (*settings.Answer, *roles.Role, error) {
	role, err := l.policy.Find(name)
	if err != nil {
		return nil, nil, err
	}
	answer, err := l.resolve(role, observe)
	return answer, role, err
}

func (l *loaded) resolve(role *roles.Role, observe bool) (*settings.Answer, error) {
	if l.site == nil {
		l.site = settings.At(l.policy, l.place, l.machine)
	}
	return l.site.For(role, settings.Options{Cwd: l.cwd, Observe: observe})
}

// all resolves every role. Those that are refused, by us or by the provider as
// run would be, are left out, and why is in refused; where none is left, that
// is an error.
func (l *loaded) all() (answers []*settings.Answer, refused []error, err error) {
	for i := range l.policy.Roles {
		answer, err := l.resolve(&l.policy.Roles[i], false)
		if err == nil {
			err = l.held(&l.policy.Roles[i], answer)
		}
		if err != nil {
			refused = append(refused, err)
			continue
		}
		answers = append(answers, answer)
	}
	if len(answers) == 0 && len(refused) > 0 {
		return nil, nil, refused[0]
	}
	return answers, refused, nil
}

// claims are what the roles that are not among answers, and so are refused, ask
// to write.
func (l *loaded) claims(answers []*settings.Answer) (claims []*settings.Answer) {
	for i := range l.policy.Roles {
		role := &l.policy.Roles[i]
		if !slices.ContainsFunc(answers, func(a *settings.Answer) bool { return a.Spec.Role == role.Name }) {
			claims = append(claims, l.site.Claim(role))
		}
	}
	return claims
}

// why is what a role is refused for.
func (l *loaded) why(name string) error {
	answer, role, err := l.role(name, false)
	if err != nil {
		return err
	}
	return l.held(role, answer)
}

// path is the absolute path of an argument, which is relative to where the
// person stands: git moves an alias to the top and leaves word in GIT_PREFIX
// (UA-14). It is not cleaned: ".." after a link is the kernel's.
//
// A "~/" is the home, as check shows it: in quotes a shell leaves it as it is, and
// the answer would be about a file that is not there.
func (l *loaded) path(arg string) string {
	if rest, ok := strings.CutPrefix(arg, "~/"); ok && l.machine.Home != "" {
		return l.machine.Home + "/" + rest
	}
	if filepath.IsAbs(arg) {
		return arg
	}
	base := l.cwd
	if base == l.place.Root {
		base += "/" + os.Getenv("GIT_PREFIX")
	}
	return base + "/" + arg
}

// show is p as the policy would write it: relative to the root, where it lies
// there.
func (l *loaded) show(p string) string {
	if p == l.place.Root {
		return "."
	}
	if sandbox.Within(p, l.place.Root) {
		return strings.TrimPrefix(p, l.place.Root+"/")
	}
	return p
}
