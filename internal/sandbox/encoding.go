package sandbox

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// An EncodingError reports a path, or a variable of the environment, that is
// not UTF-8. One of the two is set.
type EncodingError struct {
	Path     string
	Variable string // NAME=value
}

func (e *EncodingError) Error() string {
	if e.Variable != "" {
		return fmt.Sprintf("the environment variable %q is not UTF-8", e.Variable)
	}
	return fmt.Sprintf("the path %q is not UTF-8", e.Path)
}

// Hint says what the user can do about it.
func (e *EncodingError) Hint() string {
	if name, _, ok := strings.Cut(e.Variable, "="); ok {
		return fmt.Sprintf("unset %s, or set it to text in UTF-8", name)
	}
	at := "/" // the first directory or file in it that is not
	for name := range strings.SplitSeq(e.Path, "/") {
		if at = path.Join(at, name); !utf8.ValidString(name) {
			break
		}
	}
	return fmt.Sprintf("rename %q", at)
}
