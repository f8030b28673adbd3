package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"seisin/internal/sandbox/sandboxtest"
)

// A supervisor may be stopped: by Ctrl-Z, or by whoever may signal it. The walls
// stand all the same, and what ends a run ends it.
func TestStoppedSupervisor(t *testing.T) {
	for _, tt := range []struct {
		name, policy, host string
		ends               bool
	}{
		{"WallThatCannotStand", `writes = ["**"]`, "mv seisin.toml ..", true},
		{"Timeout", "writes = [\"src/**\"]\ntimeout = \"1s\"", "true", true},
		{"WallsAreRenewed", "writes = [\"src/**\"]\nnever_writes = [\"src/gen/**\"]", `
			for i in $(seq 300); do mkdir src/new && mv src/gen src/old && mv src/new src/gen && rmdir src/old; done
			mv .secrets s2 && mkdir .secrets && echo new > .secrets/k`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sandboxtest.Home(t)
			root := sandboxtest.Repo(t, map[string]string{
				"seisin.toml": "[keys]\ndir = \".secrets\"\n[roles.dev]\n" + tt.policy + "\n", "src/a": "a\n", ".secrets/k": "k\n",
			})
			if err := os.Mkdir(filepath.Join(root, "src/gen"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(sandboxtest.Binary(t), "run", "--quiet", "dev", "--", "sh", "-c", `
				while :; do
					echo >> src/ticks
					if [ -e src/go ]; then
						if cat .secrets/k > /dev/null 2>&1; then echo > src/read; else rm -f src/read; fi
						if (: > src/gen/x) 2> /dev/null; then echo > src/wrote; else rm -f src/wrote; fi
						echo > src/tried
					fi
					sleep .02
				done`)
			cmd.Dir = root
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			until(t, "the command runs", func() bool { return ticks(root) > 0 })
			if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			until(t, "the supervisor is stopped", func() bool { return stateOf(cmd.Process.Pid) == "T" })
			host := exec.Command("sh", "-ec", tt.host)
			host.Dir = root
			if out, err := host.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if tt.ends {
				until(t, "the box ends", func() bool {
					before := ticks(root)
					time.Sleep(time.Second)
					return ticks(root) == before
				})
				if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
					t.Fatal(err)
				}
				if err := <-ended; err == nil {
					t.Error("the run ended as if nothing had been")
				}
				return
			}
			if err := os.WriteFile(filepath.Join(root, "src/go"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			until(t, "the command tries", func() bool { return there(root, "src/tried") })
			for _, name := range []string{"src/read", "src/wrote"} {
				// Not at once: a wall is put back in milliseconds, on a loaded
				// machine in more of them, and check says so.
				until(t, name+" is gone, as a wall was renewed", func() bool { return !there(root, name) })
			}
		})
	}
}

// until waits for what takes milliseconds, with patience for a loaded machine.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("%s: not in a minute", what)
}

func ticks(root string) int64 {
	info, err := os.Stat(filepath.Join(root, "src/ticks"))
	if err != nil {
		return 0
	}
	return info.Size()
}

func there(root, name string) bool {
	_, err := os.Stat(filepath.Join(root, name))
	return err == nil
}

// stateOf returns the letter by which the kernel shows a process's state.
func stateOf(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return rest[:1]
}
