package settings

// What the host's own programs execute from places that roles may write as
// scratch. A role that writes one of these acts outside every box, later and as
// the person (SD-11, SD-12, ATT-5, ATT-16). What is here is read-only inside.
//
// What programs only read is not here, nor what a command inside cannot do
// without: sessions, logs, and the caches of compilers and package managers.
// Claude 2.1.197 and codex 0.171.0 were seen to work, unattended, with settings,
// plugins, skills, rules and snapshots of theirs closed.

// A surface is a program's directory, and what it executes of it.
type surface struct {
	dirs []string // below the home, or a variable that names it, alone or with a path
	runs []execution
}

// An execution is why names in a surface are executed. A name that ends in "*"
// is all that begin so, and one that begins with "*" all that end so.
type execution struct {
	names []string
	why   string
}

// neededInside are the names that are left open all the same, and why (seen of
// claude 2.1.197).
var neededInside = map[string]string{
	"session-env": "claude starts no shell where it cannot make a directory in it",
}

// surfaces are in the order of programs that people are likely to have.
var surfaces = []surface{
	{[]string{"~/.claude", "$CLAUDE_CONFIG_DIR", "~/.config/claude", "$XDG_CONFIG_HOME/claude"}, []execution{
		{[]string{"remote-settings.json", "settings.json", "settings.local.json"}, "claude runs the hooks, helpers and status line that it names"},
		{[]string{".claude.json", ".config.json"}, "claude starts the servers that it names"},
		{[]string{"hooks", "plugins", "local", "statusline*", "*.sh", "chrome"}, "claude, or its settings, runs what is there"},
		{[]string{"shell-snapshots"}, "each shell of a running claude starts with one"},
		{[]string{"session-env"}, "each shell of a running claude starts with what is there"},
		{[]string{"CLAUDE.md", "ULTRACLAUDE.md", "magic-docs", "session-memory/config", "agents", "commands", "output-styles", "rules", "skills", "workflows"}, "claude does what it says"},
	}},
	{[]string{"~/.codex", "$CODEX_HOME"}, []execution{
		{[]string{"config.toml", "managed_config.toml", "*.config.toml", "hooks.json"}, "codex runs the hooks, servers and notifiers that it names"},
		{[]string{".env"}, "codex takes its environment from it"},
		{[]string{"rules"}, "codex runs without asking what it allows"},
		{[]string{"bin", "hooks", "packages", "plugins"}, "codex runs what is there"},
		{[]string{"shell_snapshots"}, "each shell of a running codex starts with one"},
		{[]string{"tmp/arg0"}, "a running codex has it in PATH"},
		{[]string{"AGENTS.md", "AGENTS.override.md", "instructions.md", "agents", "automations", "prompts", "skills"}, "codex does what it says"},
	}},
	{[]string{"~/.gemini", "$GEMINI_CLI_HOME/.gemini"}, []execution{
		{[]string{"settings.json", "policies", "trustedFolders.json"}, "gemini runs the hooks, servers and tools that it names"},
		{[]string{".env"}, "gemini takes its environment from it"},
		{[]string{"extensions", "hooks", "tmp/bin"}, "gemini runs what is there"},
		{[]string{"GEMINI.md", "agents", "commands", "skills"}, "gemini does what it says"},
	}},
	{[]string{"~/.cursor", "$CURSOR_CONFIG_DIR", "~/.config/cursor", "$XDG_CONFIG_HOME/cursor"}, []execution{
		{[]string{"hooks.json", "mcp.json", "cli-config.json"}, "cursor runs the hooks and servers that it names"},
		{[]string{"permissions.json"}, "cursor runs without asking what it allows"},
		{[]string{"extensions", "hooks", "plugins"}, "cursor runs what is there"},
		{[]string{"agents", "commands", "rules", "skills"}, "cursor does what it says"},
	}},
	{[]string{"~/.copilot", "$COPILOT_HOME"}, []execution{
		{[]string{"config.json", "settings.json", "mcp-config.json"}, "copilot runs the hooks, servers and status line that it names"},
		{[]string{"extensions", "hooks", "plugins"}, "copilot runs what is there"},
		{[]string{"agents", "copilot-instructions.md", "skills"}, "copilot does what it says"},
	}},
	{[]string{"~/.pi/agent", "$PI_CODING_AGENT_DIR"}, []execution{
		{[]string{"auth.json", "models.json", "settings.json"}, "pi runs the commands that it names"},
		{[]string{"bin", "extensions", "git", "hooks", "npm", "tools"}, "pi runs what is there"},
		{[]string{"AGENTS.md", "APPEND_SYSTEM.md", "SYSTEM.md", "prompts", "skills"}, "pi does what it says"},
	}},
	{[]string{"~/.config/opencode", "$XDG_CONFIG_HOME/opencode"}, []execution{
		{[]string{"config.json", "opencode.json", "opencode.jsonc"}, "opencode runs the servers, tools and plugins that it names"},
		{[]string{"node_modules", "package.json", "plugin", "plugins", "tool", "tools"}, "opencode runs what is there"},
		{[]string{"AGENTS.md", "agent", "agents", "command", "commands", "mode", "modes", "skill", "skills"}, "opencode does what it says"},
	}},
	{[]string{"~/.config/goose", "$XDG_CONFIG_HOME/goose"}, []execution{
		{[]string{"config.yaml"}, "goose starts the extensions that it names"},
		{[]string{".goosehints", "recipes"}, "goose does what it says"},
	}},
	{[]string{"~/.config/amp", "$XDG_CONFIG_HOME/amp"}, []execution{
		{[]string{"settings.json", "plugins", "tools"}, "amp runs what it names"},
		{[]string{"AGENTS.md", "commands", "skills"}, "amp does what it says"},
	}},
	{[]string{"~/.qwen"}, []execution{
		{[]string{"settings.json", "trustedFolders.json"}, "qwen runs the hooks, servers and tools that it names"},
		{[]string{".env"}, "qwen takes its environment from it"},
		{[]string{"extensions", "hooks", "tmp/bin"}, "qwen runs what is there"},
		{[]string{"AGENTS.md", "QWEN.md", "agents", "commands", "skills"}, "qwen does what it says"},
	}},
	{[]string{"~/.config/crush", "$XDG_CONFIG_HOME/crush"}, []execution{
		{[]string{"crush.json"}, "crush runs the servers that it names"},
		{[]string{"skills"}, "crush does what it says"},
	}},
	{[]string{"~/.aider"}, []execution{
		{[]string{"oauth-keys.env"}, "aider takes its environment from it"},
	}},
	{[]string{"~/.agents", "~/.config/agents", "$XDG_CONFIG_HOME/agents"}, []execution{
		{[]string{"plugins"}, "agents run what is there"},
		{[]string{"AGENTS.md", "commands", "skills"}, "agents do what it says"},
	}},
	{[]string{"~/.local/share", "$XDG_DATA_HOME"}, []execution{
		{[]string{
			"applications", "cinnamon", "dbus-1", "flatpak", "gnome-shell", "kio", "konsole", "kservices5", "kwin", "nautilus", "nautilus-python", "nemo", "plasma",
			"systemd", "thumbnailers", "vulkan", "wireplumber",
		}, "the desktop starts what it names"},
		{[]string{"bash-completion", "blesh", "fish", "nushell", "oh-my-zsh", "omf", "powershell", "sheldon", "zap", "zinit", "zsh"}, "the shell runs what is there"},
		{[]string{"JetBrains", "code-server", "emacs", "lvim", "nvim", "vim", "zed"}, "the editor runs what is there"},
		{[]string{"jupyter/kernels", "jupyter/labextensions", "jupyter/nbextensions"}, "jupyter runs what it names"},
		{[]string{
			"claude/versions", "cursor-agent/versions", "opencode/bin",
			"aquaproj-aqua", "asdf", "cargo/bin", "cargo/env", "containers", "fnm", "gem", "hatch", "mise", "nvm", "pdm/venvs", "pipx", "pnpm/.tools", "pnpm/global",
			"pyenv", "rustup/toolchains", "uv/python", "uv/tools", "virtualenvs", "volta",
		}, "programs that you run are installed there"},
		{[]string{"chezmoi"}, "chezmoi runs the scripts in it"},
		{[]string{"crush/crush.json"}, "crush runs the servers that it names"},
		{[]string{"direnv"}, "direnv runs without asking what it allows"},
		{[]string{"gh/extensions"}, "gh runs what is there"},
		{[]string{"helm/plugins"}, "helm runs what is there"},
		{[]string{"tmux"}, "tmux runs the plugins that are there"},
	}},
	{[]string{"~/.local/state", "$XDG_STATE_HOME"}, []execution{
		{[]string{"home-manager", "nix"}, "programs that you run are linked there"},
		{[]string{"nvim/trust", "nvim/sessions"}, "the editor runs what it allows, or what is there"},
		{[]string{"mise/trusted-configs"}, "mise runs without asking what it allows"},
	}},
	{[]string{"~/.cache", "$XDG_CACHE_HOME"}, []execution{
		{[]string{"antidote", "gitstatus", "heroku/autocomplete", "oh-my-zsh", "p10k-*", "wal", "zsh"}, "the shell runs what is there"},
		{[]string{"JetBrains/RemoteDev", "nvim"}, "the editor runs what is there"},
		{[]string{"claude/staging"}, "claude installs itself from there"},
		{[]string{"cursor-compile-cache"}, "cursor runs what is there"},
		{[]string{"opencode/bin", "opencode/node_modules", "opencode/packages"}, "opencode runs what is there"},
		{[]string{"pre-commit"}, "pre-commit runs the hooks that are there"},
		{[]string{"Cypress", "bazelisk", "ms-playwright", "node/corepack", "puppeteer", "pypoetry/virtualenvs", "selenium"}, "programs that you run are installed there"},
	}},
	{[]string{"~/.config", "$XDG_CONFIG_HOME"}, []execution{
		{[]string{"autostart", "environment.d", "plasma-workspace", "systemd"}, "the desktop starts what it names"},
		{[]string{"fish", "nushell", "powershell", "zsh"}, "the shell runs what is there"},
		{[]string{"emacs", "nvim", "vim"}, "the editor runs what is there"},
	}},
	{[]string{"~/.cargo", "$CARGO_HOME"}, []execution{
		{[]string{"config", "config.toml"}, "cargo runs the compilers, linkers and runners that it names"},
		{[]string{"env", "env.*"}, "the shell runs what is there"},
		{[]string{"bin"}, "programs that you run are installed there"},
	}},
	{[]string{"~/.rustup", "$RUSTUP_HOME"}, []execution{
		{[]string{"settings.toml", "toolchains"}, "programs that you run are installed there"},
	}},
	{[]string{"~/.gradle", "$GRADLE_USER_HOME"}, []execution{
		{[]string{"gradle.properties", "init.d", "init.gradle", "init.gradle.kts", "wrapper"}, "gradle runs what is there"},
	}},
	{[]string{"~/.m2"}, []execution{
		{[]string{"extensions.xml", "settings.xml", "wrapper"}, "maven runs what is there, or what it names"},
	}},
}
