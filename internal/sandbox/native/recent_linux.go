package native

// A recent maps the last keys that were put into it, up to a number: memory of
// what a hostile box does, which it cannot make grow.
type recent[K comparable, V any] struct {
	values map[K]V
	keys   []K // a ring, once it is full
	oldest int
}

func newRecent[K comparable, V any](size int) recent[K, V] {
	return recent[K, V]{values: map[K]V{}, keys: make([]K, 0, size)}
}

func (r *recent[K, V]) get(k K) (V, bool) {
	v, ok := r.values[k]
	return v, ok
}

func (r *recent[K, V]) put(k K, v V) {
	_, known := r.values[k]
	r.values[k] = v
	switch {
	case known:
	case len(r.keys) < cap(r.keys):
		r.keys = append(r.keys, k)
	default:
		delete(r.values, r.keys[r.oldest])
		r.keys[r.oldest] = k
		r.oldest = (r.oldest + 1) % len(r.keys)
	}
}
