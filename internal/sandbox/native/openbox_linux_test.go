package native_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"seisin/internal/gitdir"
	"seisin/internal/launch"
	"seisin/internal/roles"
	"seisin/internal/sandbox"
	"seisin/internal/settings"
)

// tb is what rapid's T and testing's share.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// specFor resolves the only role of a policy text in the work tree root, or
// returns why it is refused.
func specFor(t tb, root, policy string) (sandbox.Spec, error) {
	t.Helper()
	return specOf(t, root, policy, 0)
}

// specOf is the same of the role with that number.
func specOf(t tb, root, policy string, role int) (sandbox.Spec, error) {
	t.Helper()
	a, err := answerOf(t, root, policy, role)
	if err != nil {
		return sandbox.Spec{}, err
	}
	return a.Spec, nil
}

// answerOf is the spec with all that is said beside it.
func answerOf(t tb, root, policy string, role int) (*settings.Answer, error) {
	t.Helper()
	name := filepath.Join(root, roles.FileName)
	if err := os.WriteFile(name, []byte(policy), 0o644); err != nil {
		t.Fatalf("%v", err)
	}
	p, err := roles.Parse(name, []byte(policy))
	if err != nil {
		t.Fatalf("policy:\n%s\n%v", policy, err)
	}
	place, err := gitdir.Find(root, func(string) string { return "" })
	if err != nil {
		t.Fatalf("%v", err)
	}
	m, err := settings.Here()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return settings.For(p, &p.Roles[role], place, m, settings.Options{Cwd: place.Root})
}

// An open box with an actor in it.
type openBox struct {
	t     tb
	spec  sandbox.Spec
	in    *os.File
	out   *bufio.Reader
	ended chan error
}

// openWithActor opens a box as a run does, with the actor as its command.
func openWithActor(t tb, provider sandbox.Provider, spec sandbox.Spec) *openBox {
	t.Helper()
	m, err := settings.Here()
	if err != nil {
		t.Fatalf("%v", err)
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatalf("%v", err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatalf("%v", err)
	}
	b := &openBox{t: t, spec: spec, in: in, out: bufio.NewReader(out), ended: make(chan error, 1)}
	go func() {
		_, err := launch.Run{
			Provider: provider, Spec: spec, State: m.State(), Command: actorCommand,
			In: theirIn, Out: theirOut, Err: os.Stderr, Note: func(string, ...any) {},
		}.Do(context.Background())
		_ = theirIn.Close()
		_ = theirOut.Close()
		b.ended <- err
	}()
	// Until it answers the box is being built, and what the host changes then
	// is a reason to refuse it.
	if _, alive := b.do(act{Op: "list", Path: "/"}); !alive {
		t.Fatalf("the box did not open: %v", <-b.ended)
	}
	return b
}

// do has the actor try a, and reports whether the box was still there to try.
func (b *openBox) do(a act) (o outcome, alive bool) {
	line, err := json.Marshal(a)
	if err != nil {
		b.t.Fatalf("%v", err)
	}
	if _, err := b.in.Write(append(line, '\n')); err != nil {
		return o, false
	}
	answer, err := b.out.ReadBytes('\n')
	if err != nil {
		return o, false
	}
	if err := json.Unmarshal(answer, &o); err != nil {
		b.t.Fatalf("%v", err)
	}
	return o, true
}

// close ends the actor, and returns what the run ended with.
func (b *openBox) close() error {
	_ = b.in.Close()
	select {
	case err := <-b.ended:
		b.ended <- err
		return err
	case <-time.After(time.Minute):
		b.t.Fatalf("the run did not end")
		return nil
	}
}
