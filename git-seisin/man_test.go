package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// page returns a manual page, without roff's escapes of hyphens.
func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "docs", "man", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), `\-`, "-")
}

// A command and a flag that the manual does not have are not there for those
// who read it; and what it has and the program has not is worse.
func TestEveryCommandHasItsPage(t *testing.T) {
	top := (&app{}).command()
	overview := page(t, "git-seisin.1")
	for _, c := range top.Commands {
		name := "git-seisin-" + c.Name + ".1"
		text := page(t, name)
		if want := ".BR git-seisin-" + c.Name + " (1)"; !strings.Contains(overview, want) {
			t.Errorf("git-seisin.1: no line %q", want)
		}
		flags := []string{"help"}
		for _, f := range c.Flags {
			flags = append(flags, f.Names()...)
		}
		for _, f := range flags {
			if !regexp.MustCompile(`(?m)^\.BI? --` + f + `\b|^\.BR -h ", " --` + f + `$`).MatchString(text) {
				t.Errorf("%s: --%s has no line of its own", name, f)
			}
		}
		for _, m := range regexp.MustCompile(`(?m)^\.BI? --([a-z-]+)`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains(flags, m[1]) {
				t.Errorf("%s: --%s is no flag of the command", name, m[1])
			}
		}
	}
	pages, err := filepath.Glob("../docs/man/git-seisin-*.1")
	if err != nil || len(pages) != len(top.Commands) {
		t.Errorf("got %d pages of commands, %v, want %d", len(pages), err, len(top.Commands))
	}
	for _, f := range top.Flags {
		if !strings.Contains(overview, "\n.B --"+f.Names()[0]+"\n") {
			t.Errorf("git-seisin.1: --%s has no line of its own", f.Names()[0])
		}
	}
}

// No command is shown that is not built, and all that are say where they are
// explained.
func TestHelpNamesThePages(t *testing.T) {
	for _, c := range (&app{}).command().Commands {
		if want := "man git-seisin-" + c.Name; !strings.HasSuffix(c.Description, want) {
			t.Errorf("%s: the help ends with %q, want %q", c.Name, c.Description, want)
		}
		if _, isBool := c.Flags[0].(*cli.BoolFlag); !isBool || c.Usage == "" || c.Action == nil {
			t.Errorf("%s: has no usage, no action or no flags", c.Name)
		}
	}
}

// The policy's reader is asked for its keys, so that none can be forgotten.
func TestEveryKeyHasItsLine(t *testing.T) {
	text := page(t, "seisin.toml.5")
	keys := 0
	for _, table := range []string{"", "[keys]\n", "[network]\n", "[runtime]\n", "[audit]\n", "[roles.dev]\n"} {
		for _, key := range keysOf(t, table) {
			keys++
			line := regexp.MustCompile(`(?m)^\.BR "?` + key + `"? " =`)
			if table == "" { // a table
				line = regexp.MustCompile(`(?m)\[` + key + `[].]`)
			}
			if !line.MatchString(text) {
				t.Errorf("seisin.toml.5: %s%s has no line", table, key)
			}
		}
	}
	if keys < 27 {
		t.Errorf("got %d keys, want 27 or more", keys)
	}
}

// keysOf returns what the reader says that a table may hold.
func keysOf(t *testing.T, table string) []string {
	t.Helper()
	_, err := roles.Parse("seisin.toml", []byte(table+"qqqqqqqqqqqq = 1\n"))
	bad, ok := errors.AsType[*roles.SyntaxError](err)
	if !ok {
		t.Fatalf("%q: got error %v, want one about the key", table, err)
	}
	_, list, ok := strings.Cut(bad.Hint(), " are: ")
	if !ok {
		t.Fatalf("%q: got the hint %q, want the keys", table, bad.Hint())
	}
	return strings.Split(list, ", ")
}

// A field that a program can see has a line too.
func TestEveryFieldIsDescribed(t *testing.T) {
	text := page(t, "seisin-json.5")
	words := map[string]bool{}
	for _, w := range regexp.MustCompile(`[a-z_]+`).FindAllString(text, -1) {
		words[w] = true
	}
	for _, v := range []any{envelope{}, problem{}, checked{}, roleCheck{}, explained{}, owned{}, sandbox.Spec{}, sandbox.Gitdir{}, sandbox.Domain{}, sandbox.Port{}} {
		for field := range fieldsOf(reflect.TypeOf(v)) {
			if !words[field] {
				t.Errorf("seisin-json.5: %s of %T is not described", field, v)
			}
		}
	}
	for _, part := range []sandbox.Part{
		sandbox.Territory, sandbox.Scratch, sandbox.Policy, sandbox.State, sandbox.Keys,
		sandbox.Git, sandbox.Never, sandbox.Temporary, sandbox.Visible,
	} {
		if want := fmt.Sprintf(`\(dq%s\(dq`, part); !strings.Contains(text, want) {
			t.Errorf("seisin-json.5: the part %s is not described", part)
		}
	}
}

// fieldsOf returns the names in JSON of all that a type holds, at any depth.
func fieldsOf(typ reflect.Type) map[string]bool {
	fields := map[string]bool{}
	for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return fields
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			fields[name] = true
		}
		for name := range fieldsOf(f.Type) {
			fields[name] = true
		}
	}
	return fields
}
