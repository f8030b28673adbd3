package settings

import (
	"errors"
	"testing"
)

func TestHere(t *testing.T) {
	for _, tt := range []struct {
		name                string
		make                []string
		env                 map[string]string
		home, state, config string
	}{
		{
			name: "Plain", env: map[string]string{"HOME": "$HOME"},
			home: "$HOME", state: "$HOME/.local/state/seisin", config: "$HOME/.config/seisin",
		},
		{
			name: "XDG", env: map[string]string{"HOME": "$HOME", "XDG_STATE_HOME": "$OUT/s", "XDG_CONFIG_HOME": "$OUT/c"},
			home: "$HOME", state: "$OUT/s/seisin", config: "$OUT/c/seisin",
		},
		{
			// Their specification: a relative one is to be ignored.
			name: "RelativeXDG", env: map[string]string{"HOME": "$HOME", "XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "./c"},
			home: "$HOME", state: "$HOME/.local/state/seisin", config: "$HOME/.config/seisin",
		},
		{
			name: "EmptyXDG", env: map[string]string{"HOME": "$HOME", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": ""},
			home: "$HOME", state: "$HOME/.local/state/seisin", config: "$HOME/.config/seisin",
		},
		{
			name: "HomeIsALink", make: []string{"$OUT/h -> $HOME"}, env: map[string]string{"HOME": "$OUT/h"},
			home: "$HOME", state: "$HOME/.local/state/seisin", config: "$HOME/.config/seisin",
		},
		{
			name: "StateIsALink", make: []string{"$OUT/big/", "$HOME/.local/state -> $OUT/big"}, env: map[string]string{"HOME": "$HOME"},
			home: "$HOME", state: "$OUT/big/seisin", config: "$HOME/.config/seisin",
		},
		{
			name: "NoHomeButXDG", env: map[string]string{"XDG_STATE_HOME": "$OUT/s", "XDG_CONFIG_HOME": "$OUT/c"},
			state: "$OUT/s/seisin", config: "$OUT/c/seisin",
		},
		{
			name: "HomeIsAFile", make: []string{"$OUT/f"}, env: map[string]string{"HOME": "$OUT/f", "XDG_STATE_HOME": "$OUT/s", "XDG_CONFIG_HOME": "$OUT/c"},
			state: "$OUT/s/seisin", config: "$OUT/c/seisin",
		},
		{
			name: "HomeIsRelative", env: map[string]string{"HOME": ".", "XDG_STATE_HOME": "$OUT/s", "XDG_CONFIG_HOME": "$OUT/c"},
			state: "$OUT/s/seisin", config: "$OUT/c/seisin",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.make(t, tt.make...)
			g.setenv(t, tt.env)
			m, err := Here()
			if err != nil {
				t.Fatal(err)
			}
			got := [3]string{g.fold(m.Home), g.fold(m.State()), g.fold(m.Config)}
			if want := [3]string{tt.home, tt.state, tt.config}; got != want {
				t.Errorf("got home, state, config %q, want %q", got, want)
			}
		})
	}
}

// setenv leaves of HOME and the XDG variables only those of env.
func (g *ground) setenv(t *testing.T, env map[string]string) {
	t.Helper()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"} {
		unset(t, name)
	}
	for name, value := range env {
		t.Setenv(name, g.expand(value))
	}
}

// Without a place of its own nothing runs, and the person is told which.
func TestHereWithoutAHome(t *testing.T) {
	for _, tt := range []struct {
		name     string
		env      map[string]string
		variable string
	}{
		{"Nothing", nil, "XDG_STATE_HOME"},
		{"Absent", map[string]string{"HOME": "$OUT/none"}, "XDG_STATE_HOME"},
		{"Relative", map[string]string{"HOME": "h", "XDG_STATE_HOME": "s", "XDG_CONFIG_HOME": "c"}, "XDG_STATE_HOME"},
		{"StateOnly", map[string]string{"XDG_STATE_HOME": "$OUT/s"}, "XDG_CONFIG_HOME"},
		{"ConfigOnly", map[string]string{"XDG_CONFIG_HOME": "$OUT/c"}, "XDG_STATE_HOME"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGround(t)
			g.setenv(t, tt.env)
			m, err := Here()
			none, ok := errors.AsType[*NoHomeError](err)
			if !ok {
				t.Fatalf("got state %q, «%v», want that there is no home", m.State(), err)
			}
			want := "HOME names no directory, and " + tt.variable + " is not set: there is no place for this tool's own files"
			if none.Error() != want || none.Hint() == "" {
				t.Errorf("got  «%v» «%s»\nwant «%s» and a hint", none, none.Hint(), want)
			}
		})
	}
}
