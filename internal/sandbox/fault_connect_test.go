package sandbox

import "testing"

// What a connect is asked of is a destination, not a path.
func TestVerdictOfAConnect(t *testing.T) {
	want := Verdict{Rule: "network: none in this version"}
	for _, to := range []string{"example.com:443", "127.0.0.1:80", "[::1]:80"} {
		if got := specOf(t).Verdict(OpConnect, to); got != want {
			t.Errorf("Verdict(connect, %q)\ngot  %+v\nwant %+v", to, got, want)
		}
	}
}
