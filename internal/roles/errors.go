package roles

import (
	"fmt"
	"strings"
)

// A SyntaxError reports a seisin.toml that does not say one thing.
type SyntaxError struct {
	Path string // as given to [Parse]
	Line int    // 1-based
	Msg  string // where, what and why: `roles.dev: unknown key "write"`
	hint string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Msg)
}

// Hint says what to write instead.
func (e *SyntaxError) Hint() string { return e.hint }

// A NotFoundError reports a role that the policy does not have.
type NotFoundError struct {
	Name  string   // the role asked for
	Path  string   // the seisin.toml that was read
	Known []string // the roles it has, in the order of the file
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no role %q in %s", e.Name, e.Path)
}

// Hint names the nearest role, and all there are.
func (e *NotFoundError) Hint() string {
	if len(e.Known) == 0 {
		return "the file has no roles; add a table [roles.NAME]"
	}
	all := "the roles are: " + strings.Join(e.Known, ", ")
	if near := nearest(e.Name, e.Known); near != "" {
		return fmt.Sprintf("did you mean %q?\n%s", near, all)
	}
	return all
}

// A fault is what is wrong with one string: why follows the quoted string in
// a sentence, hint says what to write instead.
type fault struct{ why, hint string }

// offer completes f with the hint to write right, if that is taken, and with
// the other hint if not.
func (f *fault) offer(right string, takes bool, other string) *fault {
	if f.hint = other; takes {
		f.hint = instead(right)
	}
	return f
}

// takes reports whether parse takes s.
func takes[T any](parse func(Text) (T, *fault), s string) bool {
	_, bad := parse(Text{Value: s})
	return bad == nil
}

// instead is the hint that gives the right form.
func instead(s string) string { return "write " + quote(s) }
