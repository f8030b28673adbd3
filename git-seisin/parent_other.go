//go:build !linux

package main

// dieWithGit does nothing: there is no box here that could outlive git.
func dieWithGit() {}
