package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"seisin/internal/roles"
)

// CredentialHomes are what isolation closes in the home: first those that check
// names, in its order, then where tools of Linux keep tokens, passwords
// and what was typed (SD-10). ~/.config is closed whole: to list the tools that
// keep tokens in it would be to forget one.
var CredentialHomes = []string{
	"~/.ssh", "~/.aws", "~/.npmrc", "~/.config", "~/.gnupg", "~/.kube", "~/.docker", "~/.netrc", "~/.git-credentials",

	"~/.azure", "~/.terraform.d", "~/.terraformrc", "~/.vault-token", "~/.password-store",
	"~/.pypirc", "~/.cargo/credentials", "~/.cargo/credentials.toml", "~/.gem/credentials", "~/.m2/settings.xml", "~/.gradle/gradle.properties",
	"~/.yarnrc.yml", "~/.composer/auth.json", "~/.bundle/config", "~/.databrickscfg", "~/.pulumi", "~/.fly", "~/.cache/huggingface/token", "~/.local/share/com.vercel.cli",
	"~/.pgpass", "~/.my.cnf", "~/.mylogin.cnf",
	"~/.local/share/keyrings", "~/.local/share/kwalletd", "~/.mozilla", "~/.thunderbird", "~/.pki", "~/.var", "~/snap",
	"~/.bash_history", "~/.zsh_history", "~/.histfile", "~/.local/share/fish", "~/.python_history", "~/.node_repl_history",
	"~/.local/share/atuin", "~/.ipython", "~/.psql_history", "~/.mysql_history", "~/.sqlite_history", "~/.rediscli_history",
}

// AgentHomes are what isolation closes besides where each role has a home of its
// own: agents keep a session there, and past ones (A-20, SD-10), and ~/.gitconfig
// may hold tokens and run programs. A star stands for every name that starts so.
var AgentHomes = []string{
	"~/.claude", "~/.codex", "~/.claude.json*", "~/.claude.lock", "~/.gemini", "~/.copilot", "~/.cursor", "~/.pi", "~/.aider*", "~/.goose", "~/.qwen",
	"~/.local/share/opencode", "~/.local/share/goose", "~/.local/share/amp", "~/.local/share/crush",
	"~/.local/state/claude", "~/.local/state/opencode", "~/.local/state/goose", "~/.local/state/amp",
	"~/.cache/claude*", "~/.cache/codex", "~/.cache/opencode", "~/.cache/gemini", "~/.cache/goose", "~/.cache/amp",
	"~/.gitconfig",
}

// agentVariables tell agents to keep their state elsewhere, or below there.
var agentVariables = []struct{ name, below string }{
	{"CLAUDE_CONFIG_DIR", ""}, {"CODEX_HOME", ""}, {"GEMINI_CLI_HOME", ".gemini"}, {"COPILOT_HOME", ""},
	{"CURSOR_CONFIG_DIR", ""}, {"CURSOR_DATA_DIR", ""}, {"PI_CODING_AGENT_DIR", ""}, {"GOOSE_PATH_ROOT", ""},
}

// closedPlaces is the table, and where else a variable says that one of its
// places is.
func (r *resolver) closedPlaces() ([]string, error) {
	table := CredentialHomes
	if r.policy.Runtime.Isolate == roles.IsolateHome {
		table = slices.Concat(table, AgentHomes)
	}
	var list []string
	for _, place := range table {
		places := []string{place}
		for _, base := range bases {
			if rest, ok := strings.CutPrefix(place, base.home); ok {
				if dir := r.moved(base.variable, base.home); dir != "" {
					places = append(places, dir+rest)
				}
			}
		}
		for _, p := range places {
			if !strings.HasSuffix(p, "*") {
				list = append(list, p)
				continue
			}
			found, err := r.starting(strings.TrimSuffix(p, "*"))
			if err != nil {
				return nil, err
			}
			list = append(list, found...)
		}
	}
	if r.policy.Runtime.Isolate == roles.IsolateHome {
		for _, v := range agentVariables {
			if dir := r.machine.Getenv(v.name); filepath.IsAbs(dir) {
				list = append(list, filepath.Join(plainly(dir), v.below))
			}
		}
	}
	return list, nil
}

// bases are the directories that programs keep their files in, and what else
// they may be told.
var bases = []struct{ home, variable string }{
	{"~/.config", "XDG_CONFIG_HOME"},
	{"~/.local/share", "XDG_DATA_HOME"},
	{"~/.local/state", "XDG_STATE_HOME"},
	{"~/.cache", "XDG_CACHE_HOME"},
}

// moved is where a variable says that a directory of the home is, or "" where
// it is in its place.
func (r *resolver) moved(variable, place string) string {
	dir := r.machine.Getenv(variable)
	if !filepath.IsAbs(dir) || plainly(dir) == r.inHome(place) {
		return ""
	}
	return plainly(dir)
}

// starting lists the names of the home, or of another directory, that start so:
// what comes later is in no skeleton.
func (r *resolver) starting(place string) ([]string, error) {
	list := []string{place}
	entries, err := os.ReadDir(filepath.Dir(r.inHome(place)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, closed(err)
	}
	for _, e := range entries {
		name := filepath.Dir(place) + "/" + e.Name()
		if strings.HasPrefix(name, place) && name != place && utf8.ValidString(name) {
			list = append(list, name)
		}
	}
	return list, nil
}
