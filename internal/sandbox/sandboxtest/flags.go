package sandboxtest

import (
	"flag"
	"time"
)

// firstRunOnly are the flags of the test binary that name files of the first
// run, which the second would overwrite, or could not write.
var firstRunOnly = map[string]bool{
	"test.blockprofile": true,
	"test.coverprofile": true,
	"test.cpuprofile":   true,
	"test.gocoverdir":   true,
	"test.memprofile":   true,
	"test.mutexprofile": true,
	"test.outputdir":    true,
	"test.testlogfile":  true, // go test's cache reads it, and has the first run's
	"test.trace":        true,
}

// argsAgain returns the arguments for the second run. They are made from the
// parsed flags, not from os.Args, so that "-test.run X" and "-test.run=X" are
// one case. What the first run has spent comes off the timeout: go test kills
// the binary a minute after it, and then nobody learns where it hung.
func argsAgain(spent time.Duration) []string {
	var args []string
	flag.Visit(func(f *flag.Flag) {
		if firstRunOnly[f.Name] {
			return
		}
		value := f.Value.String()
		if f.Name == "test.timeout" {
			value = timeLeft(value, spent)
		}
		args = append(args, "-"+f.Name+"="+value)
	})
	if flag.NArg() > 0 {
		args = append(append(args, "--"), flag.Args()...)
	}
	return args
}

// timeLeft returns what of a timeout is left; 0 is no timeout, and stays so.
func timeLeft(timeout string, spent time.Duration) string {
	d, err := time.ParseDuration(timeout)
	if err != nil || d == 0 {
		return timeout
	}
	return max(d-spent, time.Second).String()
}
