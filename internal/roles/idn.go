package roles

import (
	"strings"
	"unicode"
)

// International names. golang.org/x/net/idna knows every script, and brings
// golang.org/x/text, 600 KB of tables, into a binary that starts three times
// a run. So this file converts the letters for which the standard (UTS 46) does
// nothing but fold case, and refuses all others: there the person writes the
// ASCII form, as every registrar shows it. What it does convert agrees with
// x/net/idna on every code point, which was tried one by one.

// plainLetters are lower-case letters that mean themselves: they do not
// decompose, combine with a neighbour, or change with the direction of text.
var plainLetters = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00df, 0x00f6, 1}, {0x00f8, 0x00ff, 1}, // Latin
		{0x0101, 0x012f, 2}, {0x0131, 0x0131, 1}, {0x0135, 0x0137, 2},
		{0x0138, 0x013e, 2}, {0x0142, 0x0148, 2}, {0x014b, 0x0177, 2}, {0x017a, 0x017e, 2},
		{0x03ac, 0x03ce, 1}, // Greek
		{0x0430, 0x045f, 1}, // Cyrillic
		{0x3041, 0x3096, 1}, // Hiragana
		{0x30a1, 0x30fa, 1}, // Katakana
		{0x30fc, 0x30fc, 1}, // its long vowel
		{0x4e00, 0x9fa5, 1}, // Han
		{0xac00, 0xd7a3, 1}, // Hangul
	},
	LatinOffset: 2,
}

// encodeLabel returns the ASCII form of a label that has other letters.
func encodeLabel(l string) (ascii, why string) {
	var b strings.Builder
	for _, r := range l {
		capital := r
		r = unicode.ToLower(r)
		switch {
		case r >= 0x80 && !unicode.Is(plainLetters, r), capital == 'İ', capital == 'ẞ':
			// The two capitals become two letters each by the standard.
			return "", "holds a letter that is not converted here"
		case r < 0x80 && r != '-' && notInName(r):
			return "", "is not the name of a host"
		}
		b.WriteRune(r)
	}
	l = b.String()
	switch {
	case isASCII(l):
		return l, "" // the Kelvin sign is a k
	case l[0] == '-' || l[len(l)-1] == '-' || len(l) > 3 && l[2:4] == "--":
		return "", "holds a label with - where none may stand"
	}
	return "xn--" + punycode([]rune(l)), ""
}

// punycode encodes a label that has a letter beyond ASCII, by RFC 3492.
func punycode(label []rune) string {
	const (
		base, tmin, tmax = 36, 1, 26
		digits           = "abcdefghijklmnopqrstuvwxyz0123456789"
	)
	var out []byte
	for _, r := range label {
		if r < 0x80 {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(0x80), 0, 72
	for done := basic; done < len(label); {
		next := rune(unicode.MaxRune)
		for _, r := range label {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for k := base; ; k += base {
				t := min(max(k-bias, tmin), tmax)
				if q < t {
					break
				}
				out = append(out, digits[t+(q-t)%(base-t)])
				q = (q - t) / (base - t)
			}
			out = append(out, digits[q])
			bias = adapt(delta, done+1, done == basic)
			delta = 0
			done++
		}
		delta++
		n++
	}
	return string(out)
}

// adapt is RFC 3492's section 6.1.
func adapt(delta, points int, first bool) int {
	if delta /= 2; first {
		delta /= 350 // 700 in all
	}
	delta += delta / points
	k := 0
	for ; delta > 455; k += 36 {
		delta /= 35
	}
	return k + 36*delta/(delta+38)
}
