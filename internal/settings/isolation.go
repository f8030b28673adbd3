package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"seisin/internal/roles"
	"seisin/internal/sandbox"
)

// CredentialHomes are what isolation closes in the home: first those that check
// names, in its order, then where tools of Linux keep tokens, passwords
// and what was typed (SD-10). ~/.config is closed whole: to list the tools that
// keep tokens in it would be to forget one.
var CredentialHomes = []string{
	"~/.ssh", "~/.aws", "~/.npmrc", "~/.config", "~/.gnupg", "~/.kube", "~/.docker", "~/.netrc", "~/.git-credentials",

	"~/.azure", "~/.terraform.d", "~/.terraformrc", "~/.vault-token", "~/.password-store",
	"~/.pypirc", "~/.cargo/credentials", "~/.cargo/credentials.toml", "~/.gem/credentials", "~/.m2/settings.xml", "~/.gradle/gradle.properties",
	"~/.pgpass", "~/.my.cnf", "~/.mylogin.cnf",
	"~/.local/share/keyrings", "~/.mozilla", "~/.thunderbird", "~/.pki", "~/.var", "~/snap",
	"~/.bash_history", "~/.zsh_history", "~/.histfile", "~/.local/share/fish", "~/.python_history", "~/.node_repl_history",
	"~/.psql_history", "~/.mysql_history", "~/.sqlite_history", "~/.rediscli_history",
}

// isolation closes the places of credentials. Each directory that holds one is
// a skeleton: what stood there when the run began is there, but for what is
// closed, and what comes later is not (F2).
func (r *resolver) isolation() error {
	level := r.policy.Runtime.Isolate
	if level == roles.IsolateNone {
		return nil
	}
	home, line := r.machine.Home, r.policy.Runtime.IsolateLine
	switch {
	case home == "":
		return r.refuse(line, "set HOME to your home directory", "[runtime] isolate = %q: HOME names no directory", string(level))
	case sandbox.Within(home, r.place.Root):
		return r.refuse(line, "keep the repository in a directory below the home", "[runtime] isolate = %q: the home lies in the repository", string(level))
	}
	holders := map[string]bool{}
	for _, place := range r.closedPlaces() {
		if r.reopened(place) {
			continue
		}
		rule := fmt.Sprintf("[runtime] isolate = %q (%s:%d) closes %s", string(level), filepath.Base(r.policy.Path), line, place)
		names := []string{filepath.Join(home, strings.TrimPrefix(place, "~/"))}
		if filepath.IsAbs(place) {
			names[0] = place
		}
		// Where it is a link, what it leads to is closed, and what it leads
		// through.
		if w, err := follow(names[0]); err == nil {
			names = append(append(names, w.links...), w.real)
		}
		for _, name := range names {
			real, err := realPath(filepath.Dir(name))
			if err != nil {
				continue // nothing is there that could be read
			}
			name = filepath.Join(real, filepath.Base(name))
			if sandbox.Within(home, name) || sandbox.Within(r.place.Root, name) {
				return r.refuse(line, "let it lead to a directory of its own", "%s, which isolation closes, holds the home or the repository: it is %s", place, name)
			}
			f, err := lookAt(name)
			if err != nil {
				return err
			}
			r.answer.Spec.Hidden = append(r.answer.Spec.Hidden, sandbox.Grant{Path: name, Kind: f.kind, Part: sandbox.Credentials, ID: f.id, Rule: rule})
			holders[real] = true
		}
	}
	for dir := range holders {
		if err := r.skeleton(dir); err != nil {
			return err
		}
	}
	return nil
}

// closedPlaces is the table, and where XDG_CONFIG_HOME is instead.
func (r *resolver) closedPlaces() []string {
	list := slices.Clone(CredentialHomes)
	if dir := r.machine.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) && filepath.Clean(dir) != filepath.Join(r.machine.Home, ".config") {
		list = append(list, filepath.Clean(dir))
	}
	return list
}

// reopened reports whether the role's reads name the place itself.
func (r *resolver) reopened(place string) bool {
	return slices.ContainsFunc(r.role.Reads, func(t roles.Text) bool { return t.Value == place || r.inHome(t.Value) == r.inHome(place) })
}

func (r *resolver) inHome(place string) string {
	if rest, ok := strings.CutPrefix(place, "~/"); ok {
		return filepath.Join(r.machine.Home, rest)
	}
	return filepath.Clean(place)
}

// skeleton lists what a directory holds. In the repository, and in a place that
// is mounted for itself, a closed name is masked instead.
func (r *resolver) skeleton(dir string) error {
	if dir == "/" || sandbox.Within(dir, r.place.Root) {
		return nil
	}
	f, err := lookAt(dir)
	if err != nil || f.kind != sandbox.Dir || !f.exists {
		return err
	}
	s := &r.answer.Spec
	rule := dir + " holds credentials: what stood there when the run began is there without them, and nothing else"
	s.Skeletons = append(s.Skeletons, sandbox.Grant{Path: dir, Kind: sandbox.Dir, Part: sandbox.Visible, ID: f.id, Rule: rule})
	entries, err := os.ReadDir(dir)
	if err != nil {
		return closed(err)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		kind := sandbox.Link
		switch {
		case !utf8.ValidString(name):
			continue // a spec has no such path
		case e.IsDir():
			kind = sandbox.Dir
		case e.Type().IsRegular():
			kind = sandbox.File
		case e.Type()&os.ModeSymlink == 0:
			continue // a FIFO or a socket is a way out, and no way to read
		}
		// Without an identity: a shell's history is another file at each save.
		s.Entries = append(s.Entries, sandbox.Grant{Path: name, Kind: kind, Part: sandbox.Visible, Rule: "what is not hidden can be read"})
	}
	return nil
}

// reads opens closed places again, each by its name.
func (r *resolver) reads() error {
	for _, t := range r.role.Reads {
		if r.policy.Runtime.Isolate == roles.IsolateNone {
			break
		}
		from := source{key: "reads", value: t.Value, line: t.Line}
		w, err := follow(r.inHome(t.Value))
		if bad := r.planted(from, w); bad != nil {
			return bad
		}
		if err != nil {
			return r.lost(from, err)
		}
		f, err := lookAt(w.real)
		if err != nil {
			return r.lost(from, err)
		}
		in := r.keyHider(w.real)
		switch {
		case in != nil && in.Part != sandbox.Credentials:
			return r.refuse(t.Line, "take it out", "%s: %s", from, in.Rule)
		case f.odd:
			return r.refuse(t.Line, "name files and directories only", "%s is neither a file nor a directory", from)
		case !f.exists:
			r.note(t.Line, "make it first, or take it out of reads", "%s does not exist", from)
			continue
		case in == nil && !slices.ContainsFunc(r.closedPlaces(), func(p string) bool { return r.inHome(p) == r.inHome(t.Value) }):
			r.note(t.Line, "take it out of reads", "%s is not closed", from)
			continue
		}
		r.through(from, w)
		r.answer.Spec.Read = append(r.answer.Spec.Read, sandbox.Grant{Path: w.real, Kind: f.kind, Part: sandbox.Credentials, ID: f.id, Rule: r.rule(r.roleKey("reads"), t)})
	}
	return nil
}
