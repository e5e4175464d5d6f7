package jsontext

import (
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is the deepest nesting of a record. Real ones stay below ten.
const MaxDepth = 64

// Survey returns the depth of a valid JSON value. clean reports that it has neither spaces between its parts nor escapes of
// surrogates, so that it can be kept unchanged.
func Survey(raw []byte) (depth int, clean bool) {
	clean = true
	level := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			end, whole := stringEnd(raw, i+1)
			clean = clean && whole
			i = end
		case '{', '[':
			level++
			depth = max(depth, level)
		case '}', ']':
			level--
		case ' ', '\t', '\n', '\r':
			clean = false
		}
	}
	return depth, clean
}

// stringEnd is the index of the quote that ends a string; whole is false when the string has an escape of a surrogate.
func stringEnd(raw []byte, i int) (end int, whole bool) {
	whole = true
	for i < len(raw) && raw[i] != '"' {
		if raw[i] == '\\' {
			if _, ok := readSurrogate(raw[i:]); ok {
				whole = false
			}
			i++
		}
		i++
	}
	return i, whole
}

// AppendCompact appends a value without spaces between its parts, and with U+FFFD for lone surrogates; mended reports whether it
// had any. The rest stays as sent, including the spelling of numbers.
func AppendCompact(to, raw []byte) (out []byte, mended bool) {
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case ' ', '\t', '\n', '\r':
			continue
		case '"':
		default:
			to = append(to, raw[i])
			continue
		}
		end, whole := stringEnd(raw, i+1)
		if whole {
			to = append(to, raw[i:end+1]...)
		} else {
			var bad bool
			to, bad = appendMended(append(to, '"'), raw[i+1:end])
			to = append(to, '"')
			mended = mended || bad
		}
		i = end
	}
	return to, mended
}

// appendMended appends the inside of a string with its escapes, and with \ufffd for lone surrogates.
func appendMended(to, s []byte) (out []byte, mended bool) {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			to = append(to, s[i])
			i++
			continue
		}
		n := 2
		if s[i+1] == 'u' {
			n = 6
		}
		if high, ok := readSurrogate(s[i:]); ok {
			low, pair := readSurrogate(s[i+6:])
			if !pair || utf16.DecodeRune(high, low) == utf8.RuneError {
				to, mended = append(to, `\ufffd`...), true
				i += n
				continue
			}
			n = 12
		}
		to = append(to, s[i:i+n]...)
		i += n
	}
	return to, mended
}

// readSurrogate reads an escape of a surrogate at the beginning of s.
func readSurrogate(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' || s[2]|0x20 != 'd' || s[3] < '8' {
		return 0, false
	}
	return parseHex4(s[2:]), true
}

// parseHex4 reads four valid hexadecimal digits.
func parseHex4(s []byte) rune {
	var r rune
	for _, c := range s[:4] {
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c | 0x20 - 'a' + 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// AppendUnescaped appends the text of a string with the inside s, and with U+FFFD for lone surrogates; mended reports whether it
// had any.
func AppendUnescaped(to, s []byte) (out []byte, mended bool) {
	for i := 0; i < len(s); {
		switch {
		case s[i] != '\\':
			to = append(to, s[i])
			i++
			continue
		case s[i+1] != 'u':
			to = append(to, unescaped[s[i+1]])
			i += 2
			continue
		}
		r := parseHex4(s[i+2:])
		if _, ok := readSurrogate(s[i:]); ok {
			low, _ := readSurrogate(s[i+6:])
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				mended = true
			} else {
				i += 6
			}
		}
		to = utf8.AppendRune(to, r)
		i += 6
	}
	return to, mended
}

// AppendValid appends b with U+FFFD for each byte that is no valid UTF-8.
func AppendValid(to, b []byte) []byte {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		to = utf8.AppendRune(to, r)
		b = b[n:]
	}
	return to
}

// TooDeep reports whether a text, valid JSON or not, nests deeper than MaxDepth: parsers fail on such texts in different ways.
func TooDeep(raw []byte) bool {
	depth, _ := Survey(raw)
	return depth > MaxDepth
}
