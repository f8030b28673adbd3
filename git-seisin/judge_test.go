package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"seisin/internal/sandbox"
	"seisin/internal/sandbox/sandboxtest"
)

// tries does to each path that it is given what explain is asked about, and
// says whether it could be done. It leaves nothing behind.
const tries = `
while read -r op p; do
	ok=no
	if [ "$op" = read ] && [ -d "$p" ]; then
		ls "$p" >/dev/null 2>&1 && ok=yes
	elif [ "$op" = read ]; then
		(: < "$p") 2>/dev/null && ok=yes
	elif [ -d "$p" ]; then
		(: > "$p/.try") 2>/dev/null && ok=yes && rm "$p/.try"
	elif [ -e "$p" ]; then
		(: >> "$p") 2>/dev/null && ok=yes
	else
		(: > "$p") 2>/dev/null && ok=yes && rm "$p"
	fi
	echo "$ok"
done
`

// What explain says of a path is what becomes of an attempt in a real box: a
// plain yes succeeds, what permissions deny fails, a no fails. Where it leaves
// the answer to the kernel there is nothing to hold it to.
func TestExplainIsWhatHappens(t *testing.T) {
	home := sandboxtest.Home(t)
	t.Setenv("TMPDIR", filepath.Join(home, "t"))
	root := sandboxtest.Repo(t, map[string]string{
		"seisin.toml": "[keys]\ndir = \".secrets\"\n[roles.dev]\nwrites = [\"src/**\", \"NEW.md\", \"made/sub/**\"]\n",
		"README.md":   "", "src/a": "", "src/ro": "", "src/rod/a": "", "src/closed/a": "", "src/lent/a": "", "src/theirs": "", ".secrets/k": "k",
	})
	t.Chdir(root)
	for name, mode := range map[string]os.FileMode{"src/ro": 0o444, "src/rod": 0o555, "src/closed": 0} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, name), 0o755) })
	}
	if os.Getuid() == 0 { // an ordinary user cannot give a file away
		for _, name := range []string{"src/theirs", "src/lent", "src/lent/a"} {
			if err := os.Lchown(name, sandboxtest.User(), sandboxtest.User()); err != nil {
				t.Fatal(err)
			}
		}
	}
	link(t, "../README.md", "src/out")
	link(t, "a", "src/in")
	link(t, "nowhere", "src/loose")
	if err := os.MkdirAll(filepath.Join(home, "t/there"), 0o755); err != nil {
		t.Fatal(err)
	}
	paths := []string{
		"src", "src/a", "src/new", "src/ro", "src/rod", "src/rod/a", "src/rod/new", "src/closed", "src/closed/a", "src/theirs",
		"src/lent", "src/lent/a", "src/lent/new", "src/out", "src/in", "src/loose", "src/a/b", "src/a/", "src/nodir/a", "src/nodir/../a",
		"README.md", "README.md/x", "NEW.md", "NEW.md/x", "made", "made/sub", "made/sub/x", "made/x", "seisin.toml", ".git", ".git/config",
		"src/" + strings.Repeat("x", 255), "src/" + strings.Repeat("x", 256), "/",
		home, filepath.Join(home, ".cache/x"), filepath.Join(home, "t"), filepath.Join(home, "t/there"), filepath.Join(home, "t/x"),
		"/tmp", "/tmp/x", "/var/tmp", "/var/tmp/x", "/run", "/run/lock", "/run/seisin", "/run/seisin/box", "/run/seisin/nosuch", "/var/run/lock",
		"/dev", "/dev/nosuch", "/dev/kmsg", "/dev/mem", "/dev/null", "/dev/zero", "/dev/ptmx", "/dev/pts", "/dev/pts/0", "/dev/pts/ptmx", "/dev/pts/x",
		"/dev/shm", "/dev/shm/x", "/dev/stdin", "/dev/fd", "/dev/tty",
		"/proc", "/proc/nosuch", "/proc/version", "/proc/kallsyms", "/proc/1/comm", "/proc/1/environ", "/proc/sys/kernel/hostname", "/proc/keys",
		"/proc/sysrq-trigger", "/proc/self/../version",
		"/root", "/root/x", "/etc", "/etc/shadow", "/etc/passwd", "/etc/hosts", "/etc/nosuch", "/sys", "/usr/bin/env", "/nosuch/x",
	}
	for _, dir := range []string{"/", "/dev", "/etc", "/run", "/var"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}

	l, err := load()
	if err != nil {
		t.Fatal(err)
	}
	answer, _, err := l.role("dev", false)
	if err != nil {
		t.Fatal(err)
	}
	plan := answer.Spec.Plan()
	type question struct {
		op   sandbox.Op
		path string
		spot
		verdict
	}
	var questions []question
	var input strings.Builder
	for _, p := range paths {
		s, err := seek(l, plan, p, l.path(p))
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []sandbox.Op{sandbox.OpRead, sandbox.OpWrite} {
			questions = append(questions, question{op, p, s, judge(l, plan, op, s)})
			fmt.Fprintln(&input, op, p)
		}
	}
	cmd := exec.Command("git-seisin", "run", "--quiet", "dev", "--", "sh", "-c", tries)
	cmd.Stdin = strings.NewReader(input.String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	came := strings.Fields(string(out))
	if len(came) != len(questions) {
		t.Fatalf("got %d answers to %d questions\n%s", len(came), len(questions), out)
	}
	counts := map[string]int{}
	for i, q := range questions {
		want := "no"
		switch {
		case !q.Allowed && slices.Contains(q.Notes, "it can be opened, and is empty inside"):
			want = "yes"
		case q.host != nil && q.host.Mode()&(os.ModeNamedPipe|os.ModeSocket|os.ModeDevice) != 0:
			continue // not for opening here
		case q.kernel && q.Allowed:
			counts["kernel"]++
			continue
		case q.Allowed && q.Permissions != "":
			counts["permissions"]++
		case q.Allowed:
			made := q.op == sandbox.OpRead && !q.exists || q.orphan != ""
			if !made {
				want = "yes"
			}
		}
		counts[want]++
		if came[i] != want {
			t.Errorf("%s %s: got %s, want %s, since explain says %+v", q.op, q.path, came[i], want, q.verdict)
		}
	}
	// The controls: each kind of answer was given.
	for kind, least := range map[string]int{"yes": 40, "no": 40, "permissions": 5, "kernel": 5} {
		if counts[kind] < least {
			t.Errorf("got %d answers of kind %q, want %d or more", counts[kind], kind, least)
		}
	}
}

// The box's own /dev and /run hold what is in our table, and no more.
func TestOwnNames(t *testing.T) {
	sandboxtest.Home(t)
	t.Chdir(sandboxtest.Repo(t, map[string]string{"seisin.toml": "[roles.dev]\n"}))
	out, err := exec.Command("git-seisin", "run", "--quiet", "dev", "--", "find", "/dev", "/run", "-mindepth", "1").Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(out))
	var want []string
	for p := range owns {
		want = append(want, p)
	}
	for _, m := range (sandbox.Spec{}).Plan().Mounts {
		if sandbox.Within(m.Path, "/dev") && m.Path != "/dev" {
			want = append(want, m.Path)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// As root, in a repository of somebody else's, a box lets root write, and the
// kernel does not: check says both, and a run shows it.
func TestRootInARepositoryOfOthers(t *testing.T) {
	home := sandboxtest.Home(t)
	root := sandboxtest.Repo(t, map[string]string{
		"seisin.toml": "[roles.dev]\nwrites = [\"src/**\", \"open/**\"]\n", "src/a": "", "open/a": "",
	})
	if os.Getuid() != 0 {
		return // who is not root owns what they make
	}
	t.Chdir(root)
	give := exec.Command("sh", "-c", "chown -R "+fmt.Sprint(sandboxtest.User())+" . && chmod 755 . && chmod 777 open")
	if out, err := give.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "config"))
	if err := os.WriteFile(filepath.Join(home, "config"), []byte("[safe]\n\tdirectory = *\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		says []string
	}{
		{[]string{"check"}, []string{
			"note: the work tree belongs to ", "note: open belongs to ",
			`role "dev": src cannot be written: its own permissions do not let you: drwxr-xr-x `,
		}},
		{[]string{"check", "dev"}, []string{"you are root: inside, root has no capabilities, and may do with the files of others only what their mode lets it"}},
		{[]string{"explain", "dev", "write", "src/a"}, []string{"its own permissions do not let you: -rw-r--r-- ", "(inside, root has no rights beyond these)"}},
		{[]string{"run", "--quiet", "dev", "--", "sh", "-c", "echo x >> src/a"}, []string{"Permission denied"}},
		{[]string{"run", "--quiet", "dev", "--", "sh", "-c", "echo x >> open/b && echo done"}, []string{"done"}},
	} {
		out, _ := exec.Command("git-seisin", tt.args...).CombinedOutput() // some of them are refused
		for _, want := range tt.says {
			if !strings.Contains(string(out), want) {
				t.Errorf("%q: got %q, want %q in it", tt.args, out, want)
			}
		}
	}
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Fatal(err)
	}
}
