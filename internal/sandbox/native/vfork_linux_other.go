//go:build linux && !amd64 && !arm64

package native

import (
	"os"
	"runtime"

	"seisin/internal/sandbox"
)

func forkPair(wire, initWire, hold, held *os.File) (pid int, err error) {
	return 0, &sandbox.UnsupportedError{
		Feature: "amd64 or arm64 processor", Found: "it is " + runtime.GOARCH,
		Fix: "run git seisin on a machine with one of these",
	}
}
