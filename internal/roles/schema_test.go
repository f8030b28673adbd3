package roles

import (
	"errors"
	"strings"
	"testing"
)

func TestRefuseTables(t *testing.T) {
	const (
		own  = " runs or copies things on the host, so it belongs in your own $XDG_CONFIG_HOME/seisin/config.toml, never in the repository"
		gone = " is not in this tool; remove it"
	)
	refuse(t, []refusal{
		{"TopKey", "x = 1\n", `seisin.toml:1: unknown key "x"`, "the tables are: keys, network, runtime, audit, roles"},
		{"TopTable", "[x]\n", `seisin.toml:1: unknown table "x"`, "the tables are: keys, network, runtime, audit, roles"},
		{"RoleKeyAtTop", "writes = []\n", `seisin.toml:1: unknown key "writes"`, `"writes" belongs to [roles.NAME] or [runtime]`},
		{"RuntimeKeyInRole", dev + "isolate = 'home'\n", `seisin.toml:2: roles.dev: unknown key "isolate"`, `"isolate" belongs to [runtime]`},
		{"AuditKeyInRuntime", "[runtime]\ntrace = 'reads'\n", `seisin.toml:2: runtime: unknown key "trace"`, `"trace" belongs to [audit]`},
		{"NetworkKeyInRole", dev + "allow = []\n", `seisin.toml:2: roles.dev: unknown key "allow"`, `here it is called "network"`},
		{"FarFromAll", "[audit]\nzzzzzzzz = 1\n", `seisin.toml:2: audit: unknown key "zzzzzzzz"`, "the keys are: trace, required"},
		{"TableAsKey", "network = ['a.test']\n", "seisin.toml:1: network: a list where a table belongs",
			"write [network] on a line of its own, and its keys below it; a role's own network stands below [roles.NAME]"},
		{"TableAsKey2", "runtime = true\n", "seisin.toml:1: runtime: a boolean where a table belongs", "write [runtime] on a line of its own, and its keys below it"},
		{"RolesAsKey", "roles = ['dev']\n", "seisin.toml:1: roles: a list where a table belongs", "write a table [roles.NAME] for each role"},
		{"RoleAsKey", "[roles]\nwrites = []\n", "seisin.toml:2: roles.writes: a list where a table belongs", "write [roles.NAME] for a role, and its keys below it"},
		{"KeyAsTable", dev + "[roles.dev.network]\nallow = []\n", "seisin.toml:2: roles.dev: network: a table where a list belongs", `write network = ["…"]`},
		{"KeyAsInlineTable", dev + "env = {A = 'x'}\n", "seisin.toml:2: roles.dev: env: a table where a list belongs", `write env = ["…"]`},

		{"Harness", "[harness.pi]\n", `seisin.toml:1: unknown table "harness"`, "[harness]" + own},
		{"Container", "[container]\nrun_args = []\n", `seisin.toml:1: unknown table "container"`, "[container]" + own},
		{"Providers", "[keys.providers.op]\n", `seisin.toml:1: keys: unknown table "providers"`, `"providers"` + own},
		{"Homes", "[runtime]\nhomes = '/x'\n", `seisin.toml:2: runtime: unknown key "homes"`, `"homes"` + own},

		{"LocalPorts", dev + "local_ports = [1]\n", `seisin.toml:2: roles.dev: unknown key "local_ports"`, `here it is called "ports", in [roles.NAME]`},
		{"LocalBinding", dev + "local_binding = true\n", `seisin.toml:2: roles.dev: unknown key "local_binding"`,
			`"local_binding" is not in this tool: name each port in "ports", in [roles.NAME]`},
		{"Redact", "[runtime]\nredact = true\n", `seisin.toml:2: runtime: unknown key "redact"`, `"redact"` + gone},
		{"Trustd", dev + "trustd = true\n", `seisin.toml:2: roles.dev: unknown key "trustd"`, `"trustd"` + gone},
		{"MCP", dev + "mcp = []\n", `seisin.toml:2: roles.dev: unknown key "mcp"`, `"mcp"` + gone},
		{"KeyMode", dev + "key_mode = 'env'\n", `seisin.toml:2: roles.dev: unknown key "key_mode"`, `"key_mode"` + gone + "; a role reads its keys as files"},
		{"Notify", "[notify]\n", `seisin.toml:1: unknown table "notify"`, "[notify]" + gone},
		{"Scan", "[scan]\n", `seisin.toml:1: unknown table "scan"`, "[scan]" + gone},
		{"Protect", "[protect]\n", `seisin.toml:1: unknown table "protect"`,
			`[protect] is not in this tool: control files are closed to every role unless its "control_files" names their family`},
		{"AllowWrite", "[filesystem]\nallowWrite = []\n", `seisin.toml:1: unknown table "filesystem"`, "write each role's writes, never_writes and reads in [roles.NAME]"},
	})
}

func TestRefuseNames(t *testing.T) {
	long := "[roles.abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij12]\n"
	refuse(t, []refusal{
		{"Dash", "[roles.-x]\n", `seisin.toml:1: roles: the name "-x" does not begin with a letter or a digit`, "write [roles.x]"},
		{"Underscore", "[roles._x]\n", `seisin.toml:1: roles: the name "_x" does not begin with a letter or a digit`, "write [roles.x]"},
		{"Blank", "[roles.'a b']\n", `seisin.toml:1: roles: the name "a b" holds more than letters, digits, - and _`, "write [roles.a-b]"},
		{"Slash", "[roles.'../x']\n", `seisin.toml:1: roles: the name "../x" holds more than letters, digits, - and _`, "write [roles.x]"},
		{"Letter", "[roles.'é']\n", `seisin.toml:1: roles: the name "é" holds more than letters, digits, - and _`, "choose a name of letters, digits, - and _"},
		{"Empty", "[roles.'']\n", `seisin.toml:1: roles: the name "" is empty`, "name the role: [roles.dev]"},
		{"Long", long, `seisin.toml:1: roles: the name "abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghij12" is longer than a role's name may be`,
			"use at most 61 bytes: the name becomes part of a socket's path"},
	})
	if _, err := Parse(FileName, []byte(long[:len(long)-3]+"]\n")); err != nil {
		t.Errorf("a name of %d bytes: %v", MaxNameLen, err)
	}
}

// A name that lost or gained a letter is told its right form, in each table.
func TestUnknownKeysNameTheNearest(t *testing.T) {
	for _, table := range tableKeys() {
		head := strings.Replace(table.table, "NAME", "dev", 1)
		for _, name := range table.names {
			for _, typo := range []string{name + "x", name[:len(name)-1] + "_", strings.ToUpper(name), strings.ReplaceAll(name, "_", "-") + "-"} {
				_, err := Parse(FileName, []byte(head+"\n"+typo+" = []\n"))
				bad, ok := errors.AsType[*SyntaxError](err)
				if !ok || bad.Line != 2 {
					t.Errorf("%s %s: error = %v, want one in line 2", head, typo, err)
					continue
				}
				if want := `did you mean "` + name + `"?`; bad.Hint() != want {
					t.Errorf("%s %s: hint = «%s», want «%s»", head, typo, bad.Hint(), want)
				}
			}
		}
	}
}
