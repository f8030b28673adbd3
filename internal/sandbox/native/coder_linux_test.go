package native

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// messages are one of each kind.
func messages() []message {
	return []message{
		new(setup), new(kept), new(initSetup), new(fromKeeperToInit), new(fromInitToKeeper),
		new(fromKeeper), new(toKeeper), new(toInit), new(fromInit),
	}
}

// fill sets everything in v to something that is not its zero, and each time
// to something else.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	if _, isTime := v.Interface().(time.Time); isTime {
		v.Set(reflect.ValueOf(time.Unix(int64(*n), int64(*n))))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(t, key, n)
			fill(t, value, n)
			v.SetMapIndex(key, value)
		}
	case reflect.String:
		v.SetString("not UTF-8 \xff " + string(rune('a'+*n)))
	case reflect.Int:
		v.SetInt(int64(-*n))
	case reflect.Uint64:
		v.SetUint(1<<63 + uint64(*n))
	case reflect.Bool:
		v.SetBool(true)
	default:
		t.Fatalf("a message has a %v, and nothing here knows how to fill it", v.Type())
	}
}

// Every field of every message arrives: one that its code method leaves out
// would arrive as nothing, and a wall with it.
func TestEveryFieldArrives(t *testing.T) {
	n := 0
	for _, m := range messages() {
		fill(t, reflect.ValueOf(m).Elem(), &n)
		came := reflect.New(reflect.TypeOf(m).Elem()).Interface().(message)
		if err := decode(encode(m), came); err != nil || !reflect.DeepEqual(came, m) {
			t.Errorf("got %+v, %v, want %+v", came, err, m)
		}
		empty := reflect.New(reflect.TypeOf(m).Elem()).Interface().(message)
		if err := decode(encode(empty), m); err != nil || !reflect.DeepEqual(encode(m), encode(empty)) {
			t.Errorf("got %+v, %v over what was there, want nothing", m, err)
		}
	}
}

// What does not come from a coder is refused, whatever it says of its own
// lengths, and what comes short or long as well.
func TestBrokenMessages(t *testing.T) {
	n := 0
	for _, m := range messages() {
		fill(t, reflect.ValueOf(m).Elem(), &n)
		b := encode(m)
		if err := decode(append(b, 0), m); err == nil {
			t.Errorf("%T and a byte more: got no error", m)
		}
		for short := range b {
			if err := decode(b[:short], m); !errors.Is(err, errShort) {
				t.Errorf("the first %d of %d bytes of %T: got %v, want %v", short, len(b), m, err, errShort)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(messages()).Draw(t, "message")
		b := rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "bytes")
		if decode(b, m) == nil {
			if err := decode(encode(m), m); err != nil {
				t.Errorf("%x was read as %+v, which is not read again: %v", b, m, err)
			}
		}
	})
}
