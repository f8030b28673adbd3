package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// B-6: a provider, and whoever reads the encoding, sees every field, also the
// empty ones.
func TestEncodingShowsEveryField(t *testing.T) {
	checkTags(t, reflect.TypeFor[Spec](), map[reflect.Type]bool{})
	var empty Spec
	empty.Normalize()
	for name, s := range map[string]Spec{"empty": empty, "full": fullSpec()} {
		var got map[string]json.RawMessage
		if err := json.Unmarshal([]byte(encode(t, s)), &got); err != nil {
			t.Fatal(err)
		}
		if n := reflect.TypeFor[Spec]().NumField(); len(got) != n {
			t.Errorf("the %s spec has %d fields in JSON, want %d", name, len(got), n)
		}
		for field, value := range got {
			// "null" says that the provider has no settings of its own.
			if string(value) == "null" && field != "environment" {
				t.Errorf("the %s spec: %s is null", name, field)
			}
		}
	}
}

// checkTags reports a field of typ, or of what it is made of, that an encoding
// would leave out, or that may be missing without anybody noticing.
func checkTags(t *testing.T, typ reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	switch typ.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Func:
		t.Errorf("%v is in the spec: want plain values and lists", typ)
	case reflect.Slice:
		checkTags(t, typ.Elem(), seen)
	case reflect.Struct:
		if seen[typ] {
			return
		}
		seen[typ] = true
		for f := range typ.Fields() {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "" || name == "-" || options != "" {
				t.Errorf("%v.%s has the tag %q, want a name and nothing else", typ, f.Name, f.Tag)
			}
			checkTags(t, f.Type, seen)
		}
	}
}

func TestEncodingComesBack(t *testing.T) {
	want := fullSpec()
	var got Spec
	dec := json.NewDecoder(bytes.NewReader([]byte(encode(t, want))))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// The digest names the spec: it is the same for equal ones, and another one
// whatever value changes.
func TestDigest(t *testing.T) {
	digest := func(s Spec) string {
		d, err := s.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	want := digest(fullSpec())
	if len(want) != 64 || strings.Trim(want, "0123456789abcdef") != "" {
		t.Errorf("digest %q, want 64 hex digits", want)
	}
	for range 10 {
		if got := digest(fullSpec()); got != want {
			t.Fatalf("equal specs have the digests %s and %s", got, want)
		}
	}
	leaves := 0
	changed := fullSpec()
	walkLeaves("Spec", reflect.ValueOf(&changed).Elem(), func(where string, change func()) {
		leaves++
		before := digest(changed)
		change()
		if digest(changed) == before {
			t.Errorf("the digest does not see %s", where)
		}
	})
	if leaves < 50 {
		t.Errorf("looked at %d values, want all that a spec has", leaves)
	}
}

// walkLeaves calls f for every plain value in v, with what changes it.
func walkLeaves(where string, v reflect.Value, f func(where string, change func())) {
	if v.Type() == reflect.TypeFor[json.RawMessage]() {
		f(where, func() { v.Set(reflect.ValueOf(json.RawMessage(`{"x":1}`))) })
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			walkLeaves(where+"."+v.Type().Field(i).Name, v.Field(i), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkLeaves(fmt.Sprintf("%s[%d]", where, i), v.Index(i), f)
		}
		f(where, func() { v.Set(reflect.MakeSlice(v.Type(), 0, 0)) })
	case reflect.String:
		f(where, func() { v.SetString(v.String() + "x") })
	case reflect.Bool:
		f(where, func() { v.SetBool(!v.Bool()) })
	case reflect.Uint16, reflect.Uint64:
		f(where, func() { v.SetUint(v.Uint() + 1) })
	case reflect.Int64:
		f(where, func() { v.SetInt(v.Int() + 1) })
	default:
		panic(fmt.Sprintf("%s is of kind %v: say how to change one", where, v.Kind()))
	}
}

// "No list is nil", says Spec, and that Validate checks it.
func TestValidateSeesEveryList(t *testing.T) {
	for f := range reflect.TypeFor[Spec]().Fields() {
		if f.Type.Kind() != reflect.Slice {
			continue
		}
		s := fullSpec()
		reflect.ValueOf(&s).Elem().FieldByIndex(f.Index).SetZero()
		if s.Validate() == nil {
			t.Errorf("Validate accepts a spec whose %s is nil", f.Name)
		}
	}
}
