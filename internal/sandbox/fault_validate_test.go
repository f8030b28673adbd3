package sandbox

import (
	"reflect"
	"testing"
)

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
	s := fullSpec()
	s.Network[0].Ports = nil // "never empty", and null in JSON
	if s.Validate() == nil {
		t.Error("Validate accepts a domain without ports")
	}
}
