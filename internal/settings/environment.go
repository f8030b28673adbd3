package settings

import (
	"path/filepath"
	"slices"
	"strings"

	"seisin/internal/roles"
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
	given := passed
	if r.policy.Runtime.Isolate == roles.IsolateHome {
		given = slices.DeleteFunc(slices.Clone(passed), ofHome)
		env["HOME"] = r.homeDir()
		r.toolchainVariables(env)
	}
	for _, name := range given {
		if value, ok := r.machine.Lookup(name); ok {
			env[name] = value
		}
	}
	for _, t := range r.role.Env {
		_, built := env[t.Value]
		if built && !slices.Contains(given, t.Value) && !isToolchain(t.Value) || len(given) < len(passed) && ofHome(t.Value) || strings.HasPrefix(t.Value, "GIT_") {
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

// ofHome reports whether a variable says where the person's home is, or what is
// in it. With a home of the role's, programs look there.
func ofHome(name string) bool { return name == "HOME" || strings.HasPrefix(name, "XDG_") }

// toolchainHomes are where version managers keep what they installed, each with
// the variable that says so. With another HOME they would find nothing (C26).
var toolchainHomes = []struct{ variable, dir string }{
	{"RUSTUP_HOME", ".rustup"}, {"NVM_DIR", ".nvm"}, {"VOLTA_HOME", ".volta"}, {"FNM_DIR", ".local/share/fnm"},
	{"PYENV_ROOT", ".pyenv"}, {"RBENV_ROOT", ".rbenv"}, {"NODENV_ROOT", ".nodenv"}, {"GOENV_ROOT", ".goenv"},
	{"ASDF_DATA_DIR", ".asdf"}, {"MISE_DATA_DIR", ".local/share/mise"}, {"SDKMAN_DIR", ".sdkman"}, {"JABBA_HOME", ".jabba"},
}

func isToolchain(name string) bool {
	return slices.ContainsFunc(toolchainHomes, func(t struct{ variable, dir string }) bool { return t.variable == name })
}

// toolchainVariables tells version managers of the person's toolchains, which
// can be read and not changed.
func (r *resolver) toolchainVariables(env map[string]string) {
	for _, t := range toolchainHomes {
		dir := r.machine.Getenv(t.variable)
		if dir == "" {
			dir = filepath.Join(r.machine.Home, t.dir)
		}
		if f, err := lookAt(dir); err == nil && f.exists && filepath.IsAbs(dir) {
			env[t.variable] = dir
		}
	}
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
