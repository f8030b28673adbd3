package settings

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// UA-17, UA-18: what a command sees is built. The table is all there is.
func TestEnvironment(t *testing.T) {
	for _, tt := range []struct {
		name   string
		env    map[string]string // the person's
		policy string
		want   map[string]string // without HOME, which is the test's, and what is the same always
	}{
		{name: "Bare", want: map[string]string{}},
		{
			name: "WhatIsPassed",
			env: map[string]string{
				"USER": "u", "LOGNAME": "l", "SHELL": "/bin/sh", "TERM": "xterm", "TERM_PROGRAM": "p", "COLORTERM": "truecolor",
				"LANG": "C.UTF-8", "LC_ALL": "C", "LC_CTYPE": "C", "TZ": "UTC",
				"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/e",
				"SSL_CERT_FILE": "/f", "SSL_CERT_DIR": "/g", "NODE_EXTRA_CA_CERTS": "/h",
			},
			want: map[string]string{
				"USER": "u", "LOGNAME": "l", "SHELL": "/bin/sh", "TERM": "xterm", "TERM_PROGRAM": "p", "COLORTERM": "truecolor",
				"LANG": "C.UTF-8", "LC_ALL": "C", "LC_CTYPE": "C", "TZ": "UTC",
				"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_CACHE_HOME": "/e",
				"SSL_CERT_FILE": "/f", "SSL_CERT_DIR": "/g", "NODE_EXTRA_CA_CERTS": "/h",
			},
		},
		{name: "EmptyIsSet", env: map[string]string{"LANG": ""}, want: map[string]string{"LANG": ""}},
		{
			// No secret, no address of a socket, nothing of the caller's git or
			// loader crosses unless a role names it.
			name: "WhatIsNot",
			env: map[string]string{
				"GITHUB_TOKEN": "s", "AWS_SECRET_ACCESS_KEY": "s", "ANTHROPIC_API_KEY": "s", "NPM_TOKEN": "s", "SESSION_COOKIE": "s",
				"SSH_AUTH_SOCK": "/s", "DBUS_SESSION_BUS_ADDRESS": "s", "DOCKER_HOST": "s", "XDG_RUNTIME_DIR": "/run/user/1", "DISPLAY": ":0",
				"GIT_DIR": "/x", "GIT_WORK_TREE": "/x", "GIT_INDEX_FILE": "/x", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath",
				"GIT_CONFIG_VALUE_0": "/x", "GIT_CONFIG_PARAMETERS": "'a=b'", "GIT_PREFIX": "src/", "GIT_SSH_COMMAND": "x", "GIT_EXEC_PATH": "/x", "GIT_OPTIONAL_LOCKS": "1",
				"LD_PRELOAD": "/x", "LD_LIBRARY_PATH": "/x", "PYTHONPATH": "/x", "NODE_OPTIONS": "x", "BASH_ENV": "/x", "ENV": "/x",
				"SEISIN_ROLE": "other", "SEISIN_NOTIFY_URL": "s", "LC_MESSAGES": "C", "PWD": "/elsewhere", "OLDPWD": "/x", "MAIL": "/x",
				"COLUMNS": "80", "LINES": "24", // the terminal's size changes, and they would not
			},
			want: map[string]string{},
		},
		{
			name: "WhatTheRoleNames", policy: `env = ["NODE_ENV", "GITHUB_TOKEN", "ODD"]`,
			env:  map[string]string{"NODE_ENV": "test", "GITHUB_TOKEN": "s", "ODD": "a=b\nc", "NPM_TOKEN": "s"},
			want: map[string]string{"NODE_ENV": "test", "GITHUB_TOKEN": "s", "ODD": "a=b\nc"},
		},
		{name: "NamedAndEmpty", policy: `env = ["E"]`, env: map[string]string{"E": ""}, want: map[string]string{"E": ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			for _, kv := range os.Environ() {
				if name, _, _ := strings.Cut(kv, "="); !slices.Contains([]string{"HOME", "XDG_STATE_HOME", "PATH"}, name) {
					unset(t, name)
				}
			}
			a := g.inEnvironment(t, tt.env, asPolicy(tt.policy))
			want := []string{
				"HOME=" + g.home, "XDG_STATE_HOME=" + g.home + "/.local/state", "PATH=" + os.Getenv("PATH"),
				"PWD=" + g.root, "TMPDIR=/tmp", "GIT_OPTIONAL_LOCKS=0", "SEISIN_ROLE=dev",
			}
			for name, value := range tt.want {
				want = append(want, name+"="+value)
			}
			slices.Sort(want)
			wantLines(t, "environment", a.Spec.Env, want)
		})
	}
}

// inEnvironment resolves a policy where only For sees the variables: GIT_DIR
// and such are not what the place is found by here.
func (g *ground) inEnvironment(t *testing.T, env map[string]string, policy string) *Answer {
	t.Helper()
	p, role, place, m := g.parts(t, policy)
	m.Lookup = func(name string) (string, bool) {
		if value, ok := env[name]; ok {
			return value, true
		}
		return os.LookupEnv(name)
	}
	m.Getenv = func(name string) string { value, _ := m.Lookup(name); return value }
	a, err := For(p, role, place, m, Options{Cwd: g.root})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A variable that the role needs and that is not there is refused: the command
// would fail later, and less clearly. What the tool builds is not put back to
// the person's value, which may lead nowhere inside, and no GIT_* of the caller
// reaches a box (design, section 4).
func TestEnvironmentRefused(t *testing.T) {
	table := []refusal{{
		"Missing", nil, "env = [\n'HOME',\n'SEISIN_TEST_MISSING']", 4, "env: SEISIN_TEST_MISSING is not set",
		"export SEISIN_TEST_MISSING, or take it out of env",
	}}
	for _, name := range []string{"PATH", "PWD", "TMPDIR", "GIT_OPTIONAL_LOCKS", "SEISIN_ROLE", "GIT_DIR", "GIT_CONFIG_COUNT"} {
		table = append(table, refusal{
			name: name, policy: "env = ['HOME', '" + name + "']", line: 2,
			msg: "env: " + name + " is the box's own, not the person's", hint: "take it out of env",
		})
	}
	refuseAll(t, table)
}

// Inside, programs are found as the person's shell finds them: not by git's
// own detour, and not by where one stands.
func TestSearchPath(t *testing.T) {
	for _, tt := range []struct{ list, gitExec, want string }{
		{"/usr/bin:/bin", "", "/usr/bin:/bin"},
		{"/usr/lib/git-core:/usr/bin:/bin", "/usr/lib/git-core", "/usr/bin:/bin"},
		{"/usr/lib/git-core/:/usr/bin", "/usr/lib/git-core", "/usr/bin"},
		{"/usr/bin:/usr/lib/git-core:/bin:/usr/lib/git-core", "/usr/lib/git-core/", "/usr/bin:/bin"},
		{"/usr/lib/git-core2:/usr/bin", "/usr/lib/git-core", "/usr/lib/git-core2:/usr/bin"},
		{"/usr/lib/git-core:/usr/bin", "", "/usr/lib/git-core:/usr/bin"},
		{".:/usr/bin:bin:./x:../y:~/bin", "", "/usr/bin"},
		{":/usr/bin::/bin:", "", "/usr/bin:/bin"}, // an empty entry is the current directory
		{"/a b:/usr/bin", "", "/a b:/usr/bin"},
		{"", "", ""},
		{"bin", "/usr/lib/git-core", ""},
	} {
		if got := searchPath(tt.list, tt.gitExec); got != tt.want {
			t.Errorf("searchPath(%q, %q) = %q, want %q", tt.list, tt.gitExec, got, tt.want)
		}
	}
}
