package roles

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
)

func TestNearest(t *testing.T) {
	known := namesOf(roleKeys)
	for in, want := range map[string]string{
		"write":        "writes",
		"wirtes":       "writes",
		"WRITES":       "writes",
		"never-writes": "never_writes",
		"neverwrites":  "never_writes",
		"net":          "network",
		"networks":     "network",
		"key":          "keys",
		"read":         "reads",
		"socket":       "sockets",
		"port":         "ports",
		"time_out":     "timeout",
		"user_ns":      "userns",
		"x":            "",
		"zzzzzz":       "",
		"":             "",
		"control":      "control_files",

		strings.Repeat("w", 1<<20): "",
	} {
		if got := nearest(in, known); got != want {
			t.Errorf("nearest(%.40q) = %q, want %q", in, got, want)
		}
	}
}

// Our text and x/net's table are one list; where one is renewed, so must be the
// other.
func TestSuffixesAgree(t *testing.T) {
	for _, list := range []struct {
		text  string
		icann bool
	}{{icannSuffixes, true}, {privateSuffixes, false}} {
		n := 0
		last := ""
		for line := range strings.Lines(rules(list.text)) {
			line = strings.TrimSuffix(line, "\n")
			if line <= last {
				t.Errorf("%q stands behind %q", line, last)
			}
			last = line
			n++
			rule, not := strings.CutPrefix(line, "!")
			labels := strings.Split(rule, ".")
			slices.Reverse(labels)
			if rule = strings.Join(labels, "."); not {
				rule = "!" + rule
			}
			name, want := rule, ""
			switch {
			case rule[0] == '!':
				name = rule[1:]
				_, want, _ = strings.Cut(name, ".")
			case rule[0] == '*':
				name = "some" + rule[1:]
				want = name
			default:
				want = name
			}
			got, icann := publicsuffix.PublicSuffix(name)
			if got != want || icann != list.icann {
				t.Errorf("rule %q: x/net says %q, %v, want %q, %v", rule, got, icann, want, list.icann)
			}
		}
		if n < 3000 {
			t.Errorf("%d rules, want thousands", n)
		}
	}
	// The other way: what x/net calls a suffix is one here. Its table cannot
	// be listed, so these stand for it.
	for _, name := range []string{
		"com", "co.uk", "uk", "jp", "tokyo.jp", "aisai.aichi.jp", "k12.ca.us", "com.au", "org.nz", "bd", "ck", "x.ck", "www.ck",
		"city.kobe.jp", "x.kobe.jp", "kobe.jp", "example.com", "a.example.co.uk", "internal", "test", "github.io", "pages.dev",
		"s3.amazonaws.com", "x.compute.amazonaws.com", "herokuapp.com", "x.herokuapp.com", "xn--p1ai", "xn--55qx5d.cn", "dev", "app",
	} {
		got, isICANN := publicsuffix.PublicSuffix(name)
		icann, private := suffix(name)
		if got == name && isICANN && !icann {
			t.Errorf("suffix(%q) = false, want an ICANN suffix", name)
		}
		if known := strings.Contains(name, "."); got == name && !isICANN && known && !private {
			t.Errorf("suffix(%q) = false, want a private suffix", name)
		}
		if above := name == "kobe.jp"; got != name && icann && !above {
			t.Errorf("suffix(%q) = true, want false: its suffix is %q", name, got)
		}
	}
}

// RFC 3492 section 7.1, and names as registrars show them.
func TestEncodeLabel(t *testing.T) {
	for in, want := range map[string]string{
		"bücher":     "xn--bcher-kva",
		"BÜCHER":     "xn--bcher-kva",
		"straße":     "xn--strae-oqa",
		"münchen":    "xn--mnchen-3ya",
		"ü":          "xn--tda",
		"日本語":        "xn--wgv71a119e",
		"他们为什么不说中文":  "xn--ihqwcrb4cv8a8dqg056pqjye",
		"почта":      "xn--80a1acny",
		"ελλάδα":     "xn--hxakic4aa",
		"한국":         "xn--3e0b707e",
		"3年b組金八先生":   "xn--3b-ww4c5e180e575a65lsy2b",
		"mañana":     "xn--maana-pta",
		"ひとつ屋根の下2":   "xn--2-u9tlzr9756bt3uc0v",
		"a-ö":        "xn--a--gka",
		"\u212abear": "kbear", // the Kelvin sign
	} {
		got, why := encodeLabel(in)
		if why != "" || got != want {
			t.Errorf("encodeLabel(%q) = %q, %q, want %q", in, got, why, want)
		}
	}
	for _, in := range []string{
		"İx", "ẞx", "ﬁx", "ａx", "מx", "عربي", "e\u0301", "हिन्दी", "x\u200dy", "ü.", "½", "ij\u0133", "🙂",
		"-ü", "ü-", "xn--ü", "ab--ü", "ü b",
	} {
		if got, why := encodeLabel(in); why == "" {
			t.Errorf("encodeLabel(%q) = %q, want a fault", in, got)
		}
	}
}

func TestLongNames(t *testing.T) {
	label := strings.Repeat("a", 63)
	for in, want := range map[string]bool{
		label + ".test":          true,
		"a" + label + ".test":    false,
		strings.Repeat("ü", 30):  true,
		strings.Repeat("üö", 40): false, // 63 bytes are counted where they matter
		strings.Join([]string{label, label, label, label[:61]}, "."): true, // 253 in all
		strings.Join([]string{label, label, label, label[:62]}, "."): false,
	} {
		if _, bad := asciiHost(in); (bad == nil) != want {
			t.Errorf("asciiHost(%.20q…) fault = %v, want ok %v", in, bad, want)
		}
	}
}
