package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// A table is the outcome of a measurement.
type table struct {
	System  string `json:"system"`
	CPUs    int    `json:"cpus"`
	Rounds  int    `json:"rounds"`
	Base    string `json:"base"`
	Results []row  `json:"results"`
}

// A row is one command's times, in nanoseconds.
type row struct {
	Name   string        `json:"name"`
	Argv   []string      `json:"argv"`
	Min    time.Duration `json:"min_ns"`
	Median time.Duration `json:"median_ns"`
	P90    time.Duration `json:"p90_ns"`
	Ratio  float64       `json:"ratio"` // of this median to the base's
}

// summarize makes a table of times, which holds one list a command.
func summarize(commands []command, times [][]time.Duration, base string) (*table, error) {
	t := &table{Rounds: len(times[0]), Base: base}
	var unit time.Duration
	for i, c := range commands {
		sorted := slices.Sorted(slices.Values(times[i]))
		r := row{
			Name:   c.name,
			Argv:   c.argv,
			Min:    sorted[0],
			Median: median(sorted),
			P90:    sorted[len(sorted)*9/10],
		}
		if c.name == base {
			unit = r.Median
		}
		t.Results = append(t.Results, r)
	}
	if unit == 0 {
		return nil, fmt.Errorf("no command is named %q, which ratios are to be to", base)
	}
	for i := range t.Results {
		t.Results[i].Ratio = float64(t.Results[i].Median) / float64(unit)
	}
	return t, nil
}

// median returns the middle of a sorted list, or between the two there.
func median(sorted []time.Duration) time.Duration {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func (t *table) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(t)
}

func (t *table) write(w io.Writer) error {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	_, err := fmt.Fprintf(w, "%-20s %9s %9s %9s  %9s\n", "start to exit, ms", "median", "min", "p90", "× "+t.Base)
	if err != nil {
		return err
	}
	for _, r := range t.Results {
		_, err := fmt.Fprintf(w, "%-20s %9.2f %9.2f %9.2f  %9.2f\n", r.Name, ms(r.Median), ms(r.Min), ms(r.P90), r.Ratio)
		if err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "%d rounds, commands in turn; %s, %d CPUs\n", t.Rounds, t.System, t.CPUs)
	return err
}
