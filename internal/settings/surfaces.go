package settings

// What the host's own programs execute from places that roles may write as
// scratch. A role that writes one of these acts outside every box, later and as
// the person (SD-11, SD-12, ATT-5, ATT-16). What is here is read-only inside.
//
// What programs only read is not here, nor what a command inside cannot do
// without: sessions, logs, and the caches of compilers and package managers.

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

// surfaces are in the order of programs that people are likely to have.
var surfaces = []surface{
	{[]string{"~/.claude", "$CLAUDE_CONFIG_DIR", "~/.config/claude", "$XDG_CONFIG_HOME/claude"}, []execution{
		{[]string{"settings.json", "settings.local.json"}, "claude runs the hooks, helpers and status line that it names"},
		{[]string{".claude.json"}, "claude starts the servers that it names"},
		{[]string{"hooks", "plugins", "local", "statusline*", "*.sh"}, "claude, or its settings, runs what is there"},
		{[]string{"CLAUDE.md", "agents", "commands", "output-styles", "rules", "skills", "workflows"}, "claude does what it says"},
	}},
	{[]string{"~/.codex", "$CODEX_HOME"}, []execution{
		{[]string{"config.toml", "managed_config.toml", "hooks.json"}, "codex runs the hooks, servers and notifiers that it names"},
		{[]string{".env"}, "codex takes its environment from it"},
		{[]string{"rules"}, "codex runs without asking what it allows"},
		{[]string{"bin", "hooks", "packages", "plugins"}, "codex runs what is there"},
		{[]string{"AGENTS.md", "AGENTS.override.md", "instructions.md", "agents", "prompts", "skills"}, "codex does what it says"},
	}},
	{[]string{"~/.gemini", "$GEMINI_CLI_HOME/.gemini"}, []execution{
		{[]string{"settings.json", "policies", "trustedFolders.json"}, "gemini runs the hooks, servers and tools that it names"},
		{[]string{".env"}, "gemini takes its environment from it"},
		{[]string{"extensions", "hooks", "tmp/bin"}, "gemini runs what is there"},
		{[]string{"GEMINI.md", "agents", "commands", "skills"}, "gemini does what it says"},
	}},
	{[]string{"~/.cursor", "$CURSOR_CONFIG_DIR", "~/.config/cursor", "$XDG_CONFIG_HOME/cursor"}, []execution{
		{[]string{"hooks.json", "mcp.json", "cli-config.json"}, "cursor runs the hooks and servers that it names"},
		{[]string{"extensions", "hooks", "plugins"}, "cursor runs what is there"},
		{[]string{"agents", "commands", "rules", "skills"}, "cursor does what it says"},
	}},
	{[]string{"~/.copilot", "$COPILOT_HOME"}, []execution{
		{[]string{"settings.json", "mcp-config.json"}, "copilot runs the hooks and servers that it names"},
		{[]string{"extensions", "hooks", "plugins"}, "copilot runs what is there"},
		{[]string{"agents", "copilot-instructions.md", "skills"}, "copilot does what it says"},
	}},
	{[]string{"~/.pi/agent", "$PI_CODING_AGENT_DIR"}, []execution{
		{[]string{"models.json", "settings.json"}, "pi runs the commands that it names"},
		{[]string{"bin", "extensions", "hooks", "tools"}, "pi runs what is there"},
		{[]string{"AGENTS.md", "SYSTEM.md", "prompts", "skills"}, "pi does what it says"},
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
	{[]string{"~/.local/share", "$XDG_DATA_HOME"}, []execution{
		{[]string{"applications", "dbus-1", "flatpak", "gnome-shell", "kio", "kservices5", "nautilus", "nemo", "plasma", "systemd", "thumbnailers", "vulkan"}, "the desktop starts what it names"},
		{[]string{"bash-completion", "fish", "oh-my-zsh", "sheldon", "zinit", "zsh"}, "the shell runs what is there"},
		{[]string{"emacs", "nvim", "vim"}, "the editor runs what is there"},
		{[]string{"jupyter/kernels", "jupyter/labextensions", "jupyter/nbextensions"}, "jupyter runs what it names"},
		{[]string{
			"claude/versions", "cursor-agent/versions", "opencode/bin",
			"asdf", "cargo/bin", "cargo/env", "fnm", "gem", "mise", "nvm", "pipx", "pnpm/.tools", "pnpm/global", "pyenv", "rustup/toolchains",
			"uv/python", "uv/tools", "virtualenvs", "volta",
		}, "programs that you run are installed there"},
		{[]string{"chezmoi"}, "chezmoi runs the scripts in it"},
	}},
	{[]string{"~/.local/state", "$XDG_STATE_HOME"}, []execution{
		{[]string{"home-manager", "nix"}, "programs that you run are linked there"},
	}},
	{[]string{"~/.cache", "$XDG_CACHE_HOME"}, []execution{
		{[]string{"gitstatus", "oh-my-zsh", "p10k-*", "zsh"}, "the shell runs what is there"},
		{[]string{"opencode/bin", "opencode/node_modules", "opencode/packages"}, "opencode runs what is there"},
		{[]string{"pre-commit"}, "pre-commit runs the hooks that are there"},
		{[]string{"ms-playwright", "puppeteer", "pypoetry/virtualenvs"}, "programs that you run are installed there"},
	}},
}
