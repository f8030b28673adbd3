package roles

import (
	"path"
	"strings"
)

// parsePattern reads one entry of a territory. What a kernel grant cannot
// express is refused and never translated: a pattern that the explaining half
// reads as one level and the enforcing half as the whole subtree is the one
// direction a permission tool must not fail in.
func parsePattern(t Text) (Pattern, *fault) {
	s := t.Value
	if bad := textFault(s); bad != nil {
		if s == "" {
			bad.hint = `write "**" if the whole repository is meant`
		}
		return Pattern{}, bad
	}
	if s == "**" {
		return Pattern{Text: t, Path: ".", Tree: true}, nil
	}
	if bad := patternFault(s); bad != nil {
		return Pattern{}, bad
	}
	body, tree := cutTree(s)
	if bad := pathFault(body); bad != nil {
		return Pattern{}, offerPattern(bad, body, tree)
	}
	return Pattern{Text: t, Path: body, Tree: tree, Abs: body[0] == '/'}, nil
}

// parseNever reads what is taken away from a territory.
func parseNever(t Text) (Pattern, *fault) {
	p, bad := parsePattern(t)
	switch {
	case bad != nil && bad.hint == writeAbsolute:
		return p, &fault{bad.why, writeRelative}
	case bad != nil:
		return p, bad
	case p.Abs:
		return p, &fault{"is absolute; it takes away from a territory, which lies in the repository", writeRelative}
	case p.Path == ".":
		return p, &fault{"takes away everything", "write writes = []"}
	}
	return p, nil
}

const (
	writeAbsolute = "write the absolute path, if a place outside the repository is meant"
	writeRelative = "write it relative to the root of the repository"
)

// globLetters mean more than themselves in one or another kind of pattern.
const globLetters = "*?[]{}!"

// cutTree splits "x/**" and "x/" into the path and whether it is a subtree.
func cutTree(s string) (body string, tree bool) {
	if body, tree = strings.CutSuffix(s, "/**"); !tree {
		body, tree = strings.CutSuffix(s, "/")
	}
	return body, tree
}

// patternFault says what in s is a way to write patterns that is not ours.
func patternFault(s string) *fault {
	switch {
	case strings.Trim(s, "/*.") == "" && s[0] == '/':
		return &fault{"is the whole machine", `write "**" for the whole repository, or name a directory`}
	case s == "." || s == "./" || s == "./**":
		return &fault{"is not how the root is written", instead("**")}
	case s[0] == '~':
		return &fault{"begins with ~, and a territory is relative to the repository", `a place in your home belongs in [runtime] writes, or is written as an absolute path`}
	case s[0] == '!':
		return &fault{"begins with !", "list what is taken away in never_writes, without the !"}
	case s[0] == '$' && len(s) > 1 && (s[1] == '{' || s[1] >= 'A' && s[1] <= 'Z'):
		return &fault{"names a variable, and none is expanded here", "write the path itself"}
	case strings.Contains(s, `\`):
		return &fault{"holds a \\, which separates nothing here", instead(slashes(s))}
	}
	body, _ := cutTree(s)
	if at := strings.IndexAny(body, globLetters); at >= 0 {
		return &fault{
			"is a glob; the kernel can grant a path, or a path with everything below it, and nothing in between",
			globHint(s, body[:at]),
		}
	}
	return nil
}

// slashes is what a path with backslashes was meant to be. One before a slash
// is a habit of escaping.
func slashes(s string) string {
	s = strings.ReplaceAll(s, `\`, "/")
	for strings.Contains(s, "//") {
		s = strings.ReplaceAll(s, "//", "/")
	}
	return s
}

// globHint offers the two ways out of a glob: the subtree around it, or names.
// Before is what stands in front of the first special character.
func globHint(s, before string) string {
	if body, ok := strings.CutSuffix(s, "/"); ok {
		if takes(parsePattern, body) {
			return instead(body) // src/**/
		}
	}
	if list := expandBraces(s); list != "" {
		return "write " + list
	}
	dir := path.Clean(before[:strings.LastIndexByte(before, '/')+1])
	if !takes(parsePattern, dir+"/**") {
		return `write "dir/**" for everything below a directory, or name the files one by one`
	}
	return instead(dir+"/**") + " for everything below " + cut(dir) + ", or name the files one by one"
}

// expandBraces writes "a/{b,c}/**" as the patterns it stands for, or "".
func expandBraces(s string) string {
	before, rest, _ := strings.Cut(s, "{")
	in, after, ok := strings.Cut(rest, "}")
	if body, _ := cutTree(after); !ok || len(s) > 100 || strings.ContainsAny(before+in+body, globLetters) {
		return ""
	}
	var list []string
	for word := range strings.SplitSeq(in, ",") {
		one := before + word + after
		if !takes(parsePattern, one) {
			return ""
		}
		list = append(list, `"`+one+`"`)
	}
	return strings.Join(list, ", ")
}

// offerPattern completes bad with the pattern for body when it is clean.
func offerPattern(bad *fault, body string, tree bool) *fault {
	right := path.Clean(body)
	news := right != body
	switch {
	case right == ".":
		right = "**"
	case tree:
		right += "/**"
	}
	return bad.offer(right, news && takes(parsePattern, right), writeAbsolute)
}

// pathFault says what keeps s from being a path in the one way it is written.
func pathFault(s string) *fault {
	switch {
	case strings.Contains("/"+s+"/", "/../"):
		return &fault{why: `holds "..", which leads elsewhere through a symbolic link`}
	case strings.Contains(s, "//") || strings.HasSuffix(s, "/"):
		return &fault{why: `holds an empty name between two "/"`}
	case s != path.Clean(s):
		return &fault{why: `holds a "." that names nothing`}
	}
	return nil
}
