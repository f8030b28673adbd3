package rundir

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// What a power cut leaves of the registry, where the name came to the disk and
// the bytes did not, keeps no run from starting. What it named stays.
func TestARegistryThatWasCutShort(t *testing.T) {
	for _, tt := range []struct {
		name string
		cut  func(b []byte) []byte
	}{
		{"Empty", func([]byte) []byte { return nil }},
		{"Zeros", func(b []byte) []byte { return make([]byte, len(b)) }},
		{"ZerosAtTheEnd", func(b []byte) []byte { return append(b[:len(b)/2], make([]byte, len(b)/2)...) }},
		{"Half", func(b []byte) []byte { return b[:len(b)/2] }},
		{"AllButTheLast", func(b []byte) []byte { return b[:len(b)-1] }},
		{"OneByte", func(b []byte) []byte { return b[:1] }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			state, work := t.TempDir(), t.TempDir()
			dead := start(t, state, work+"/f")
			ensure(t, dead, work+"/f", false)
			die(dead)
			name := filepath.Join(state, "run", registryName)
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, tt.cut(b), 0o600); err != nil {
				t.Fatal(err)
			}
			next := start(t, state, work+"/g")
			ensure(t, next, work+"/g", false)
			end(t, next)
			wantTree(t, work, "f")
		})
	}
}

// A registry may be older than the disk: a run has removed what it made, and
// that it did so is lost. THIS TEST VERIFIES that a person's empty file of that
// name stays, also where it was given the number of the one before it.
func TestARegistryThatIsBehind(t *testing.T) {
	state, work := t.TempDir(), t.TempDir()
	name := filepath.Join(state, "run", registryName)
	for _, same := range []bool{true, false} {
		dead := start(t, state, work+"/f")
		ensure(t, dead, work+"/f", false)
		die(dead)
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var all []made
		if err := json.Unmarshal(b, &all); err != nil || len(all) != 1 || all[0].Born == 0 {
			t.Fatalf("got registry %s (%v), want one file and when it was born", b, err)
		}
		if !same { // the person's, who made it a second later
			all[0].Born -= 1e9
		}
		if b, err = json.Marshal(all); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		end(t, start(t, state))
		if same {
			wantTree(t, work) // the control: it is the one that was made
		} else {
			wantTree(t, work, "f")
		}
	}
}
