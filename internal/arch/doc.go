// Package arch holds the tests of the module as a whole: which package may
// import which, who owns a dependency, what is linked into the binary, and
// that each package says what it is for.
//
// The rules are tables, in floors_test.go and owners_test.go. A test that
// fails here asks for a decision: either the code goes where the rule wants
// it, or the table is changed, and the commit says why.
package arch
