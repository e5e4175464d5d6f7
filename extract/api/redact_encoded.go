package api

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// encodedForms are the substrings that the base64 or hex encoding of a text with the token in it must contain, whatever surrounds
// the token.
func encodedForms(token Secret) (forms []string) {
	for offset, shared := range []int{0, 2, 3} { // characters that share bits with the preceding bytes
		text := append(make([]byte, offset), token...)
		whole := len(text) * 8 / 6 // the last character may share bits with the following bytes
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, alphabet.EncodeToString(text)[shared:whole])
		}
	}
	low := hex.EncodeToString([]byte(token))
	return append(forms, low, strings.ToUpper(low))
}

// redactEscaped removes pieces of a token of at least trace bytes that escapes of URLs or JSON hide.
func redactEscaped(text []byte, token Secret, trace int) []byte {
	if !bytes.ContainsAny(text, `%\`) {
		return text
	}
	plain, at := unescapeText(text)
	return redactPieces(text, plain, at, string(token), trace)
}

// redactPieces removes from text the pieces of form that plain contains and that have at least trace bytes. at maps each byte of
// plain to its offset in text; with a nil at, plain is the text.
func redactPieces(text, plain []byte, at []int, form string, trace int) []byte {
	place := func(i int) int {
		if at == nil {
			return i
		}
		return at[i]
	}
	var out []byte
	kept := 0 // of text
	for i := 0; i+trace <= len(plain); {
		if !strings.Contains(form, string(plain[i:i+trace])) {
			i++
			continue
		}
		end := i + trace
		for end < len(plain) && strings.Contains(form, string(plain[end-trace+1:end+1])) {
			end++
		}
		out = append(append(out, text[kept:place(i)]...), redacted...)
		kept, i = place(end), end
	}
	if kept == 0 {
		return text
	}
	return append(out, text[kept:]...)
}

// unescapeText decodes %2F, \/ and \u002f, with any number of backslashes. at is the offset in text of each byte of plain, and of
// the end.
func unescapeText(text []byte) (plain []byte, at []int) {
	for i := 0; i < len(text); {
		at = append(at, i)
		digits := text[:0]
		switch {
		case text[i] == '%' && i+3 <= len(text):
			digits = text[i+1 : i+3]
		case text[i] == '\\':
			for i+1 < len(text) && text[i] == '\\' {
				i++
			}
			if rest := text[i:]; len(rest) >= 5 && bytes.HasPrefix(rest, []byte("u00")) {
				digits = rest[3:5]
			}
		}
		one := [1]byte{text[i]}
		i++
		if n, err := hex.Decode(one[:], digits); n == 1 && err == nil {
			i += 2
			if text[i-3] == 'u' {
				i += 2
			}
		}
		plain = append(plain, one[0])
	}
	return plain, append(at, len(text))
}
