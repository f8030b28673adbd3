package roles

import (
	"path"
	"strings"
	"unicode"
)

// The lists of paths that are no territory.

// textFault says what no path, name or destination may hold.
func textFault(s string) *fault {
	switch {
	case s == "":
		return &fault{"is empty", "write what is meant, or remove it"}
	case strings.ContainsFunc(s, hidden):
		return &fault{"holds a character that does not show", "remove it"}
	case strings.TrimSpace(s) != s:
		if s = strings.TrimSpace(s); s == "" {
			return &fault{"is blank", "write what is meant, or remove it"}
		}
		return &fault{"begins or ends with a blank", instead(s)}
	}
	return nil
}

// hidden finds control characters, those that have no width, and those that
// turn the direction of the text around them: a person would approve another
// path than the kernel sees.
func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

// parsePlace reads a path that is the person's: absolute, or below "~".
func parsePlace(t Text) (Text, *fault) {
	s := t.Value
	if bad := placeFault(s); bad != nil {
		return t, bad
	}
	if bad := plainFault(s, parsePlace, "write an absolute path"); bad != nil {
		return t, bad
	}
	if s[0] != '/' && !strings.HasPrefix(s, "~/") {
		return t, notAPlace(s)
	}
	return t, nil
}

// parseScratch reads a path of [runtime] writes. Two expansions are what a
// reader can hold in mind: a leading "~/", and "$TMPDIR" alone.
func parseScratch(t Text) (Text, *fault) {
	if t.Value == "$TMPDIR" {
		return t, nil
	}
	return parsePlace(t)
}

func notAPlace(s string) *fault {
	if s[0] == '~' {
		return &fault{"names the home of another user", "write the absolute path"}
	}
	return &fault{"is relative", `write an absolute path, or one that begins with "~/"`}
}

func placeFault(s string) *fault {
	if bad := textFault(s); bad != nil {
		return bad
	}
	switch strings.TrimRight(s, "/*.") {
	case "":
		if s[0] == '/' {
			return &fault{"is the whole machine", "name the place that is needed"}
		}
	case "~":
		// It would hand over the shell's profile and all keys.
		return &fault{"is the whole home", "name the place in it that is needed"}
	}
	return nil
}

// plainFault says what keeps s from being one path, written the one way. The
// hint is a form that parse takes, or the other hint.
func plainFault(s string, parse func(Text) (Text, *fault), other string) *fault {
	switch body, tree := cutTree(s); {
	case tree && body != "" && !strings.ContainsAny(body, "*?"):
		return &fault{"ends as a pattern does; a path here means all below it", instead(body)}
	case strings.ContainsAny(s, "*?"):
		return &fault{"is a glob", "name each path by itself"}
	case strings.Contains(s, `\`):
		return &fault{"holds a \\, which separates nothing here", instead(slashes(s))}
	case namesVariable(s):
		return &fault{"names a variable, and none is expanded here", "write the path itself"}
	}
	bad := pathFault(s)
	if bad == nil {
		return nil
	}
	right := path.Clean(s)
	return bad.offer(right, right != s && takes(parse, right), other)
}

func namesVariable(s string) bool {
	_, after, ok := strings.Cut(s, "$")
	return ok && after != "" && (after[0] == '{' || after[0] == '_' || unicode.IsLetter(rune(after[0])))
}

// parseDir reads a directory of keys.
func parseDir(t Text) (Text, *fault) {
	s := t.Value
	if bad := textFault(s); bad != nil {
		return t, bad
	}
	switch {
	case s == "." || s == "./" || s == "/":
		return t, &fault{"is not a directory for keys alone", `name one, such as ".secrets"`}
	case s[0] == '~':
		return t, &fault{"begins with ~", "write the absolute path, or one relative to the root of the repository"}
	}
	return t, plainFault(s, parseDir, "write the absolute path, or one below the root of the repository")
}

// parseKey reads the name of a key. That it lies in a key directory is for
// package settings to see; here it can only not climb out by itself.
func parseKey(t Text) (Text, *fault) {
	s := t.Value
	if bad := textFault(s); bad != nil {
		return t, bad
	}
	switch {
	case strings.Contains(s, "://"):
		return t, &fault{"is a reference to a secret elsewhere", "name a file in a key directory"}
	case s == "." || strings.HasSuffix(s, "/") || strings.HasSuffix(s, "/."):
		return t, &fault{"names a directory", "name each key that the role may read"} // SD-4
	case s[0] == '~':
		return t, &fault{"begins with ~", "name a file in a key directory"}
	case s == ".." || strings.HasPrefix(s, "../") || strings.Contains(s, "/../") || strings.HasSuffix(s, "/.."):
		return t, &fault{`holds ".."`, "name a file in a key directory"}
	}
	return t, plainFault(s, parseKey, "name a file in a key directory")
}

// parseVariable reads the name of a variable of the environment.
func parseVariable(t Text) (Text, *fault) {
	name, _, assigned := strings.Cut(t.Value, "=")
	switch {
	case name != "" && variable(name) && assigned:
		return t, &fault{"gives a value; a variable is passed in as it is outside", instead(name)}
	case strings.HasPrefix(name, "$") && variable(name[1:]) && !assigned:
		return t, &fault{"begins with $", instead(name[1:])}
	case !variable(t.Value):
		return t, &fault{"is not the name of a variable", "use letters, digits and _, and no digit first"}
	}
	return t, nil
}

func variable(s string) bool {
	for i, c := range []byte(s) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
