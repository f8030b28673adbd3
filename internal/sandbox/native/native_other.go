//go:build !linux

package native

import (
	"context"
	"encoding/json"
	"runtime"

	"seisin/internal/sandbox"
)

type beginning struct{}

func (*Provider) begin()    {}
func (*Provider) endBegun() {}

func unsupported() error {
	return &sandbox.UnsupportedError{
		Feature: "a Linux kernel",
		Found:   "it runs " + runtime.GOOS,
		Fix:     "run git seisin inside a Linux virtual machine",
	}
}

// Environment refuses: there is no box on this system.
func (*Provider) Environment(json.RawMessage) (json.RawMessage, error) { return nil, unsupported() }

// Check refuses: there is no box on this system.
func (*Provider) Check(context.Context, sandbox.Spec) error { return unsupported() }

// Open refuses: there is no box on this system.
func (*Provider) Open(context.Context, sandbox.Spec, sandbox.Site) (sandbox.Box, error) {
	return nil, unsupported()
}

// Groups refuses: there is no box on this system.
func Groups() ([]int, error) { return nil, unsupported() }
