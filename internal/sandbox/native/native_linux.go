package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
)

const namespacesFix = "see which of /proc/sys/user/max_*_namespaces is too low, and ask the administrator to raise it (sysctl)"

const appArmorFix = `on Ubuntu 24.04 and later, AppArmor takes the rights of a new user namespace away: give git-seisin a profile that has "userns,"`

// Environment accepts an empty table: the native box has no settings of its
// own.
func (*Provider) Environment(raw json.RawMessage) (json.RawMessage, error) {
	if t := strings.TrimSpace(string(raw)); t != "" && t != "null" && t != "{}" {
		return nil, errors.New("the native box has no settings of its own")
	}
	return json.RawMessage("null"), nil
}

// Check reports what this machine, or this spec, lacks for a box.
func (p *Provider) Check(_ context.Context, spec sandbox.Spec) error {
	return check(spec, spec.Plan())
}

func check(spec sandbox.Spec, plan sandbox.Plan) error {
	if err := spec.Validate(); err != nil {
		return err
	}
	if abi := landlockABI(); abi < minLandlockABI {
		found := "the kernel has none, or it is off"
		if abi > 0 {
			found = fmt.Sprintf("its version is %d, and %d is the first that lets files move between directories", abi, minLandlockABI)
		}
		return &sandbox.UnsupportedError{Feature: "Landlock", Found: found, Fix: landlockFix}
	}
	if err := checkSeccomp(); err != nil {
		return err
	}
	if err := checkUserNamespaces(); err != nil {
		return err
	}
	return checkSpec(spec, plan)
}

// checkUserNamespaces reads the one setting that says no before anybody asks.
func checkUserNamespaces() error {
	const limit = "/proc/sys/user/max_user_namespaces"
	b, err := os.ReadFile(limit)
	if err == nil && strings.TrimSpace(string(b)) == "0" {
		return &sandbox.UnsupportedError{
			Feature: "user namespaces", Found: limit + " is 0",
			Fix: "ask the administrator to set user.max_user_namespaces (sysctl)",
		}
	}
	return nil
}

// checkSpec reports the parts of a spec that mounts cannot hold.
func checkSpec(spec sandbox.Spec, plan sandbox.Plan) error {
	e := &sandbox.UnheldError{Provider: "native"}
	for _, m := range plan.Mounts {
		if m.Own || m.Kind == sandbox.Link && m.Gone != sandbox.End || sandbox.Builtin(m.Path) {
			continue
		}
		info, err := os.Lstat(m.Path)
		switch {
		case m.Gone == sandbox.End && err != nil:
			e.Items = append(e.Items, sandbox.Unheld{
				Field: "Closed", Item: m.Path,
				Why: "it does not exist, so nothing keeps the role from creating it (" + m.Rule + ")",
				Fix: "create " + m.Path + ", or close the directory that it stands in as a whole",
			})
		case err == nil && m.Kind != sandbox.Link && info.Mode()&os.ModeSymlink != 0:
			e.Items = append(e.Items, sandbox.Unheld{
				Field: "Closed", Item: m.Path,
				Why: "it is a symlink in a place the role may write, and a link cannot be kept (" + m.Rule + ")",
				Fix: "put in its place what it leads to, or grant the role less than the directory it stands in",
			})
		}
	}
	for _, feature := range spec.Require {
		if need, known := requirable[feature]; !known || landlockABI() < need {
			e.Items = append(e.Items, sandbox.Unheld{
				Field: "Require", Item: feature,
				Why: fmt.Sprintf("this kernel's Landlock has version %d", landlockABI()),
				Fix: "use a newer kernel, or take the feature out of [runtime] require",
			})
		}
	}
	if len(e.Items) > 0 {
		return e
	}
	return nil
}

// requirable are the features that [runtime] require can name, with the
// Landlock version that brought each.
var requirable = map[string]int{"landlock-truncate": 3, "landlock-ioctl": 5, "landlock-scope": scopeABI}

// Open builds the box: keeper, mounts, init.
func (p *Provider) Open(ctx context.Context, spec sandbox.Spec, at sandbox.Site) (sandbox.Box, error) {
	if !at.Deadline.IsZero() && !at.Deadline.After(time.Now()) {
		return nil, errors.New("the deadline has passed")
	}
	plan := spec.Plan()
	if err := check(spec, plan); err != nil {
		return nil, err
	}
	s, err := p.prepare(spec, plan, at)
	if err != nil {
		return nil, err
	}
	st, err := p.stage()
	if err != nil {
		return nil, err
	}
	b := newBox(spec, plan, at, st)
	stop := context.AfterFunc(ctx, b.kill)
	err = b.build(s)
	if !stop() {
		err = errors.Join(ctx.Err(), err)
	}
	if err != nil {
		b.abandon()
		return nil, err
	}
	b.attend()
	return b, nil
}

// prepare makes, in the run directory, what the box has for its own, and the
// names in it on which the host's files are laid.
func (p *Provider) prepare(spec sandbox.Spec, plan sandbox.Plan, at sandbox.Site) (setup, error) {
	s := setup{
		Role: spec.Role, Own: map[string]string{}, Watch: []string{spec.Root}, Deadline: at.Deadline,
		Terminal: at.Terminal, Group: unix.Getpgrp(), Keep: len(at.Keep),
	}
	for _, g := range spec.Sockets {
		s.Sockets = append(s.Sockets, g.Path)
	}
	for _, v := range spec.Env {
		if home, ok := strings.CutPrefix(v, "HOME="); ok && path.IsAbs(home) {
			s.Watch = append(s.Watch, path.Clean(home))
		}
	}
	for _, m := range plan.Mounts {
		if p.omit != nil && p.omit(m.Path) {
			continue
		}
		s.Mounts = append(s.Mounts, m)
	}
	var own []string // the paths of own mounts so far, outermost first
	skeleton := ""   // the outermost around m
	for _, m := range s.Mounts {
		if sandbox.Builtin(m.Path) || m.Opens != "" {
			continue
		}
		inSkeleton := skeleton != "" && sandbox.Within(m.Path, skeleton)
		if m.Mode == sandbox.Skeleton && !inSkeleton {
			skeleton = m.Path
		}
		behind := ""
		for _, root := range slices.Backward(own) {
			if sandbox.Within(m.Path, root) {
				behind = filepath.Join(s.Own[root], strings.TrimPrefix(m.Path, root))
				inSkeleton = inSkeleton && sandbox.Within(skeleton, root)
				break
			}
		}
		if inSkeleton {
			behind = "" // which has the names of what is in it
		}
		if behind != "" {
			if err := standIn(behind, m.Kind); err != nil {
				return setup{}, err
			}
		}
		switch {
		case m.Own && m.Pin:
			s.Own[m.Path] = behind
		case m.Own:
			dir := filepath.Join(at.Dir, fmt.Sprintf("own%d", len(own)))
			if err := makeTemporary(dir); err != nil {
				return setup{}, err
			}
			own, s.Own[m.Path] = append(own, m.Path), dir
		}
	}
	return s, nil
}

// makeTemporary makes what the box will have as its /tmp.
func makeTemporary(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(dir, 0o777|os.ModeSticky)
}

// writable are the directories below which Landlock allows writing.
func writable(spec sandbox.Spec, watch []string) []string {
	list := append([]string{"/dev", "/proc"}, watch...)
	for _, g := range spec.Private {
		list = append(list, g.Path)
	}
	for _, g := range spec.Write {
		if !slices.ContainsFunc(list, func(dir string) bool { return sandbox.Within(g.Path, dir) }) {
			list = append(list, path.Dir(g.Path)) // its own inode may be replaced
		}
	}
	return list
}

// startError says in our words why the namespaces could not be made.
func startError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EUSERS):
		return &sandbox.UnsupportedError{
			Feature: "namespaces left", Found: "a limit on user, mount, network, ipc or uts namespaces is reached",
			Fix: namespacesFix,
		}
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return &sandbox.UnsupportedError{
			Feature: "user namespaces for this user", Found: "the kernel refuses one",
			Fix: appArmorFix + "\non Debian, see the setting kernel.unprivileged_userns_clone (sysctl); in a container, see its seccomp profile",
		}
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return &sandbox.UnsupportedError{
			Feature: "namespaces", Found: "the kernel was built without one of user, mount, network, ipc, uts",
			Fix: "use Linux 6.1 or newer with these namespaces",
		}
	}
	return err
}
