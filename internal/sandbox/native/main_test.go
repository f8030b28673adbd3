//go:build linux

package native_test

import (
	"os"
	"testing"

	"seisin/internal/rundir"
	"seisin/internal/sandbox/native"
	"seisin/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Main(m, nil, func() { native.Dispatch(clearAway) }, actor)
}

func clearAway(keep []*os.File) {
	if d, err := rundir.Inherit(keep); err == nil {
		_ = d.Close()
	}
}
