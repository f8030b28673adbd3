package native

import (
	"testing"

	"pgregory.net/rapid"
)

// A recent knows what a list of all would have among its last distinct keys,
// by the order in which they came first.
func TestRecentKnowsTheLastKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 5).Draw(t, "size")
		r := newRecent[int, int](size)
		var order []int
		values := map[int]int{}
		for i, k := range rapid.SliceOf(rapid.IntRange(0, 9)).Draw(t, "keys") {
			r.put(k, i)
			if _, known := values[k]; !known {
				order = append(order, k)
			}
			values[k] = i
			if len(order) > size {
				delete(values, order[0])
				order = order[1:]
			}
			for k := range 10 {
				got, ok := r.get(k)
				want, known := values[k]
				if ok != known || got != want {
					t.Fatalf("after %d puts: key %d: got %d, %v, want %d, %v", i+1, k, got, ok, want, known)
				}
			}
		}
	})
}
