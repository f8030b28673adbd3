package settings

import (
	"path/filepath"
	"slices"
	"strings"
)

// passed are the variables that a command is given from the person's
// environment (UA-17). All others are named by the role, or not given: COLUMNS
// and LINES too, since a copy stays as it is when the terminal's size changes, and
// programs believe it before they ask the terminal.
var passed = []string{
	"HOME", "USER", "LOGNAME", "SHELL",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
	"TERM", "TERM_PROGRAM", "COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
}

// environment builds what the command sees. Nothing is inherited.
func (r *resolver) environment() error {
	env := map[string]string{
		"PATH":   searchPath(r.machine.Getenv("PATH"), r.machine.Getenv("GIT_EXEC_PATH")),
		"PWD":    r.answer.Spec.Cwd,
		"TMPDIR": r.tempDir(),
		// Of the refusals in one agent's week most were the index lock that
		// git status would like to have (UA-18).
		"GIT_OPTIONAL_LOCKS": "0",
		"SEISIN_ROLE":        r.role.Name,
	}
	for _, name := range passed {
		if value, ok := r.machine.Lookup(name); ok {
			env[name] = value
		}
	}
	for _, t := range r.role.Env {
		if _, built := env[t.Value]; built && !slices.Contains(passed, t.Value) || strings.HasPrefix(t.Value, "GIT_") {
			return r.refuse(t.Line, "take it out of env", "env: %s is the box's own, not the person's", t.Value)
		}
		value, ok := r.machine.Lookup(t.Value)
		if !ok {
			return r.refuse(t.Line, "export "+t.Value+", or take it out of env", "env: %s is not set", t.Value)
		}
		env[t.Value] = value
	}
	for name, value := range env {
		r.answer.Spec.Env = append(r.answer.Spec.Env, name+"="+value)
	}
	return nil
}

// searchPath is PATH without what git put in front for its own sake, and
// without entries that depend on where one stands.
func searchPath(list, gitExec string) string {
	dirs := filepath.SplitList(list)
	dirs = slices.DeleteFunc(dirs, func(d string) bool {
		return !filepath.IsAbs(d) || gitExec != "" && filepath.Clean(d) == filepath.Clean(gitExec)
	})
	return strings.Join(dirs, string(filepath.ListSeparator))
}
