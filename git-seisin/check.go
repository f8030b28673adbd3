package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"seisin/internal/roles"
	"seisin/internal/settings"
)

func (a *app) checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "say what the policy grants, and what is wrong with it",
		ArgsUsage: "[ROLE]",
		Description: "Without ROLE a line a role, with ROLE all of it. The exit status is 0 if all\n" +
			"is sound, 1 if there is a problem and 2 if the policy cannot be read.",
		Flags:  []cli.Flag{jsonFlag()},
		Action: a.question(0, 1, a.check),
	}
}

// A checked is the answer of check without a role.
type checked struct {
	Root        string         `json:"root"`
	Policy      string         `json:"policy"`
	Isolation   string         `json:"isolation"`
	Credentials []string       `json:"credentials"` // some that every role can read
	Roles       []checkedRole  `json:"roles"`
	Scratch     []string       `json:"scratch"` // as the policy names it
	Notes       []checkedNote  `json:"notes"`
	Machine     checkedMachine `json:"machine"`
}

type checkedRole struct {
	Name    string   `json:"name"`
	Line    int      `json:"line"`
	Command []string `json:"command"`
	Writes  []string `json:"writes"`
	Later   []string `json:"later"` // what it asks for and this version does not give
	Sound   bool     `json:"sound"`
}

type checkedNote struct {
	What  string   `json:"what"`
	Hint  string   `json:"hint"`
	Line  int      `json:"line"`
	Roles []string `json:"roles"` // whom it is about
}

type checkedMachine struct {
	Provider string `json:"provider"`
	Sound    bool   `json:"sound"`  // as far as can be seen without opening a box
	Inside   string `json:"inside"` // the role of the run that this is a part of; "" outside
}

// credentials are the places that check names as readable. There are more.
var credentials = []string{"~/.ssh", "~/.aws", "~/.npmrc", "~/.config"}

// agents are the agents' places that check names as closed. There are more.
var agents = []string{"~/.claude", "~/.codex"}

func (a *app) check(_ *cli.Context, args []string) (*reply, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	if len(args) > 0 {
		return l.checkRole(args[0])
	}
	x := newChecker(l)
	for i := range l.policy.Roles {
		x.role(&l.policy.Roles[i])
	}
	if len(l.policy.Roles) == 0 {
		x.problems = append(x.problems, problem{What: "the policy has no roles", Hint: "add a table [roles.NAME]", File: l.policy.Path})
	}
	return x.reply(x.checked, x.text), nil
}

// readable are those of the credentials that a role can read.
func readable(policy *roles.Policy) []string {
	if policy.Runtime.Isolate != roles.IsolateNone {
		return []string{}
	}
	return credentials
}

// text is a line a role, and then what is the same for all of them.
func (x *checker) text(w io.Writer) {
	wide := 0
	for _, r := range x.checked.Roles {
		wide = max(wide, len(r.Name))
	}
	for _, r := range x.checked.Roles {
		fmt.Fprintf(w, "%-*s  %s\n", wide, r.Name, printable(r.line()))
	}
	fmt.Fprintf(w, "scratch of every role: %s\n", printable(nothingOr(x.checked.Scratch)))
	fmt.Fprintln(w, printable(isolation(x.policy, nil)))
	fmt.Fprintf(w, "the %s box: %s\n", x.checked.Machine.Provider, x.checked.Machine.text())
	fmt.Fprintln(w, "what each box holds, and what it does not: git seisin check ROLE")
}

func (r checkedRole) line() string {
	s := "writes " + nothingOr(r.Writes)
	if !r.Sound {
		s += " · HAS A PROBLEM"
	}
	for _, later := range r.Later {
		s += " · " + later
	}
	return s
}

// noteText shows notes, and whom they are about where that is not everyone.
func (x *checker) noteText(w io.Writer) {
	for _, n := range x.checked.Notes {
		s := n.What
		if len(n.Roles) < len(x.checked.Roles) {
			s = strings.Join(n.Roles, ", ") + ": " + s
		}
		if n.Hint != "" {
			s += "; " + n.Hint
		}
		fmt.Fprintf(w, "note: %s\n", printable(s))
	}
}

func (m checkedMachine) text() string {
	if m.Inside != "" {
		return fmt.Sprintf("this is inside a run of role %s, and the machine was looked at when that began", printable(m.Inside))
	}
	if !m.Sound {
		return "this machine lacks what every box needs"
	}
	return "this machine has Landlock and does not forbid user namespaces; the first run tries the rest"
}

// isolation says the limit of the level out loud, for a role or for all.
func isolation(policy *roles.Policy, role *roles.Role) string {
	who, cannot, but := "every role", "no role can", ", but for what its reads name"
	if role != nil {
		who, cannot, but = role.Name, role.Name+" cannot", ""
		if len(role.Reads) > 0 {
			but = ", but for " + strings.Join(textValues(role.Reads), " ") + ", which its reads name"
		}
	}
	switch level := policy.Runtime.Isolate; level {
	case roles.IsolateCredentials:
		first, more := settings.CredentialHomes[:len(credentials)], len(settings.CredentialHomes)-len(credentials)
		return fmt.Sprintf("isolation: credentials: %s read %s and %d more places (see seisin.toml(5))%s; the rest of your home can be read, ~/.gitconfig and agents' sessions such as ~/.claude too",
			cannot, strings.Join(first, " "), more, but)
	case roles.IsolateHome:
		more := len(settings.CredentialHomes) + len(settings.AgentHomes) - len(credentials) - len(agents)
		return fmt.Sprintf("isolation: home: %s read %s %s and %d more places (see seisin.toml(5))%s; HOME inside is the role's own, and the rest of your home can be read",
			cannot, strings.Join(credentials, " "), strings.Join(agents, " "), more, but)
	}
	return fmt.Sprintf("isolation: none: %s can read all that you can and that is not hidden, credentials too, such as %s", who, strings.Join(credentials, " "))
}

func textValues(texts []roles.Text) (list []string) {
	for _, t := range texts {
		list = append(list, t.Value)
	}
	return list
}

func nothingOr(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, " ")
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
