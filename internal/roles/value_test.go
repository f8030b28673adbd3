package roles

import (
	"errors"
	"testing"
)

func TestRefuseValues(t *testing.T) {
	const (
		levels  = `write false, "credentials" or "home"`
		trace   = `write "writes", "reads" or false`
		timeout = `write a number and a unit, such as "90s", "30m" or "2h"; without the key there is no limit`
	)
	refuse(t, []refusal{
		{"IsolateNone", "[runtime]\nisolate = 'none'\n", `seisin.toml:2: runtime: isolate: "none" is not a level of isolation`, "write isolate = false"},
		{"IsolateTrue", "[runtime]\nisolate = 'true'\n", `seisin.toml:2: runtime: isolate: "true" is not a level of isolation`, `write isolate = "home"`},
		{"IsolateCase", "[runtime]\nisolate = 'Home'\n", `seisin.toml:2: runtime: isolate: "Home" is not a level of isolation`, `did you mean "home"?`},
		{"IsolateFar", "[runtime]\nisolate = 'container'\n", `seisin.toml:2: runtime: isolate: "container" is not a level of isolation`, levels},
		{"IsolateNumber", "[runtime]\nisolate = 1\n", "seisin.toml:2: runtime: isolate: an integer where a level of isolation belongs", levels},
		{"WritesWithHome", "[runtime]\nisolate = 'home'\nwrites = []\n", `seisin.toml:3: runtime: writes and isolate = "home" exclude each other`,
			"remove writes: each role has a home of its own, and writes there"},
		{"HomeWithWrites", "[runtime]\nwrites = ['/x']\nisolate = true\n", `seisin.toml:3: runtime: writes and isolate = "home" exclude each other`,
			"remove writes: each role has a home of its own, and writes there"},
		{"Provider", "[runtime]\nprovider = 'docker'\n", `seisin.toml:2: runtime: provider: "docker" is not known here`, `it may be "native", "srt" or "container"`},
		{"Require", "[runtime]\nrequire = ['landlock-scopes']\n", `seisin.toml:2: runtime: require: "landlock-scopes" is not known here`, `did you mean "landlock-scope"?`},
		{"RequireAll", "[runtime]\nrequire = ['landlock']\n", `seisin.toml:2: runtime: require: "landlock" is not known here`,
			`it may be "landlock-truncate", "landlock-ioctl" or "landlock-scope"`},
		{"TraceTrue", "[audit]\ntrace = true\n", "seisin.toml:2: audit: trace: a boolean where a string belongs", trace},
		{"TraceNone", "[audit]\ntrace = 'none'\n", `seisin.toml:2: audit: trace: "none" is nothing that is traced`, trace},
		{"Git", dev + "git = 'comit'\n", `seisin.toml:2: roles.dev: git: "comit" is not known here`, `did you mean "commit"?`},
		{"GitTrue", dev + "git = true\n", "seisin.toml:2: roles.dev: git: a boolean where a string belongs", `it may be "commit", "read" or "none"`},
		{"ControlFiles", dev + "control_files = true\n", "seisin.toml:2: roles.dev: control_files: a boolean where a list belongs", `write control_files = ["…"]`},
		{"TimeoutNumber", dev + "timeout = 3600\n", "seisin.toml:2: roles.dev: timeout: an integer where a string belongs", timeout},
		{"TimeoutDays", dev + "timeout = '1d'\n", `seisin.toml:2: roles.dev: timeout: "1d" is not a length of time`, timeout},
		{"TimeoutZero", dev + "timeout = '0s'\n", `seisin.toml:2: roles.dev: timeout: "0s" is not above zero`, timeout},
		{"TimeoutNegative", dev + "timeout = '-2h'\n", `seisin.toml:2: roles.dev: timeout: "-2h" is not above zero`, timeout},
		{"CommandEmpty", dev + "command = []\n", "seisin.toml:2: roles.dev: command: is empty", "name a program, or leave the key out and give the command to run"},
		{"ProgramEmpty", dev + "command = ['', 'x']\n", "seisin.toml:2: roles.dev: command: the program is empty", "name a program first, and then its arguments"},
		{"CommandNUL", dev + "command = [\"a\\u0000\"]\n", `seisin.toml:2: roles.dev: command: "a\x00" holds a NUL`, "remove it"},
		{"SharedNowhere", dev + "network = ['@shared']\n", `seisin.toml:2: roles.dev: network: "@shared" stands for [network] allow, which the file does not have`,
			"write [network] and below it allow = […], or remove it"},
		{"SharedInItself", "[network]\nallow = ['@shared']\n", `seisin.toml:2: network: allow: "@shared" stands for this very list`, "use it in a role's network"},
		{"KeysInEmptyDir", "[keys]\ndir = []\n" + dev + "keys = ['a']\n",
			`seisin.toml:4: roles.dev: keys: "a" is listed, and the file has no key directory`, `write [keys] and below it dir = ".secrets"`},

		{"Twice", dev + "writes = [\n  'a',\n  'b',\n  'a',\n]\n", `seisin.toml:5: roles.dev: writes: "a" stands here twice, first in line 3`, "remove one of them"},
		{"TwiceInTwoForms", dev + "writes = ['a/', 'a/**']\n", `seisin.toml:2: roles.dev: writes: "a/**" stands here twice, first in line 2, as "a/"`, "remove one of them"},
		{"HostTwice", dev + "network = ['a.test', 'A.test.']\n", `seisin.toml:2: roles.dev: network: "A.test." stands here twice, first in line 2, as "a.test"`, "remove one of them"},
	})
}

// A list of one is written as a list (UA-12 differs).
func TestStringIsNoList(t *testing.T) {
	for _, key := range []string{"command", "writes", "never_writes", "reads", "keys", "env", "network", "ports", "sockets", "control_files"} {
		_, err := Parse(FileName, []byte(dev+key+" = 'x'\n"))
		bad, ok := errors.AsType[*SyntaxError](err)
		if want := "seisin.toml:2: roles.dev: " + key + ": a string where a list belongs"; !ok || bad.Error() != want {
			t.Errorf("error = «%v», want «%s»", err, want)
			continue
		}
		if want := "write " + key + ` = ["x"]`; bad.Hint() != want {
			t.Errorf("hint = «%s», want «%s»", bad.Hint(), want)
		}
	}
}
