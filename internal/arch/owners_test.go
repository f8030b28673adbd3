package arch

import (
	"strings"
	"testing"
)

const (
	everybody = "*"        // any package of ours
	tests     = "_test.go" // tests, and the helpers that only tests import
)

// owners gives each package of others, with all below it, the one package of
// ours that may import it, so that replacing it is one package's work.
var owners = []struct{ path, owner string }{
	{"github.com/BurntSushi/toml", "internal/roles"},
	{"github.com/creack/pty", tests},
	{"github.com/fsnotify/fsnotify", "internal/watch"},
	{"github.com/go-git/go-git/v5", "internal/gitdir"},
	{"github.com/landlock-lsm/go-landlock", "internal/sandbox/native"},
	{"github.com/rogpeppe/go-internal", tests},
	{"github.com/urfave/cli/v2", "git-seisin"},
	{"golang.org/x/net/bpf", "internal/sandbox/native"},
	{"golang.org/x/net/dns/dnsmessage", "internal/egress"},
	{"golang.org/x/net/idna", "internal/roles"},
	{"golang.org/x/net/publicsuffix", "internal/roles"},
	{"golang.org/x/sys", everybody},
	{"kernel.org/pub/linux/libs/security/libcap/psx", "internal/sandbox/native"},
	{"pgregory.net/rapid", tests},
}

// ownerOf returns the owner of an import path.
func ownerOf(imp string) (owner string, ok bool) {
	for _, o := range owners {
		if imp == o.path || strings.HasPrefix(imp, o.path+"/") {
			return o.owner, true
		}
	}
	return "", false
}

// isOthers reports whether an import path is neither ours nor of the standard
// library: it begins with a domain.
func isOthers(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return strings.Contains(first, ".")
}

func TestOwners(t *testing.T) {
	for _, s := range sources(t) {
		for _, imp := range s.imports() {
			if !isOthers(imp) {
				continue
			}
			switch owner, ok := ownerOf(imp); {
			case !ok:
				t.Errorf("%s: %s has no owner: add it to owners, with a reason in docs/adr", s.name, imp)
			case owner == everybody || owner == s.dir:
			case owner == tests:
				if !s.test && aside[s.dir] == "" {
					t.Errorf("%s: %s is for tests", s.name, imp)
				}
			default:
				t.Errorf("%s: %s belongs to %s", s.name, imp, owner)
			}
		}
	}
}

// A name in the table that is no package of ours would let nobody in, and
// nobody would notice until somebody needed it.
func TestOwnersAreThere(t *testing.T) {
	floor, coming := floorOf(t, floors), floorOf(t, planned)
	for _, o := range owners {
		_, placed := floor[o.owner]
		_, expected := coming[o.owner]
		if !placed && !expected && o.owner != everybody && o.owner != tests {
			t.Errorf("%s belongs to %q, which is no package", o.path, o.owner)
		}
	}
}
