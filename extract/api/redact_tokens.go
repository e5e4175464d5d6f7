package api

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"

	"aqueduck/internal/personal"
)

// redactTokens removes every trace of the tokens from a text: a server may echo them whole or in part, plain or encoded.
func redactTokens(text string, tokens []Secret) string {
	const trace = 8 // shorter pieces reveal little of a token, and occur in ordinary words
	for _, t := range tokens {
		part := redactEscaped([]byte(text), t, trace)
		for _, form := range encodedForms(t) {
			part = redactPieces(part, part, nil, form, 2*trace) // encoded, this is at least as much of the token
		}
		text = string(part)
		text = strings.ReplaceAll(text, string(t), redacted)
		for i := 0; i+trace <= len(t); i++ {
			text = strings.ReplaceAll(text, string(t[i:i+trace]), redacted)
		}
	}
	return text
}

// redactHidden removes a token from a text where escapes of URLs or JSON hide it. It decodes only what may be the token: escapes do not
// change letters and digits, so the longest word of the token is there, and around it nothing but the token's bytes and those of escapes.
func redactHidden(text []byte, t Secret) []byte {
	word := []byte(longestWord(t))
	belongs := func(c byte) bool {
		return strings.IndexByte(string(t), c) >= 0 || strings.IndexByte(`\%uU0123456789abcdefABCDEF`, c) >= 0
	}
	var out []byte
	kept := 0
	for at := 0; ; {
		found := bytes.Index(text[at:], word)
		if found < 0 || len(word) == 0 {
			break
		}
		from, to := at+found, at+found+len(word)
		for from > kept && belongs(text[from-1]) {
			from--
		}
		for to < len(text) && belongs(text[to]) {
			to++
		}
		if to-from > len(t) { // an escape is longer than what it stands for
			out = append(append(out, text[kept:from]...), redactEscaped(text[from:to], t, len(t))...)
			kept = to
		}
		at = to
	}
	if kept == 0 {
		return text
	}
	return append(out, text[kept:]...)
}

// longestWord is the longest piece of a token that consists of letters and digits.
func longestWord(t Secret) (longest string) {
	for _, word := range strings.FieldsFunc(string(t), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(word) > len(longest) {
			longest = word
		}
	}
	return longest
}

// Personal data and secrets in a message from outside.
var (
	mailAddress = regexp.MustCompile(`[^\s@"'<>()\[\],;:=/]+(?:@|%40)[\pL\pN.-]+`)
	signature   = regexp.MustCompile(`(//[^\s"'<>?]+)\?[^\s"'<>]+`)
	credential  = regexp.MustCompile(`(?i)\b(bearer|basic|cookie:|set-cookie:)\s+[^\s,]+`)
)

// Shorten makes a text from outside safe for a message: at most 300 bytes on one line, without control characters, e-mail
// addresses, signed queries and credentials.
func Shorten(text string) string { return cutText(cleanText(text), longestText) }

// longestText is enough for an API's error message, not for a page of HTML.
const longestText = 300

// cleanText is Shorten without the limit.
func cleanText(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }), " ")
	text = mailAddress.ReplaceAllString(text, redacted)
	text = signature.ReplaceAllString(text, "$1?"+redacted)
	return credential.ReplaceAllString(text, "$1 "+redacted)
}

func cutText(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// cleanMessage is Shorten of what the API says in its own words, without tokens and personal data. Names are looked for in a beginning that is long
// enough that none is cut.
func (c *Client) cleanMessage(text string) string {
	text = redactTokens(cutText(cleanText(text), 4*longestText), c.secretTokens())
	text = personal.HideShapes(text)
	if c.hideNames != nil {
		text = c.hideNames(text)
	}
	return cutText(text, longestText)
}

// HideNames has a function take the names of persons out of the API's messages. Call it before the first request.
func (c *Client) HideNames(hide func(text string) string) { c.hideNames = hide }
