// Startexit measures commands from start to exit, side by side: one of each,
// then one of each again, so that whatever slows the machine for a moment
// slows all of them. It asserts nothing.
//
// Usage:
//
//	startexit [-rounds 100] [-base NAME] [-dir DIR] [-json] NAME=COMMAND...
//
// A COMMAND is split at spaces. A command that does not exit with 0 ends it.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// warmup is how many rounds are not counted: page cache, CPU frequency.
const warmup = 10

func main() {
	rounds := flag.Int("rounds", 100, "how often each command is measured")
	base := flag.String("base", "", "name of the command that ratios are to; the first by default")
	dir := flag.String("dir", "", "directory to run in")
	asJSON := flag.Bool("json", false, "print JSON")
	flag.Parse()
	if err := run(*rounds, *base, *dir, *asJSON, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "startexit: error: %v\n", err)
		os.Exit(1)
	}
}

func run(rounds int, base, dir string, asJSON bool, args []string) error {
	if rounds < 1 {
		return fmt.Errorf("%d rounds: want at least one", rounds)
	}
	commands, err := parse(args, dir)
	if err != nil {
		return err
	}
	if base == "" {
		base = commands[0].name
	}
	times, err := measure(commands, rounds)
	if err != nil {
		return err
	}
	t, err := summarize(commands, times, base)
	if err != nil {
		return err
	}
	t.System, t.CPUs = system(), runtime.NumCPU()
	if asJSON {
		return t.writeJSON(os.Stdout)
	}
	return t.write(os.Stdout)
}

// system returns the kernel's name and version.
func system() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return runtime.GOOS
	}
	text := func(b []byte) string { return unix.ByteSliceToString(b) }
	return strings.Join([]string{text(u.Sysname[:]), text(u.Release[:]), text(u.Machine[:])}, " ")
}
