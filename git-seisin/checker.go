package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"seisin/internal/roles"
	"seisin/internal/sandbox/native"
	"seisin/internal/settings"
)

// A checker gathers what is wrong. What concerns every role alike is told
// once.
type checker struct {
	*loaded
	checked  *checked
	problems []problem
	faults   int                 // how often something was wrong, also where it was told already
	about    map[string]int      // index in problems, by what it is of
	blames   map[string][]string // the roles that are refused, by why
}

func newChecker(l *loaded) *checker {
	x := &checker{loaded: l, about: map[string]int{}, blames: map[string][]string{}}
	x.checked = &checked{
		Root: l.place.Root, Policy: l.policy.Path,
		Isolation: string(l.policy.Runtime.Isolate), Credentials: readable(l.policy),
		Roles: []checkedRole{}, Scratch: l.scratchNames(nil), Notes: []checkedNote{},
		Machine: checkedMachine{Provider: native.New().Name(), Sound: true},
	}
	x.machine()
	return x
}

// machine says what this machine lacks for any box.
func (x *checker) machine() {
	if x.checked.Machine.Inside = inside(); x.checked.Machine.Inside != "" {
		return
	}
	if err := x.machineHolds(); err != nil {
		x.checked.Machine.Sound = false
		x.once(err.Error(), problemsOf(err)[0])
	}
}

// role checks one role and returns what it is granted, or nil.
func (x *checker) role(role *roles.Role) *settings.Answer {
	row := checkedRole{Name: role.Name, Line: role.Line, Command: orEmpty(role.Command), Writes: values(role.Writes), Later: []string{}}
	before := x.faults
	answer, err := x.resolve(role, false)
	if err != nil {
		x.refused(role, err)
	} else {
		kept, taken := x.writes(role, answer)
		row.Writes, row.Later = values(kept), answer.Later
		x.notes(role, answer.Notes)
		x.takenAway(role, taken)
		x.permissions(role, answer)
		if held, ok := errors.AsType[*unheldError](x.held(role, answer)); ok {
			for _, p := range problemsOf(held.error) {
				x.blame(role, p)
			}
		}
	}
	row.Sound = x.faults == before
	x.checked.Roles = append(x.checked.Roles, row)
	if answer != nil {
		x.checked.Scratch = x.scratchNames(answer)
	}
	return answer
}

// refused takes a refusal. What every role is refused for, such as a setting
// in [runtime], is one problem.
func (x *checker) refused(role *roles.Role, err error) {
	for _, p := range problemsOf(err) {
		if e, ok := errors.AsType[*settings.RefusedError](err); ok {
			p.What = e.Msg // it names its role itself
		}
		x.blame(role, p)
	}
}

// blame adds a problem of role, or role to a problem that others have too.
func (x *checker) blame(role *roles.Role, p problem) {
	of := fmt.Sprint(p.Line, p.What, p.Why)
	names := append(x.blames[of], role.Name)
	x.blames[of] = names
	switch {
	case len(names) > 1:
		p.What = fmt.Sprintf("roles %s: %s", strings.Join(names, ", "), p.What)
	case p.File == "": // the provider knows no lines
		p.Line = role.Line
		fallthrough
	default:
		p.What = fmt.Sprintf("role %q: %s", role.Name, p.What)
	}
	p.File = x.policy.Path
	x.once(of, p)
}

// once adds a problem, or puts it in place of what was known of it.
func (x *checker) once(of string, p problem) {
	x.faults++
	if i, told := x.about[of]; told {
		x.problems[i] = p
		return
	}
	x.about[of] = len(x.problems)
	x.problems = append(x.problems, p)
}

// notes tells a line of the policy that does nothing, and could, as a problem.
// The others are there to be known.
func (x *checker) notes(role *roles.Role, notes []settings.Note) {
	for _, n := range notes {
		if n.Line > 0 && n.Hint != "" {
			x.blame(role, problem{What: n.What, Hint: n.Hint, File: x.policy.Path, Line: n.Line})
			continue
		}
		i := slices.IndexFunc(x.checked.Notes, func(k checkedNote) bool {
			return k.What == n.What && k.Line == n.Line
		})
		if i < 0 {
			i = len(x.checked.Notes)
			x.checked.Notes = append(x.checked.Notes, checkedNote{What: n.What, Hint: n.Hint, Line: n.Line})
		}
		x.checked.Notes[i].Roles = append(x.checked.Notes[i].Roles, role.Name)
	}
}

func (x *checker) reply(result any, text func(io.Writer)) *reply {
	r := &reply{result: result, problems: x.problems, text: func(w io.Writer) {
		text(w)
		x.noteText(w)
		x.problemText(w)
	}}
	if len(x.problems) > 0 {
		r.code = exitNo
	}
	return r
}

func (x *checker) problemText(w io.Writer) {
	if len(x.problems) == 0 {
		fmt.Fprintln(w, "problems: none")
		return
	}
	fmt.Fprintln(w, "problems:")
	for _, p := range x.problems {
		fmt.Fprintf(w, "  %s\n", printable(p.sentence()))
		for line := range strings.Lines(p.Hint) {
			fmt.Fprintf(w, "    hint: %s\n", printable(strings.TrimSpace(line)))
		}
	}
}

// sentence is a problem in one line, as an error would say it.
func (p problem) sentence() string {
	s := p.What
	if p.Line > 0 {
		s = fmt.Sprintf("%s:%d: %s", filepath.Base(p.File), p.Line, s)
	}
	if p.Why != "" {
		s += ": " + p.Why
	}
	return s
}
