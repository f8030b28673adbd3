package roles

import "strings"

// foreign is the hint for a name that is no typing error: it comes from the
// seisin that is written in JavaScript, from sandbox-runtime's settings, or it
// is one of ours in another place. Where names the table: "", "roles.dev".
func foreign(where, name string) string {
	table, _, _ := strings.Cut(where, ".")
	for _, f := range foreignNames {
		if f.name == name && (f.table == "*" || f.table == table) {
			return f.hint
		}
	}
	return ""
}

const (
	absent   = " is not in this tool; remove it"
	personal = " runs or copies things on the host, so it belongs in your own $XDG_CONFIG_HOME/seisin/config.toml, never in the repository"
)

// foreignNames has table "" for the top of the file, "*" for any place.
var foreignNames = []struct{ table, name, hint string }{
	// The JavaScript seisin's.
	{"*", "local_ports", `here it is called "ports", in [roles.NAME]`},
	{"*", "local_binding", `"local_binding" is not in this tool: name each port in "ports", in [roles.NAME]`},
	{"*", "redact", `"redact"` + absent},
	{"*", "trustd", `"trustd"` + absent},
	{"*", "mcp", `"mcp"` + absent},
	{"*", "key_mode", `"key_mode"` + absent + "; a role reads its keys as files"},
	{"", "notify", "[notify]" + absent},
	{"", "protect", `[protect] is not in this tool: control files are closed to every role unless its "control_files" names their family`},
	{"", "scan", "[scan]" + absent},
	{"", "isolation", `write "isolate" in [runtime]`},

	// What a policy must not make the host do.
	{"", "harness", "[harness]" + personal},
	{"", "container", "[container]" + personal},
	{"*", "run_args", `"run_args"` + personal},
	{"*", "homes", `"homes"` + personal},
	{"*", "providers", `"providers"` + personal},

	// sandbox-runtime's, as it and those who know it write them.
	{"", "filesystem", "write each role's writes, never_writes and reads in [roles.NAME]"},
	{"", "sandbox", "write each role's writes, reads and network in [roles.NAME]"},
	{"*", "allowWrite", `here it is called "writes", in [roles.NAME]`},
	{"*", "allow_write", `here it is called "writes", in [roles.NAME]`},
	{"*", "denyWrite", `here it is called "never_writes", in [roles.NAME]`},
	{"*", "deny_write", `here it is called "never_writes", in [roles.NAME]`},
	{"*", "allowRead", `here it is called "reads", in [roles.NAME]`},
	{"*", "allow_read", `here it is called "reads", in [roles.NAME]`},
	{"*", "denyRead", `close places by "isolate" in [runtime], keys by "dir" in [keys]`},
	{"*", "deny_read", `close places by "isolate" in [runtime], keys by "dir" in [keys]`},
	{"*", "allowedDomains", `here it is called "allow" in [network], and "network" in [roles.NAME]`},
	{"*", "deniedDomains", `"deniedDomains" is not in this tool: what "network" does not name is refused`},
	{"*", "allowUnixSockets", `here it is called "sockets", in [roles.NAME]`},
	{"*", "allowLocalBinding", `here it is called "ports", in [roles.NAME]`},

	// Ours, elsewhere.
	{"roles", "allow", `here it is called "network"`},
	{"roles", "domains", `here it is called "network"`},
	{"roles", "network_allow", `here it is called "network"`},
	{"network", "network", `here it is called "allow"`},
	{"network", "domains", `here it is called "allow"`},
	{"keys", "dirs", `here it is called "dir"; it takes a string or a list`},
}
