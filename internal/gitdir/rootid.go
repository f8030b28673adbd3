package gitdir

import (
	"crypto/sha256"
	"encoding/base64"
)

// rootIDLen keeps sn-<id> at eleven bytes: it is part of a socket's path,
// which holds 107 bytes in all on Linux.
const rootIDLen = 8

// RootID returns the name of a work tree's root in the paths of role homes:
// the first 8 characters of base64url(sha256(root)).
//
// It hashes the whole path. A slice of the path would be its tail, and two
// checkouts that end alike would share a home, and with it a login.
func RootID(root string) string {
	sum := sha256.Sum256([]byte(root))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:rootIDLen]
}
