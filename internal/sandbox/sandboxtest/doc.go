// Package sandboxtest runs tests on the real kernel, as root and as an
// ordinary user, and gives them homes, repositories and the real binary.
//
// [Main] is for a package's TestMain. The product is for ordinary users, and
// what holds for root may fail for them and the other way round: so one
// "go test" as root runs every test twice, the second time as [User]. Run by
// an ordinary user it runs once. Nothing here skips: a test that cannot run
// on a machine fails there, since a green run would otherwise say nothing.
//
// Only tests import this package.
package sandboxtest
