package api

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
)

// redactTokens takes every trace of the tokens out of text: a server may echo them whole or in part, as they are or encoded.
func redactTokens(text string, tokens []Secret) string {
	const trace = 8 // shorter pieces say nothing about a token, and are common in ordinary words
	for _, t := range tokens {
		part := redactEscaped([]byte(text), t, trace)
		for _, form := range encodedForms(t) {
			part = redactPieces(part, part, nil, form, 2*trace) // which are as much of the token, or more
		}
		text = string(part)
		text = strings.ReplaceAll(text, string(t), redacted)
		for i := 0; i+trace <= len(t); i++ {
			text = strings.ReplaceAll(text, string(t[i:i+trace]), redacted)
		}
	}
	return text
}

// redactBody takes the tokens out of a body, so that none is stored or told of whatever becomes of the body's parts. It
// looks for whole tokens, as they are, escaped or encoded, and for those only that are too long to be a word of the data.
func redactBody(body []byte, tokens []Secret) []byte {
	const least = 16
	for _, t := range tokens {
		if len(t) < least {
			continue
		}
		for _, form := range append(encodedForms(t), string(t)) {
			if bytes.Contains(body, []byte(form)) {
				body = bytes.ReplaceAll(body, []byte(form), []byte(redacted))
			}
		}
		if bytes.Contains(body, []byte(longestWord(t))) { // which no escape changes
			body = redactEscaped(body, t, len(t))
		}
	}
	return body
}

// longestWord is the longest piece of a token that is all letters and digits.
func longestWord(t Secret) (longest string) {
	for _, word := range strings.FieldsFunc(string(t), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(word) > len(longest) {
			longest = word
		}
	}
	return longest
}

// What is personal or secret in a sentence from outside, whoever's it is.
var (
	mailAddress = regexp.MustCompile(`[^\s@"'<>()\[\],;:=/]+(?:@|%40)[\pL\pN.-]+`)
	signature   = regexp.MustCompile(`(//[^\s"'<>?]+)\?[^\s"'<>]+`)
	credential  = regexp.MustCompile(`(?i)\b(bearer|basic|cookie:|set-cookie:)\s+[^\s,]+`)
)

// Shorten makes a text from outside fit for one line of ours: it is brief, holds nothing that moves a terminal, and nobody's
// e-mail address, signed query or credentials.
func Shorten(text string) string {
	const most = 300 // enough for the sentence an API sends, not for a page of HTML
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }), " ")
	text = mailAddress.ReplaceAllString(text, redacted)
	text = signature.ReplaceAllString(text, "$1?"+redacted)
	text = credential.ReplaceAllString(text, "$1 "+redacted)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
