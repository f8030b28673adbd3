package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// An event is one line of go test -json; see go doc test2json.
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // seconds
	Output  string
}

// A report is what is known of a run of go test.
type report struct {
	w        io.Writer
	packages map[string]*pkg
	times    []timed
	failed   bool
	ok       string   // the last "ok" line, held back: see end
	fail     []string // the "FAIL" lines
}

// A pkg is a package whose tests run.
type pkg struct {
	name    string
	named   bool                        // whether its name stands above what failed
	own     strings.Builder             // what was printed outside of tests
	tests   map[string]*strings.Builder // what tests printed that have not ended
	parents map[string]bool             // tests that have subtests
}

// timed is a test that has ended, and how long it took.
type timed struct {
	pkg, test string
	took      time.Duration
}

func newReport(w io.Writer) *report {
	return &report{w: w, packages: map[string]*pkg{}}
}

// read takes in events until the end. What is none, such as a word of the go
// command's, is passed on.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0:
		case line[0] != '{' || json.Unmarshal(line, &e) != nil:
			fmt.Fprintf(r.w, "%s", line)
		default:
			r.take(e)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	switch e.Action {
	case "build-output": // has an ImportPath, and no Package
		fmt.Fprint(r.w, e.Output)
		return
	case "build-fail":
		r.failed = true
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &pkg{name: e.Package, tests: map[string]*strings.Builder{}, parents: map[string]bool{}}
		r.packages[e.Package] = p
	}
	if e.Test == "" {
		r.takePackage(p, e)
		return
	}
	r.takeTest(p, e)
}

// takePackage takes in an event of a package as a whole.
func (r *report) takePackage(p *pkg, e event) {
	switch e.Action {
	case "output":
		r.takeLine(p, e.Output)
	case "fail":
		r.failed = true
		r.flush(p)
		for _, name := range slices.Sorted(maps.Keys(p.tests)) {
			fmt.Fprintf(r.w, "--- DID NOT END: %s\n%s", name, p.tests[name])
		}
		delete(r.packages, e.Package)
	case "pass", "skip": // skip: a package without tests
		delete(r.packages, e.Package)
	}
}

// takeLine sorts a line that no test printed.
func (r *report) takeLine(p *pkg, line string) {
	switch {
	case strings.HasPrefix(line, "ok  \t"):
		fmt.Fprint(r.w, r.ok)
		r.ok = line
	case strings.HasPrefix(line, "FAIL\t"):
		r.fail = append(r.fail, line)
	case strings.HasPrefix(line, "?   \t"): // no test files
	default:
		p.own.WriteString(line)
	}
}

// takeTest takes in an event of one test.
func (r *report) takeTest(p *pkg, e event) {
	switch e.Action {
	case "run":
		p.tests[e.Test] = &strings.Builder{}
		if i := strings.LastIndexByte(e.Test, '/'); i >= 0 {
			p.parents[e.Test[:i]] = true
		}
	case "output":
		if b := p.tests[e.Test]; b != nil && !strings.HasPrefix(e.Output, "=== ") {
			b.WriteString(e.Output)
		}
	case "pass", "fail", "skip":
		if e.Action != "pass" {
			r.failed = true
			r.flush(p)
			fmt.Fprint(r.w, verdictFirst(p.tests[e.Test]))
		}
		delete(p.tests, e.Test)
		// A test with subtests takes as long as they do, or waits for them.
		if !p.parents[e.Test] {
			r.times = append(r.times, timed{e.Package, e.Test, time.Duration(e.Elapsed * float64(time.Second))})
		}
	}
}

// flush prints what the package itself said so far, which a failure follows.
func (r *report) flush(p *pkg) {
	if !p.named {
		p.named = true
		fmt.Fprintf(r.w, "# %s\n", p.name)
	}
	fmt.Fprint(r.w, p.own.String())
	p.own.Reset()
}

// verdictFirst puts the line that says FAIL above what explains it, as go test
// does without -v.
func verdictFirst(b *strings.Builder) string {
	if b == nil {
		return ""
	}
	var verdict, rest strings.Builder
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(strings.TrimSpace(line), "--- ") {
			verdict.WriteString(line)
		} else {
			rest.WriteString(line)
		}
	}
	return verdict.String() + rest.String()
}

// end prints the n slowest tests and reports whether all is well. The last
// lines are go test's own: what reads only the end of a log finds them there.
func (r *report) end(n int) bool {
	for _, name := range slices.Sorted(maps.Keys(r.packages)) {
		fmt.Fprintf(r.w, "%s: began and did not end\n", name)
		r.failed = true
	}
	slices.SortFunc(r.times, func(a, b timed) int { return cmp.Compare(b.took, a.took) })
	fmt.Fprintln(r.w, "slowest tests:")
	for _, t := range r.times[:min(n, len(r.times))] {
		fmt.Fprintf(r.w, "%8.2fs  %s %s\n", t.took.Seconds(), t.pkg, t.test)
	}
	if len(r.times) == 0 {
		fmt.Fprintln(r.w, "   none: no test ran")
	}
	fmt.Fprint(r.w, r.ok, strings.Join(r.fail, ""))
	return !r.failed && len(r.fail) == 0 && len(r.times) > 0
}
