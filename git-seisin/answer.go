package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode"
	"unicode/utf16"

	"github.com/urfave/cli/v2"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
	"seisin/internal/settings"
)

// A reply is the answer to a question: in words, or with --json as data.
type reply struct {
	text     func(w io.Writer)
	result   any // what seisin-json(5) describes for the command
	problems []problem
	code     int
}

// An envelope is what --json prints, of every command, also when it fails.
type envelope struct {
	Version  int       `json:"version"`
	Command  string    `json:"command"`
	Result   any       `json:"result"` // null: there is no answer, and problems says why
	Problems []problem `json:"problems"`
}

// A problem is something wrong, and what can be done about it.
type problem struct {
	What string `json:"what"`
	Why  string `json:"why"`  // "" where What says it
	Hint string `json:"hint"` // lines; "" where nothing can be done
	File string `json:"file"` // "" where no file is to blame
	Line int    `json:"line"` // 0 where no line is
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "answer with one JSON object, see seisin-json(5)"}
}

// question is the action of a command that answers. It reads least to most
// words besides the flags.
func (a *app) question(least, most int, ask func(*cli.Context, []string) (*reply, error)) cli.ActionFunc {
	return func(c *cli.Context) error {
		args, err := words(c, least, most)
		if _, isHelp := errors.AsType[*helpError](err); isHelp {
			return err
		}
		var r *reply
		if err == nil {
			r, err = ask(c, args)
		}
		// The words may be wrong before --json was seen among them.
		wantsJSON := c.Bool("json") || err != nil && asksJSON(c.Args().Slice())
		if err != nil && !wantsJSON {
			return err
		}
		if err != nil {
			return errors.Join(err, a.printJSON(c, nil, problemsOf(err)))
		}
		if err := a.print(c, r, wantsJSON); err != nil {
			return err
		}
		if r.code != exitOK {
			return &statusError{r.code}
		}
		return nil
	}
}

func asksJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json")
}

func (a *app) print(c *cli.Context, r *reply, asJSON bool) error {
	if asJSON || r.text == nil {
		return a.printJSON(c, r.result, r.problems)
	}
	// In one write, and with an error if that fails: half an answer to a
	// script would be a wrong one.
	var b bytes.Buffer
	r.text(&b)
	_, err := a.stdout.Write(b.Bytes())
	return err
}

func (a *app) printJSON(c *cli.Context, result any, problems []problem) error {
	if problems == nil {
		problems = []problem{}
	}
	b, err := encode(envelope{Version: 1, Command: c.Command.Name, Result: result, Problems: problems})
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(b)
	return err
}

// encode writes v as indented JSON in which no character acts on a terminal or
// changes the order of what stands around it.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, r := range b.String() {
		switch {
		case r == '\n' || unicode.IsPrint(r): // control characters are escaped already
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes(), nil
}

// problemsOf says what is wrong in parts. Where an error has several causes,
// so has the list.
func problemsOf(err error) (list []problem) {
	if e, ok := errors.AsType[*unheldError](err); ok {
		list = problemsOf(e.error)
		for i := range list {
			list[i].What = fmt.Sprintf("role %q: %s", e.role.Name, list[i].What)
			list[i].File, list[i].Line = e.path, e.role.Line
		}
		return list
	}
	if e, ok := errors.AsType[*sandbox.UnheldError](err); ok {
		for _, u := range e.Items {
			list = append(list, problem{
				What: fmt.Sprintf("the %s box cannot hold %q", e.Provider, u.Item), Why: u.Why, Hint: u.Fix,
			})
		}
		return list
	}
	p := problem{What: err.Error()}
	if h, ok := errors.AsType[hinter](err); ok {
		p.Hint = h.Hint()
	}
	if e, ok := errors.AsType[*roles.SyntaxError](err); ok {
		p.What, p.File, p.Line = e.Msg, e.Path, e.Line
	}
	if e, ok := errors.AsType[*roles.NotFoundError](err); ok {
		p.What, p.File = fmt.Sprintf("no role %q", e.Name), e.Path
	}
	if e, ok := errors.AsType[*settings.RefusedError](err); ok {
		p.What, p.File, p.Line = fmt.Sprintf("role %q: %s", e.Role, e.Msg), e.Path, e.Line
	}
	if e, ok := errors.AsType[*sandbox.UnsupportedError](err); ok {
		p.What, p.Why = fmt.Sprintf("this machine has no %s, which every box needs", e.Feature), e.Found
	}
	return []problem{p}
}
