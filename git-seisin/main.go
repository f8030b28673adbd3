// Git-seisin runs coding agents as named roles, each confined by the kernel to
// what seisin.toml grants it. Git finds it on PATH as "git seisin".
//
// This package is the command line and nothing else: it parses flags, calls
// the internal packages, and turns what they say into messages and exit codes.
// Each subcommand has a file of its name.
package main

import (
	"io"
	"os"

	"seisin/internal/rundir"
	"seisin/internal/sandbox/native"
)

func main() {
	native.Dispatch(clearAway) // does not return in a keeper or an init
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// clearAway ends a run on disk whose supervisor is gone. It is called in the
// keeper, which has nobody to tell of an error; the next run tries again.
func clearAway(keep []*os.File) {
	if d, err := rundir.Inherit(keep); err == nil {
		_ = d.Close()
	}
}

// run is main without the process.
func run(args []string, stdin *os.File, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	return a.report(ownError(a.command().Run(args)))
}
