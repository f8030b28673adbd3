// Package escapes holds the threat model: a table of numbered attacks on a box,
// each with what holds it and the tests that show it, or the reason why it
// cannot apply here or stays open. docs/threat-model.md is printed from it.
//
// It has tests only. They fail unless every number stands in the table, every
// test that the table names is in the tree, and the document is the table's:
//
//	go test ./internal/escapes -update
//
// It tries nothing itself: the attacks are tried where the walls are built, in
// internal/sandbox/native above all.
package escapes
