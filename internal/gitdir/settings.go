package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// The settings that decide where a work tree lies, as git lists them.
const (
	keyVersion    = "core.repositoryformatversion"
	keyBare       = "core.bare"
	keyWorktree   = "core.worktree"
	keyPerWorkdir = "extensions.worktreeconfig"
)

var placingKeys = []string{keyVersion, keyBare, keyWorktree, keyPerWorkdir}

const maxConfig = 16 << 20 // bytes; git has no limit, and a large one has some thousand

// A value is that of a setting. In git's files a key may stand there alone,
// which means true and is not the same as empty.
type value struct {
	text  string
	alone bool
}

// A settings is those of the keys above that one file sets; the last one wins.
type settings map[string]value

// readSettings reads one file of configuration. Includes are not followed: for
// these keys git does not either. An absent file sets nothing.
func readSettings(file string, env func(string) string) (settings, error) {
	data, err := readRegular(file, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return settings{}, nil
	}
	if err != nil {
		return nil, &ConfigError{File: file, Why: reason(err)}
	}
	if s, ok := readPlain(data); ok {
		return s, nil
	}
	// Of one file, git lists no includes either.
	list, err := runGit("/", env, "config", "--file", file, "--null", "--list")
	if errors.Is(err, exec.ErrNotFound) {
		return nil, &ConfigError{File: file, Why: "it is not in the plain form that git writes, and there is no git on PATH to read it"}
	}
	if err != nil {
		return nil, &ConfigError{File: file, Why: err.Error()}
	}
	return parseList(list), nil
}

// parseList reads what "git config --null --list" prints: key, newline, value,
// NUL; for a key alone no newline.
func parseList(list string) settings {
	s := settings{}
	for entry := range strings.SplitSeq(list, "\x00") {
		key, text, ok := strings.Cut(entry, "\n")
		if slices.Contains(placingKeys, key) {
			s[key] = value{text: text, alone: !ok}
		}
	}
	return s
}

// boolean returns a setting, and whether it is set.
func (s settings) boolean(file, key string) (on, set bool, err error) {
	v, set := s[key]
	if !set || v.alone {
		return set, set, nil
	}
	on, ok := parseBool(v.text)
	if !ok {
		return false, true, &ConfigError{File: file, Why: fmt.Sprintf("%s is %q, which is no boolean", key, v.text)}
	}
	return on, true, nil
}

// parseBool reads a boolean as git does: in words, as nothing (false) or as a
// number.
func parseBool(s string) (on, ok bool) {
	switch strings.ToLower(s) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off", "":
		return false, true
	}
	n, ok := parseInt(s)
	return n != 0, ok
}

// parseInt reads a number as git does, with a unit of k, m or g.
func parseInt(s string) (n int64, ok bool) {
	factor := int64(1)
	if s != "" {
		switch s[len(s)-1] | 0x20 { // in lower case
		case 'k':
			factor = 1 << 10
		case 'm':
			factor = 1 << 20
		case 'g':
			factor = 1 << 30
		}
	}
	if factor != 1 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseInt(s, 0, 32) // git refuses what no int holds
	return n * factor, err == nil
}
