package roles

import "strings"

// nearest returns the one of known that name was probably meant to be, or "".
// A difference in case, or of - and _, counts as none at all.
func nearest(name string, known []string) string {
	if name == "" || len(name) > MaxNameLen {
		return "" // and nobody waits for a hint
	}
	name = plainName(name)
	best, at := "", 1+max(1, len(name)/3)
	for _, k := range known {
		if d := distance(name, plainName(k)); d < at {
			best, at = k, d
		}
	}
	if best != "" || len(name) < 3 {
		return best
	}
	for _, k := range known { // net for network, if for nothing else
		if strings.HasPrefix(plainName(k), name) || strings.HasPrefix(name, plainName(k)+"_") {
			if best != "" {
				return ""
			}
			best = k
		}
	}
	return best
}

func plainName(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), "-", "_")
}

// distance counts the bytes to insert, delete, replace or swap with a
// neighbour that turn a into b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
