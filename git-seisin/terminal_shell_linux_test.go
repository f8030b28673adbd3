package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// starts are the two ways to start a run. Git starts git-seisin as a child in
// its own process group, waits for it, and dies of a SIGINT it shares.
var starts = []string{"git-seisin", "git seisin"}

const (
	ctrlC  = "\x03"
	ctrlD  = "\x04"
	ctrlZ  = "\x1a"
	prompt = "outer> "
)

// A step is something that is typed, and what must be shown then.
type step struct{ send, expect string }

// lent, as what is expected, is that the command has the foreground: a key that
// only it may get is not to come before.
const lent = "\x00lent"

// begun, likewise, is that the shell's job has it, or the command.
const begun = "\x00begun"

// play does the steps. RUN stands for the start of a run.
func (s *screen) play(steps []step, start string) {
	s.t.Helper()
	for _, step := range steps {
		s.send(strings.ReplaceAll(step.send, "RUN", start+" run --quiet dev --"))
		switch step.expect {
		case lent:
			s.wait("the command to have the foreground", s.lent)
		case begun:
			s.wait("the job to have the foreground", func() bool { return s.foreground() != s.pid })
		default:
			s.expect(step.expect)
		}
	}
}

// C31, F25: what a person does at an interactive shell. RUN is the start of a
// run; what the command shows is written so that its echo is not taken for it.
func TestShellJobs(t *testing.T) {
	place := newTestPlace(t)
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"Ends", []step{
			{"RUN sh -c 'exit 7'; echo rc=$?\n", "rc=7\r\n"},
			{"read x; echo got:$x\nhello\n", "got:hello"}, // the terminal is the shell's again
		}},
		{"CtrlC", []step{
			{"RUN sh -c 'echo rea\"\"dy; exec sleep 1000'\n", "ready"},
			{ctrlC, prompt},
			{"echo rc=$?\n", "rc=130\r\n"},
		}},
		{"CtrlCIsCaught", []step{
			{"RUN bash -c 'trap \"echo cau\"\"ght; exit 9\" INT; echo rea\"\"dy; while :; do read -t 1 x; done'; echo rc=$?\n", "ready"},
			{ctrlC, "caught\r\nrc=9\r\n"},
		}},
		{"CtrlZAndFg", []step{
			{"RUN sh -c 'echo rea\"\"dy; read x; echo got:$x; exit 3'\n", "ready"},
			{ctrlZ, "Stopped"},
			{"", prompt},
			{"fg\n", "read x"}, // the shell names what it lets go on
			{"hello\n", "got:hello"},
			{"echo rc=$?\n", "rc=3\r\n"},
		}},
		{"CtrlZTwice", []step{
			{"RUN sh -c 'echo rea\"\"dy; read x; echo got:$x'\n", "ready"},
			{ctrlZ, "Stopped"}, {"", prompt}, {"fg\n", lent},
			{ctrlZ, "Stopped"}, {"", prompt}, {"fg\n", lent},
			{"hello\n", "got:hello"},
		}},
		{"CtrlZAndCtrlC", []step{
			{"RUN sh -c 'echo rea\"\"dy; exec sleep 1000'\n", "ready"},
			{ctrlZ, "Stopped"}, {"", prompt}, {"fg\n", lent},
			{ctrlC, prompt},
			{"echo rc=$?\n", "rc=130\r\n"},
		}},
		{"CtrlZAndBg", []step{
			{"mkfifo src/go; RUN sh -c 'echo rea\"\"dy; read x < src/go; echo got:$x; exit 4'\n", "ready"},
			{ctrlZ, "Stopped"}, {"", prompt},
			{"bg\n", prompt},
			{"read x; echo shell:$x\nmine\n", "shell:mine"}, // not the command's
			{"echo word > src/go; wait %1; echo rc=$?; rm src/go\n", "got:word"},
			{"", "rc=4\r\n"},
			{"read x; echo shell:$x\nstill\n", "shell:still"}, // nor taken at its end
		}},
		{"KilledWhileStopped", []step{
			{"RUN sh -c 'echo rea\"\"dy; exec sleep 1000'\n", "ready"},
			{ctrlZ, "Stopped"}, {"", prompt},
			{"kill -9 %1; rc=147; while [ $rc = 147 ]; do wait %1; rc=$?; done; echo rc=$rc\n", "rc=137\r\n"},
		}},
		{"TerminatedWhileStopped", []step{
			{"RUN sh -c 'echo rea\"\"dy; exec sleep 1000'\n", "ready"},
			{ctrlZ, "Stopped"}, {"", prompt},
			{"kill %1; rc=147; while [ $rc = 147 ]; do wait %1; rc=$?; done; echo rc=$rc\n", "rc=143\r\n"},
		}},
		{"LoopEndsByCtrlC", []step{
			{"for i in 1 2 3; do RUN sh -c \"echo turn:$i; exec sleep 1000\"; done\n", "turn:1"},
			{ctrlC, prompt},
			{"echo rc=$?\n", "rc=130\r\n"},
		}},
		{"EOF", []step{
			{"RUN cat; echo rc=$?\n", ""},
			{"word\n", "word\r\nword\r\n"}, // its echo, and cat's
			{ctrlD, "rc=0\r\n"},
		}},
		{"RawIsRestored", []step{
			{"RUN sh -c 'stty raw -echo; kill -9 $$'; echo rc=$?\n", "rc=137\r\n"},
			{"echo mode:$(stty -a | grep -o '[-]*icanon\\|[-]*echo ')\n", "mode:icanon echo\r\n"},
		}},
		{"RawAcrossAStop", []step{
			{"RUN sh -c 'stty -echo -icanon; echo rea\"\"dy; kill -STOP $$; stty -a | grep -o \"[-]icanon\"; echo on'\n", "ready"},
			{"", "Stopped"}, {"", prompt},
			{"echo mode:$(stty -a | grep -o '[-]*icanon')\n", "mode:icanon\r\n"},
			{"fg\n", "-icanon\r\non\r\n"},
		}},
		{"InteractiveShellInside", []step{
			{"RUN bash --norc --noediting -i\n", "bash-"},
			{"PS1='in''ner> '\n", "inner> "},
			{"sleep 1000 &\njobs\n", "Running"},
			{"kill %1; wait %1; echo rc=$?\n", "rc=143\r\n"},
			{"sh -c 'echo rea\"\"dy; read x; echo got:$x'\n", "ready"},
			{ctrlZ, "Stopped"}, {"", "inner> "},
			{"fg\n", "read x"},
			{"hello\n", "got:hello"}, {"", "inner> "},
			{"sh -c 'echo rea\"\"dy; exec sleep 1000'\n", "ready"},
			{ctrlC, "inner> "},
			{"echo rc=$?\n", "rc=130\r\n"},
			{"suspend\n", "Stopped"}, {"", prompt},
			{"fg\n", "inner> "},
			{"exit 5\n", prompt},
			{"echo rc=$?\n", "rc=5\r\n"},
		}},
		{"Pipeline", []step{
			{"RUN sh -c 'echo rea\"\"dy; exit 6' | cat; echo rc=${PIPESTATUS[*]}\n", "ready\r\nrc=6 0\r\n"},
			{"RUN sh -c 'echo rea\"\"dy; exec sleep 1000' | cat\n", "ready"},
			{ctrlC, prompt},
			{"echo rc=${PIPESTATUS[*]}\n", "rc=130 130\r\n"},
		}},
		{"PipelineReadsTheTerminal", []step{
			{"RUN sh -c 'echo rea\"\"dy; read x; echo got:$x' | cat\n", "ready"},
			{"hello\n", "got:hello"},
			{"read x; echo shell:$x\nmine\n", "shell:mine"},
		}},
		{"PipelineStopsAndGoesOn", []step{
			{"RUN sh -c 'echo rea\"\"dy; exec sleep 1000' | cat\n", "ready"},
			{ctrlZ, "Stopped"}, {"", prompt},
			{"fg\n", begun},
			{ctrlC, prompt},
		}},
		{"InputFromAPipe", []step{
			{"yes | RUN head -n 2; echo rc=${PIPESTATUS[*]}\n", "y\r\ny\r\nrc=141 0\r\n"},
			{"echo text | RUN sh -c 'cat; read x < /dev/tty; echo got:$x'\nhello\n", "got:hello"},
		}},
		{"ClosedReader", []step{
			{"RUN yes | head -n 1; echo rc=${PIPESTATUS[*]}\n", "y\r\nrc=141 0\r\n"},
		}},
		{"AGrandchildHoldsThePipe", []step{
			{"RUN sh -c 'sleep 1000 & echo par\"\"ent' | cat; echo rc=${PIPESTATUS[*]}\n", "parent\r\nrc=0 0\r\n"},
			{"RUN sh -c '(trap \"\" TTOU HUP; while :; do stty raw; done) & exit 8'; echo rc=$?\n", "rc=8\r\n"},
			{"echo mode:$(stty -a | grep -o '[-]*icanon')\n", "mode:icanon\r\n"},
		}},
		{"Status", []step{
			{"RUN no-such-program; echo rc=$?\n", "rc=127\r\n"},
			{"RUN ./src/a; echo rc=$?\n", "rc=126\r\n"},
			{"RUN sh -c 'kill -TERM $$'; echo rc=$?\n", "rc=143\r\n"},
			{"read x; echo got:$x\nhello\n", "got:hello"},
		}},
		{"Timeout", []step{
			{"timeout 1 RUN sleep 1000; echo rc=$?\n", "rc=124\r\n"},
			{"timeout 1000 RUN sh -c 'exit 2'; echo rc=$?\n", "rc=2\r\n"},
			{"timeout --foreground 1 RUN sleep 1000; echo rc=$?\n", "rc=124\r\n"},
			{"timeout -s KILL 1 RUN sleep 1000; echo rc=$?\n", "rc=137\r\n"},
		}},
		{"Background", []step{
			{"mkfifo src/go; RUN sh -c 'read x < src/go; echo got:$x; exit 3' &\n", prompt},
			{"read x; echo shell:$x\nmine\n", "shell:mine"},
			{"echo word > src/go; wait %1; echo rc=$?; rm src/go\n", "got:word"},
			{"", "rc=3\r\n"},
			{"read x; echo shell:$x\nstill\n", "shell:still"},
		}},
		{"BackgroundReadsTheTerminal", []step{
			{"RUN sh -c 'read x; echo got:$x' &\n", prompt},
			{"until jobs | grep -q Stopped; do :; done; echo st\"\"ill\n", "still\r\n"},
			{"fg\n", "read x"},
			{"hello\n", "got:hello"},
		}},
		{"LeftAlone", []step{
			{"(RUN sh -c 'trap \"echo hung up; exit\" HUP; read x' &)\n", "hung up"},
		}},
	} {
		for _, start := range starts {
			t.Run(tt.name+"/"+start, func(t *testing.T) {
				s := place.start(t, "bash", "--norc", "--noprofile", "--noediting", "-i")
				s.expect(prompt)
				s.play(tt.steps, start)
				s.send("exit 11\n")
				if status := s.ended(); status.ExitStatus() != 11 {
					t.Errorf("got %#x, want exit 11", status)
				}
			})
		}
	}
}

// C31, C32, F25: a run without a shell around it, and in a script, which has no
// jobs.
func TestTerminal(t *testing.T) {
	place := newTestPlace(t)
	for _, tt := range []struct {
		name  string
		argv  []string // RUN as above
		steps []step
		code  int
		sig   syscall.Signal
	}{
		{name: "Exit", argv: []string{"RUN", "sh", "-c", "exit 9"}, code: 9},
		{name: "CtrlC", argv: []string{"RUN", "sh", "-c", "echo ready; exec sleep 1000"}, steps: []step{{"", "ready"}, {ctrlC, ""}}, sig: syscall.SIGINT},
		{name: "CtrlBackslash", argv: []string{"RUN", "sh", "-c", "echo ready; exec sleep 1000"}, steps: []step{{"", "ready"}, {"\x1c", ""}}, sig: syscall.SIGQUIT},
		{
			// Nobody is there who could let it go on: it does not stop for ever.
			name: "CtrlZWithoutAShell", argv: []string{"RUN", "sh", "-c", "echo ready; read x; echo got:$x"},
			steps: []step{{"", "ready"}, {ctrlZ + "hello\n", "got:hello"}},
		},
		{
			name: "ScriptEndsByCtrlC", argv: []string{"bash", "-c", `for i in 1 2 3; do RUN sh -c "echo turn:$i; exec sleep 1000"; done; echo after`},
			steps: []step{{"", "turn:1"}, {ctrlC, ""}}, sig: syscall.SIGINT,
		},
		{
			name: "ScriptGoesOnAfterCtrlCThatIsCaught", argv: []string{"bash", "-c", `RUN bash -c 'trap "exit 4" INT; echo ready; while :; do sleep .1; done'; echo after:$?`},
			steps: []step{{"", "ready"}, {ctrlC, "after:4"}},
		},
		{
			name: "ScriptHasItsTerminalBack", argv: []string{"sh", "-c", "RUN true; x=$(RUN echo captured); echo $x; read y; echo got:$y"},
			steps: []step{{"", "captured"}, {"hello\n", "got:hello"}},
		},
		{
			name: "Environment", argv: []string{"RUN", "sh", "-c", "echo $TERM; stty size"},
			steps: []step{{"", "xterm-256color\r\n41 93\r\n"}},
		},
		{
			name: "NoTerminal", argv: []string{"setsid", "-w", "RUN", "sh", "-c", "read x; echo got:$x; (: < /dev/tty) 2>/dev/null || echo none"},
			steps: []step{{"hello\n", "got:hello"}, {"", "none"}},
		},
		{
			name: "NothingAtAll", argv: []string{"sh", "-c", "setsid -w RUN sh -c 'cat; exit 3' </dev/null >src/out 2>&1; echo rc:$?; cat src/out"},
			steps: []step{{"", "rc:3\r\n"}},
		},
		{
			name: "OnlyOutputIsATerminal", argv: []string{"sh", "-c", "RUN sh -c 'read x; echo got:$x; stty size <&1' < seisin.toml"},
			steps: []step{{"", "got:[roles.dev]\r\n41 93\r\n"}},
		},
	} {
		for _, start := range starts {
			t.Run(tt.name+"/"+start, func(t *testing.T) {
				run := start + " run --quiet dev --"
				var argv []string
				for _, a := range tt.argv {
					if a == "RUN" {
						argv = append(argv, strings.Fields(run)...)
						continue
					}
					argv = append(argv, strings.ReplaceAll(a, "RUN", run))
				}
				s := place.start(t, argv...)
				s.play(tt.steps, start)
				status := s.ended()
				if status.Signaled() != (tt.sig != 0) || status.Signaled() && status.Signal() != tt.sig || status.Exited() && status.ExitStatus() != tt.code {
					t.Errorf("got %#x, want exit %d or signal %d; shown:\n%s", status, tt.code, tt.sig, s.all())
				}
			})
		}
	}
}

// C32: the command hears of a new size, whether it has the foreground or stands
// in a pipeline.
func TestResize(t *testing.T) {
	place := newTestPlace(t)
	const command = ` run --quiet dev -- bash -c 'trap "stty size; exit 4" WINCH; echo ready; while :; do sleep 0.02; done' 2>&1`
	for _, start := range starts {
		for _, tt := range []struct{ name, after string }{{"Alone", ""}, {"InAPipeline", " | cat"}} {
			t.Run(tt.name+"/"+start, func(t *testing.T) {
				s := place.start(t, "bash", "-c", start+command+tt.after+"; exit ${PIPESTATUS[0]}")
				s.expect("ready")
				if err := pty.Setsize(s.pty, &pty.Winsize{Rows: 40, Cols: 111}); err != nil {
					t.Fatal(err)
				}
				s.expect("40 111")
				if status := s.ended(); status.ExitStatus() != 4 {
					t.Errorf("got %#x, want exit 4", status)
				}
			})
		}
	}
}

// F25: a supervisor that is killed leaves nothing of the box, and the shell has
// its terminal, in which lines can be edited.
func TestSupervisorKilled(t *testing.T) {
	place := newTestPlace(t)
	for _, command := range []string{"exec sleep 1000", "stty raw -echo; echo set; exec sleep 1000"} {
		s := place.start(t, "bash", "--norc", "--noprofile", "--noediting", "-i")
		s.play([]step{{"", prompt}, {"RUN sh -c 'echo rea\"\"dy; " + command + "'\n", "ready"}}, "git-seisin")
		if strings.Contains(command, "raw") {
			s.expect("set")
		}
		supervisor := s.supervisor()
		box := descendants(supervisor)
		if len(box) < 3 {
			t.Fatalf("got processes %v below the supervisor, want keeper, init and command", box)
		}
		if err := unix.Kill(supervisor, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		s.expect(prompt)
		s.wait("the end of the box", func() bool {
			return !slices.ContainsFunc(box, func(pid int) bool { p, ok := readProcess(pid); return ok && p.state != "Z" })
		})
		if !s.cooked() {
			t.Error("the terminal stayed raw")
		}
		s.send("read x; echo got:$x; exit 12\nhello\n")
		s.expect("got:hello")
		if status := s.ended(); status.ExitStatus() != 12 {
			t.Errorf("got %#x, want exit 12", status)
		}
	}
}

// F25: a script, which has no jobs, has its terminal back from a command whose
// supervisor was killed, though nobody but the keeper is there to see to it.
func TestSupervisorKilledInAScript(t *testing.T) {
	place := newTestPlace(t)
	for _, start := range starts {
		t.Run(start, func(t *testing.T) {
			const command = `sh -c 'stty raw -echo; echo set; exec sleep 1000'`
			s := place.start(t, "bash", "-c", start+" run --quiet dev -- "+command+"; until test -e src/go; do sleep 0.02; done; read x; echo got:$x; exit 12")
			s.expect("set")
			s.wait("the command to have the foreground", s.lent)
			if s.cooked() {
				t.Fatal("the terminal is not raw")
			}
			if err := unix.Kill(s.supervisor(), unix.SIGKILL); err != nil {
				t.Fatal(err)
			}
			s.wait("the script to have its terminal, as it was", func() bool { return s.foreground() == s.pid && s.cooked() })
			if err := os.WriteFile(filepath.Join(place.repo, "src/go"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			s.send("hello\n")
			s.expect("got:hello")
			if status := s.ended(); status.ExitStatus() != 12 {
				t.Errorf("got %#x, want exit 12", status)
			}
			if err := os.Remove(filepath.Join(place.repo, "src/go")); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A terminal that another job has is left to it when a run in the background is
// killed.
func TestSupervisorKilledInTheBackground(t *testing.T) {
	place := newTestPlace(t)
	s := place.start(t, "bash", "--norc", "--noprofile", "--noediting", "-i")
	s.play([]step{
		{"", prompt},
		{"RUN sh -c 'echo rea\"\"dy; exec sleep 1000' &\n", "ready"},
		{"sh -c 'stty raw; echo s\"\"et; exec sleep 1000'\n", "set"},
	}, "git-seisin")
	front, supervisor := s.foreground(), s.supervisor()
	box := descendants(supervisor)
	if err := unix.Kill(supervisor, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.wait("the end of the box", func() bool {
		return !slices.ContainsFunc(box, func(pid int) bool { p, ok := readProcess(pid); return ok && p.state != "Z" })
	})
	if got := s.foreground(); got != front || s.cooked() {
		t.Errorf("got foreground %d and cooked %v, want %d and a terminal that stays raw", got, s.cooked(), front)
	}
}
