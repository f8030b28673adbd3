// Slowest reads what "go test -json" prints and prints it as go test does
// without -json, with the slowest tests and all failures at the end. It exits
// with 1 if a test failed, was skipped or did not end, or if there was none at
// all: nobody reads about a skipped test, and what it holds is then untested
// for good.
//
// Usage:
//
//	go test -json ./... | go run ./bench/slowest [-n 10]
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	n := flag.Int("n", 10, "how many tests to list")
	flag.Parse()
	r := newReport(os.Stdout)
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintf(os.Stderr, "slowest: %v\n", err)
		os.Exit(1)
	}
	if !r.end(*n) {
		os.Exit(1)
	}
}
