package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name    string
		args    []string
		wantErr string
	}{
		{"Two", []string{"a=true", "b=sh -c true"}, ""},
		{"EqualsSignInCommand", []string{"a=env X=1 true"}, ""},
		{"None", nil, "no command"},
		{"NoName", []string{"=true"}, "want NAME=COMMAND"},
		{"NoCommand", []string{"a="}, "want NAME=COMMAND"},
		{"Twice", []string{"a=true", "a=false"}, `two commands are named "a"`},
		{"NotFound", []string{"a=nosuch-command"}, "nosuch-command"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse(tt.args, "")
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Errorf("parse(%q) error = %v, want %q", tt.args, err, tt.wantErr)
				}
				return
			}
			if err != nil || len(got) != len(tt.args) {
				t.Errorf("parse(%q) = %d commands, %v, want %d", tt.args, len(got), err, len(tt.args))
			}
		})
	}
}

func TestMeasure(t *testing.T) {
	commands, err := parse([]string{"quick=true", "slow=sleep 0.05"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	times, err := measure(commands, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(times) != 2 || len(times[0]) != 3 || len(times[1]) != 3 {
		t.Fatalf("times = %v, want two lists of three", times)
	}
	for _, took := range times[1] {
		if took < 50*time.Millisecond {
			t.Errorf("sleep 0.05 took %v", took)
		}
	}
	tab, err := summarize(commands, times, "quick")
	if err != nil {
		t.Fatal(err)
	}
	if got := tab.Results[0].Ratio; got != 1 {
		t.Errorf("ratio of the base = %v, want 1", got)
	}
	if got := tab.Results[1].Ratio; got <= 1 {
		t.Errorf("ratio of sleep = %v, want more than 1", got)
	}
}

// A command that fails is told with what it says: its time means nothing.
func TestFailingCommand(t *testing.T) {
	commands, err := parse([]string{"ls=ls /nosuch"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := measure(commands, 1); err == nil || !strings.Contains(err.Error(), "/nosuch") {
		t.Errorf("measure error = %v, want what ls said", err)
	}
	commands, err = parse([]string{"no=false"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := commands[0].time(0); err == nil {
		t.Error("time of a command that exits with 1 has no error")
	}
}

func TestTable(t *testing.T) {
	const ms = time.Millisecond
	commands := []command{{name: "bare", argv: []string{"true"}}, {name: "box", argv: []string{"box", "true"}}}
	times := [][]time.Duration{{3 * ms, 1 * ms, 2 * ms, 2 * ms}, {6 * ms, 8 * ms, 9 * ms, 7 * ms}}
	tab, err := summarize(commands, times, "bare")
	if err != nil {
		t.Fatal(err)
	}
	var text, object strings.Builder
	if err := tab.write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"× bare", "bare 2.00 1.00 3.00 1.00", "box 7.50 6.00 9.00 3.75", "4 rounds"} {
		if !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("table lacks %q:\n%s", want, text.String())
		}
	}
	if err := tab.writeJSON(&object); err != nil {
		t.Fatal(err)
	}
	var back table
	if err := json.Unmarshal([]byte(object.String()), &back); err != nil {
		t.Fatal(err)
	}
	if got := back.Results[1]; got.Name != "box" || got.Median != 7500*time.Microsecond || got.Ratio != 3.75 {
		t.Errorf("row from JSON = %+v, want box, 7.5 ms, 3.75", got)
	}
	if _, err := summarize(commands, times, "other"); err == nil {
		t.Error("summarize with an unknown base has no error")
	}
}
