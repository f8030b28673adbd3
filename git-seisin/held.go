package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
	"seisin/internal/sandbox/native"
	"seisin/internal/settings"
)

// This file asks the provider whether a box would open, so that no question is
// answered as if one could that cannot.

// markerFile tells a process that it is inside a box. It lies on a read-only
// mount that nothing inside can hide or remove.
const markerFile = "/run/seisin/box"

// inside returns the role of the run that this process is part of, or "".
func inside() string {
	role, err := os.ReadFile(markerFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(role))
}

// An insideError reports that this process runs in a box already.
type insideError struct{ role string }

func (e *insideError) Error() string {
	return fmt.Sprintf("this is already a run, of role %q: runs do not nest", e.role)
}

func (e *insideError) Hint() string { return "run roles side by side, each from outside" }

// An unheldError is a role that no box can hold.
type unheldError struct {
	error
	role *roles.Role
	path string // of the policy
}

func (e *unheldError) Unwrap() error { return e.error }
func (e *unheldError) Error() string {
	return fmt.Sprintf("%s:%d: role %q: %v", e.path, e.role.Line, e.role.Name, e.error)
}

// held asks whether a box would hold the role. What this machine lacks is no
// fault of the role's. Inside a box there is nobody to ask: no box opens there.
func (l *loaded) held(role *roles.Role, answer *settings.Answer) error {
	if inside() != "" {
		return nil
	}
	err := native.New().Check(context.Background(), answer.Spec)
	if _, isMachine := errors.AsType[*sandbox.UnsupportedError](err); err == nil || isMachine {
		return nil
	}
	return &unheldError{err, role, l.policy.Path}
}

// machineHolds asks for a box that grants nothing, so that what this machine
// lacks is told also where no role can be asked about.
func (l *loaded) machineHolds() error {
	if inside() != "" {
		return nil // it was looked at when the run began, and is another one here
	}
	spec := sandbox.Spec{Root: l.place.Root, Cwd: l.cwd}
	spec.Normalize()
	err := native.New().Check(context.Background(), spec)
	if _, isPath := errors.AsType[*sandbox.EncodingError](err); isPath {
		return nil // of this place, and told of its roles
	}
	return err
}

// tellMachine says that no box can be opened here. The answer stands: it is of
// the policy.
func (a *app) tellMachine(l *loaded) []problem {
	err := l.machineHolds()
	if err == nil {
		return nil
	}
	fmt.Fprintf(a.stderr, "git-seisin: nothing can be run here: %s\n", printable(err.Error()))
	return problemsOf(err)
}
