package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   string
		want string
		ok   bool
	}{
		{
			name: "PassingTestsAreSilent",
			in: `
{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:1: hello\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"--- PASS: TestX (1.50s)\n"}
{"Action":"pass","Package":"a","Test":"TestX","Elapsed":1.5}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t1.600s\n"}
{"Action":"pass","Package":"a","Elapsed":1.6}
`,
			want: "slowest tests:\n    1.50s  a TestX\nok  \ta\t1.600s\n",
			ok:   true,
		},
		{
			name: "OnlyTheLastOkLineWaits",
			in: `
{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"pass","Package":"a","Test":"TestX","Elapsed":0.1}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.1s\n"}
{"Action":"pass","Package":"a"}
{"Action":"run","Package":"b","Test":"TestY"}
{"Action":"pass","Package":"b","Test":"TestY","Elapsed":0.2}
{"Action":"output","Package":"b","Output":"ok  \tb\t0.2s\n"}
{"Action":"pass","Package":"b"}
`,
			want: "ok  \ta\t0.1s\nslowest tests:\n    0.20s  b TestY\n    0.10s  a TestX\nok  \tb\t0.2s\n",
			ok:   true,
		},
		{
			// What the package said before a failure says which run failed.
			name: "FailureWithItsReason",
			in: `
{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"pass","Package":"a","Test":"TestX","Elapsed":1}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"once more\n"}
{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"run","Package":"a","Test":"TestX/sub"}
{"Action":"output","Package":"a","Test":"TestX/sub","Output":"    x_test.go:1: got 1, want 2\n"}
{"Action":"output","Package":"a","Test":"TestX/sub","Output":"--- FAIL: TestX/sub (0.50s)\n"}
{"Action":"fail","Package":"a","Test":"TestX/sub","Elapsed":0.5}
{"Action":"output","Package":"a","Test":"TestX","Output":"--- FAIL: TestX (0.50s)\n"}
{"Action":"fail","Package":"a","Test":"TestX","Elapsed":0.5}
{"Action":"output","Package":"a","Output":"FAIL\n"}
{"Action":"output","Package":"a","Output":"FAIL\ta\t2s\n"}
{"Action":"fail","Package":"a","Elapsed":2}
`,
			want: "# a\nPASS\nonce more\n--- FAIL: TestX/sub (0.50s)\n    x_test.go:1: got 1, want 2\n--- FAIL: TestX (0.50s)\nFAIL\n" +
				"slowest tests:\n    1.00s  a TestX\n    0.50s  a TestX/sub\nFAIL\ta\t2s\n",
		},
		{
			name: "SkippedIsNoPass",
			in: `
{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Test":"TestX","Output":"--- SKIP: TestX (0.00s)\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:1: no kernel\n"}
{"Action":"skip","Package":"a","Test":"TestX","Elapsed":0}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.1s\n"}
{"Action":"pass","Package":"a"}
`,
			want: "# a\n--- SKIP: TestX (0.00s)\n    x_test.go:1: no kernel\nslowest tests:\n    0.00s  a TestX\nok  \ta\t0.1s\n",
		},
		{
			name: "BuildFailure",
			in: `
{"ImportPath":"a","Action":"build-output","Output":"a.go:1: undefined: x\n"}
{"ImportPath":"a","Action":"build-fail"}
{"Action":"start","Package":"a"}
{"Action":"output","Package":"a","Output":"FAIL\ta [build failed]\n"}
{"Action":"fail","Package":"a","Elapsed":0,"FailedBuild":"a"}
`,
			want: "a.go:1: undefined: x\n# a\nslowest tests:\n   none: no test ran\nFAIL\ta [build failed]\n",
		},
		{
			name: "KilledInTheMiddle",
			in: `
{"Action":"run","Package":"b","Test":"TestY"}
{"Action":"pass","Package":"b","Test":"TestY","Elapsed":0.2}
`,
			want: "b: began and did not end\nslowest tests:\n    0.20s  b TestY\n",
		},
		{
			name: "TestThatNeverEnds",
			in: `
{"Action":"run","Package":"b","Test":"TestY"}
{"Action":"output","Package":"b","Test":"TestY","Output":"here\n"}
{"Action":"fail","Package":"b","Elapsed":0.2}
`,
			want: "# b\n--- DID NOT END: TestY\nhere\nslowest tests:\n   none: no test ran\n",
		},
		{
			name: "GoItselfSpeaks",
			in:   "go: no such package\n",
			want: "go: no such package\nslowest tests:\n   none: no test ran\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			r := newReport(&out)
			if err := r.read(strings.NewReader(strings.TrimPrefix(tt.in, "\n"))); err != nil {
				t.Fatal(err)
			}
			if ok := r.end(10); ok != tt.ok {
				t.Errorf("end() = %v, want %v", ok, tt.ok)
			}
			if got := out.String(); got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}
