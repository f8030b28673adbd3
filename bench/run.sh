#!/bin/sh
# Measures start to exit of "true": bare, in bubblewrap with all namespaces, in
# a box of git-seisin, and in sandbox-runtime if srt is on PATH (on npm it is
# @anthropic-ai/sandbox-runtime, and it needs ripgrep and socat). One run,
# commands in turn, ratios to bubblewrap; nothing is asserted.
#
#	bench/run.sh [-json] [-rounds N]
#
# GIT_SEISIN names a binary to measure instead of this tree's.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v bwrap >/dev/null; then
	echo >&2 "bench: error: bwrap is not on PATH, and ratios are to it"
	echo >&2 "bench: hint: install bubblewrap"
	exit 1
fi

# In the home, not in /tmp: a box has a /tmp of its own, so that a repository
# there is a special case. The home of the runs is in it as well: what the
# person's own holds would be measured too.
work=$(TMPDIR=$HOME mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

cd "$top"
CGO_ENABLED=0 go build -o "$work/startexit" ./bench/startexit
seisin=${GIT_SEISIN:-}
if [ -z "$seisin" ]; then
	seisin=$work/git-seisin
	CGO_ENABLED=0 go build -tags urfave_cli_no_docs -o "$seisin.built" ./git-seisin
	# Installed as people have it, by a copy: what the linker wrote stands in the
	# page cache page by page, and starts 5 % later.
	cp "$seisin.built" "$seisin"
fi

repo=$work/repo
mkdir -p "$repo/src" "$repo/other"
# With the directories that a person's home has: what of them is missing is made
# for a run, and removed at its end.
for dir in .cache .claude .codex .local/share .local/state; do
	mkdir -p "$work/home/$dir"
done
export HOME="$work/home"
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
cd "$repo"
echo a >src/a
echo a >other/a
cat >seisin.toml <<'POLICY'
[roles.dev]
command = ["true"]
writes  = ["src/**"]
POLICY
git init -q
git add -A
git -c user.name=bench -c user.email=bench@example.com -c commit.gpgsign=false commit -q -m start

set -- "$@" -base bwrap -dir "$repo" \
	"bare=true" \
	"bwrap=bwrap --unshare-all --ro-bind / / --dev /dev --proc /proc true" \
	"git-seisin=$seisin run dev -- true"
if command -v srt >/dev/null; then
	cat >"$work/srt.json" <<-SETTINGS
		{"network": {"allowedDomains": [], "deniedDomains": []},
		 "filesystem": {"denyRead": [], "allowWrite": ["$repo/src"], "denyWrite": []}}
	SETTINGS
	# --settings and -- as they must be: without the latter srt takes the
	# command's own options for its own.
	set -- "$@" "sandbox-runtime=srt --settings $work/srt.json -- true"
fi
"$work/startexit" "$@"
