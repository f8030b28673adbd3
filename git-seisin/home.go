package main

import (
	"os"
	"slices"

	"seisin/internal/gitdir"
	"seisin/internal/homes"
	"seisin/internal/sandbox"
	"seisin/internal/settings"
)

// seed begins to find out what the role's home is given, and returns who waits
// for it: git is asked for the person's name meanwhile.
func (l *loaded) seed(answer *settings.Answer) func() homes.Seed {
	if homeOf(answer.Spec) == "" {
		return nil
	}
	found := make(chan gitdir.Identity, 1)
	go func() {
		who, _ := l.place.Identity(os.Getenv) // git says it better when it is asked to commit
		found <- who
	}()
	return func() homes.Seed {
		s := homes.Seed{Identity: homes.Identity(<-found)}
		for _, stand := range answer.Stands {
			s.Stands = append(s.Stands, homes.Stand(stand))
		}
		return s
	}
}

// homeOf is the role's own home, or "".
func homeOf(spec sandbox.Spec) string {
	i := slices.IndexFunc(spec.Write, func(g sandbox.Grant) bool { return g.Part == sandbox.Home })
	if i < 0 {
		return ""
	}
	return spec.Write[i].Path
}
