package sandboxtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) {
	Main(m, map[string]func(){"say": say}, stage)
}

// say is a command of the scripts: the test binary under another name.
func say() { fmt.Println("said", strings.Join(os.Args[1:], " ")) }

// stage is dispatched as the product's stages are, by the name in argv[0].
func stage() {
	if os.Args[0] != "sandboxtest-stage" {
		return
	}
	fmt.Println("stage", os.Getuid())
	os.Exit(0)
}

func TestIDs(t *testing.T) {
	uid := os.Getuid()
	if uid != 0 && uid != User() {
		t.Errorf("uid = %d, want 0 or User() = %d", uid, User())
	}
	if os.Getenv(placeVar) == "" {
		return // the first run: its groups are whoever's started it
	}
	for name, got := range map[string]int{
		"uid": uid, "euid": os.Geteuid(), "gid": os.Getgid(), "egid": os.Getegid(),
	} {
		if got != nobody {
			t.Errorf("%s = %d, want %d", name, got, nobody)
		}
	}
	if groups, err := syscall.Getgroups(); err != nil || len(groups) > 0 {
		t.Errorf("supplementary groups = %v, %v, want none", groups, err)
	}
}

// What the second run has of the user's own can be written; what root had,
// and the user cannot read, is gone from it.
func TestOwnDirectories(t *testing.T) {
	for _, name := range []string{"HOME", "TMPDIR", "GOCACHE", "GOMODCACHE"} {
		dir := os.Getenv(name)
		if os.Getenv(placeVar) == "" && name != "HOME" {
			continue // root's, set or not
		}
		file := filepath.Join(dir, ".seisin-test-file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Errorf("%s=%s: %v, want a directory of the user's own", name, dir, err)
		}
		_ = os.Remove(file)
	}
	if os.Getenv(placeVar) == "" {
		return
	}
	for _, kv := range os.Environ() {
		if name, value, _ := strings.Cut(kv, "="); leadsInto(value, []string{"/root"}) {
			t.Errorf("%s = %q leads into /root", name, value)
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.ReadDir(dir); err != nil {
			t.Errorf("PATH has a directory that the user cannot read: %v", err)
		}
	}
}

func TestCommandsAndStages(t *testing.T) {
	out, err := exec.Command("say", "hello").CombinedOutput()
	if got, want := string(out), "said hello\n"; err != nil || got != want {
		t.Errorf("say hello = %q, %v, want %q", got, err, want)
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Args[0] = "sandboxtest-stage"
	out, err = cmd.CombinedOutput()
	if got, want := string(out), fmt.Sprintf("stage %d\n", os.Getuid()); err != nil || got != want {
		t.Errorf("stage = %q, %v, want %q", got, err, want)
	}
}

// The tests below run this executable again with one of these, which fail, or
// not, by the environment.
const failVar = "SEISIN_TEST_FAIL_AS"

func TestHelperFailsAs(t *testing.T) {
	if os.Getenv(failVar) == fmt.Sprint(os.Getuid()) {
		t.Error("failing, as told")
	}
}

func FuzzHelper(f *testing.F) {
	f.Add("x")
	f.Fuzz(func(*testing.T, string) {})
}

func TestExitCode(t *testing.T) {
	if os.Getuid() != 0 {
		testOneRun(t)
		return
	}
	const helper = "-test.run=^TestHelperFailsAs$"
	for _, tt := range []struct {
		name   string
		args   []string
		failAs string
		code   int
		runs   int
	}{
		{"NeitherFails", []string{helper}, "", 0, 2},
		{"SecondRunFails", []string{helper}, "65534", 1, 2},
		{"FirstRunFails", []string{helper}, "0", 1, 2},
		{"FailFastEndsAfterTheFirst", []string{helper, "-test.failfast"}, "0", 1, 1},
		{"FlagInTwoWords", []string{"-test.run", "^TestHelperFailsAs$"}, "65534", 1, 2},
		{"Shuffled", []string{helper, "-test.shuffle=on", "-test.count=2"}, "", 0, 2},
		{"ProfilesAreOfTheFirst", []string{helper, "-test.cpuprofile=" + filepath.Join(t.TempDir(), "p")}, "", 0, 2},
		{"List", []string{"-test.list=Helper"}, "", 0, 1},
		{"Fuzz", []string{"-test.fuzz=^FuzzHelper$", "-test.fuzztime=1x", "-test.run=^$", "-test.fuzzcachedir=" + t.TempDir()}, "", 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out := runAgain(t, tt.args, failVar+"="+tt.failAs)
			if code != tt.code {
				t.Errorf("exit code = %d, want %d", code, tt.code)
			}
			if got := 1 + strings.Count(out, "once more, as uid 65534"); got != tt.runs {
				t.Errorf("got %d runs, want %d", got, tt.runs)
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// testOneRun holds what an ordinary user who calls go test gets: one run.
func testOneRun(t *testing.T) {
	code, out := runAgain(t, []string{"-test.run=^TestHelperFailsAs$"}, placeVar+"=")
	if code != 0 || strings.Contains(out, "once more") {
		t.Errorf("as uid %d: exit code %d, want 0 and one run:\n%s", os.Getuid(), code, out)
	}
}

// runAgain runs this executable with args, and env above its own.
func runAgain(t *testing.T, args []string, env ...string) (code int, out string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), env...)
	b, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(b)
}

// A clone in a closed directory, such as one of mktemp -d, is no reason to
// leave the second run out.
func TestClosedDirectory(t *testing.T) {
	if os.Getuid() != 0 {
		return // an ordinary user has no second run
	}
	dir := filepath.Join(t.TempDir(), "closed")
	pkg := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(pkg, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(pkg)
	code, out := runAgain(t, []string{"-test.run=^TestHelperReadsModule$", "-test.v"}, "SEISIN_TEST_CLOSED=1")
	if code != 0 || strings.Count(out, "read go.mod") != 2 {
		t.Errorf("exit code = %d, want 0 and go.mod read twice:\n%s", code, out)
	}
}

func TestHelperReadsModule(t *testing.T) {
	if os.Getenv("SEISIN_TEST_CLOSED") == "" {
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(filepath.Join(dir, "../../go.mod")); err != nil {
		t.Fatal(err)
	}
	t.Log("read go.mod")
}
