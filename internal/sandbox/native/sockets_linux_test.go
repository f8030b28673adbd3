package native_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/sandboxtest"
)

// A box connects to the unix sockets that its policy names and to its own. The
// evaluator says so too (LX-8, F6, A-37).
func TestUnixSockets(t *testing.T) {
	home := sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	tmp, err := os.MkdirTemp("/tmp", "seisin")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	listen := func(p string) {
		t.Helper()
		l, err := net.Listen("unix", p)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	// Each name stands once among those of the policy and once not.
	named := []string{filepath.Join(home, "named"), filepath.Join(root, "src/named"), filepath.Join(tmp, "d/named")}
	others := []string{filepath.Join(home, "other"), filepath.Join(root, "src/other"), filepath.Join(tmp, "d/other")}
	if err := os.Mkdir(filepath.Join(tmp, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range append(named, others...) {
		listen(p)
	}
	b := boxAt(t, root, `[roles.dev]
writes = ["src/**"]
sockets = ["~/named", "`+named[1]+`", "`+named[2]+`"]
`)
	plan := b.spec.Plan()
	for _, p := range named {
		b.ok(t, act{Op: "connect", Path: p})
		if !plan.Verdict(sandbox.OpConnect, p).Allowed {
			t.Errorf("%s: the evaluator denies it", p)
		}
	}
	for _, p := range others {
		if o, _ := b.do(act{Op: "connect", Path: p}); o.Errno != int(unix.EACCES) {
			t.Errorf("connect %s: got %v, want EACCES", p, o)
		}
		if plan.Verdict(sandbox.OpConnect, p).Allowed {
			t.Errorf("%s: the evaluator allows it", p)
		}
	}
	// A daemon that restarts makes its socket anew, and is found again.
	if err := os.Remove(named[0]); err != nil {
		t.Fatal(err)
	}
	listen(named[0])
	b.ok(t, act{Op: "connect", Path: named[0]})
	own := filepath.Join(root, "src/own")
	b.ok(t, act{Op: "listen", Path: own})
	b.ok(t, act{Op: "connect", Path: own})
}

// What the filter refuses, in a whole box: the table's own tests have each row.
func TestFilterIsInForce(t *testing.T) {
	sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{"src/a": "a\n"})
	const script1 = `chmod u+s src/a 2>/dev/null || echo no setuid; ulimit -H -c
		unshare -U true 2>/dev/null && echo user namespace; unshare -Um true 2>/dev/null && echo mount namespace; true`
	for _, tt := range []struct{ name, policy, want string }{
		{"Plain", srcPolicy, "no setuid\n0\n"},
		{"UserNamespaces", srcPolicy + "userns = true\n", "no setuid\n0\nuser namespace\n"},
	} {
		if got, _ := script(t, root, tt.policy, script1, nil); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
