#!/bin/sh
# Checks everything that a change must pass, on Debian 12 with git and Go.
#
#	sh test.sh [--full]
#
# As root it installs what is missing; as another user it names it and stops.
# As root the tests of boxes run twice in the one go test, the second time as
# an ordinary user (package sandboxtest). --full runs the long counts as well.
set -eu

cd "$(dirname "$0")"

# Debian's archive drops a version when the next is out, so these cannot be
# pinned. The race detector needs a C compiler.
packages="bubblewrap:bwrap shellcheck:shellcheck gcc:gcc libc6-dev:/usr/include/stdlib.h"
# By version here, and not by a tool line in go.mod: that would put what it is
# made of among our own dependencies.
staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2

timeout=20m
case "${1-}" in
"") ;;
--full)
	export SEISIN_FULL=1
	timeout=2h
	;;
*)
	echo >&2 "test.sh: error: \"$1\" is no option"
	echo >&2 "test.sh: hint: sh test.sh [--full]"
	exit 2
	;;
esac

say() {
	echo "== $*"
}

# missing prints the Debian packages that are not there.
missing() {
	for pair in $packages; do
		sign=${pair#*:}
		if [ ! -e "$sign" ] && ! command -v "$sign" >/dev/null; then
			echo "${pair%:*}"
		fi
	done
}

lack=$(missing)
if [ -n "$lack" ] && [ "$(id -u)" = 0 ]; then
	say apt-get install
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -q
	# shellcheck disable=SC2086 # one word a package
	apt-get install -q -y --no-install-recommends $lack
	lack=$(missing)
fi
if [ "$(id -u)" != 0 ] && ! GOPROXY=off go run "$staticcheck" -version >/dev/null 2>&1; then
	lack="$lack $staticcheck"
fi
if [ -n "$lack" ]; then
	echo >&2 "test.sh: error: missing: $(echo "$lack" | xargs)"
	echo >&2 "test.sh: hint: run it as root once, or install them; staticcheck by: go install $staticcheck"
	exit 1
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
git status --porcelain >"$tmp/before"

say gofmt
gofmt -l . >"$tmp/gofmt"
if [ -s "$tmp/gofmt" ]; then
	gofmt -d .
	exit 1
fi

say go mod tidy
go mod tidy -diff

say go vet
go vet ./...
# The twins for other systems compile, without one of them at hand.
GOOS=darwin go vet ./...

say staticcheck
go run "$staticcheck" -checks all ./...

say shellcheck
git ls-files --cached --others --exclude-standard -- '*.sh' .ci/run >"$tmp/scripts"
xargs shellcheck <"$tmp/scripts"

say go build
CGO_ENABLED=0 go build -tags urfave_cli_no_docs -o "$tmp/git-seisin" ./git-seisin
go build -o "$tmp/slowest" ./bench/slowest

# Race builds sleep a second at every exit, and a box is three processes.
export GORACE=atexit_sleep_ms=0

# Benchmarks still run. Before the tests, since what reads only the end of a
# log looks for go test's word on those.
say go test -bench
go test -run '^$' -bench . -benchtime 1x ./...

# The exit status is slowest's: it does not pass over a failure, a test that was
# skipped or did not end, or no test at all.
say go test
go test -race -shuffle=on -timeout "$timeout" -json ./... | "$tmp/slowest"

# Tests leave the tree as it was, which in a fresh clone is clean.
git status --porcelain >"$tmp/after"
if ! cmp -s "$tmp/before" "$tmp/after"; then
	echo >&2 "test.sh: error: the tests changed the work tree:"
	diff "$tmp/before" "$tmp/after" >&2
	exit 1
fi
