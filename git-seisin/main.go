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
)

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process.
func run(args []string, stdin *os.File, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	return a.report(ownError(a.command().Run(args)))
}
