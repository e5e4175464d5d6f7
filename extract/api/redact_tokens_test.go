package api

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"aqueduck/extract/internal/apitest"
)

// Holds: S2.
func TestRedactionLeavesNoTraceOfAToken(t *testing.T) {
	t.Parallel()
	const token = "dG9rOjEyMzQ1Njc4OTA="
	for _, text := range []string{token, "x" + token + "y", token[:10], "bad " + token[5:], strings.ToUpper("nothing"), fmt.Sprintf("%s and %s", token, token[3:14])} {
		got := redactTokens(text, []Secret{"another", token})
		for i := 0; i+8 <= len(token); i++ {
			if strings.Contains(got, token[i:i+8]) {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

// TestS53AnEncodedTokenIsRedacted has a server that repeats a token in the encodings that programs use, alone and within other
// text.
func TestS53AnEncodedTokenIsRedacted(t *testing.T) {
	t.Parallel()
	const token = "dG9r+jEy/MzQ1<Njc4>OTA="
	for name, form := range map[string]string{
		"base64":               base64.StdEncoding.EncodeToString([]byte(token)),
		"base64url":            base64.RawURLEncoding.EncodeToString([]byte(token)),
		"credentials":          base64.StdEncoding.EncodeToString([]byte(token + ":")),
		"base64 after a user":  base64.StdEncoding.EncodeToString([]byte("me:" + token)),
		"base64 after a word":  base64.URLEncoding.EncodeToString([]byte("it: " + token + " now")),
		"of a query":           url.QueryEscape(token),
		"of a path":            url.PathEscape(token),
		"of a query, in small": strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(token, "+", "%2b"), "/", "%2f"), "=", "%3d"),
		"hex":                  hex.EncodeToString([]byte(token)),
		"HEX":                  strings.ToUpper(hex.EncodeToString([]byte(token))),
		"JSON":                 `dG9r+jEy\/MzQ1\u003cNjc4\u003eOTA=`,
	} {
		got := redactTokens("the token "+form+" is bad", []Secret{token})
		for i := 4; i+12 <= len(form)-4; i++ { // the ends share bits with the text around it
			if strings.Contains(got, form[i:i+12]) {
				t.Errorf("%s: %q became %q", name, form, got)
				break
			}
		}
		if !strings.HasPrefix(got, "the token ") || !strings.HasSuffix(got, " is bad") {
			t.Errorf("%s: more is hidden: %q", name, got)
		}
		body := newTokenSearch([]Secret{token}).redactBody([]byte(`{"a":"` + form + `"}`))
		for i := 4; i+12 <= len(form)-4; i++ {
			if bytes.Contains(body, []byte(form[i:i+12])) {
				t.Errorf("%s: in a body %q became %q", name, form, body)
				break
			}
		}
	}
}

// FuzzRedactTokens looks for any eight characters of a token in the result for a text with pieces of it.
func FuzzRedactTokens(f *testing.F) {
	f.Add("dG9rOjEyMzQ1Njc4OTA=", "Access Token dG9rOjEyMzQ1Njc4OTA= is bad: OjEyMzQ1Nj", 3)
	f.Add("aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 1)
	f.Add("abcabcabcabcabc", "bcabcabcabcabcabcabca", 7)
	f.Fuzz(func(t *testing.T, token, text string, at int) {
		if len(token) < 8 || len(token) > 200 || strings.ContainsAny(token, "[]") || strings.Contains(token, "redacted") {
			t.Skip("the token has the replacement, or a length that no token has")
		}
		at = max(0, at) % len(text+" ")
		got := redactTokens(text[:at]+token+text[at:], []Secret{Secret(token)})
		for i := 0; i+8 <= len(token); i++ {
			if strings.Contains(got, token[i:i+8]) {
				t.Errorf("%q of the token %q is in %q", token[i:i+8], token, got)
			}
		}
	})
}

func TestS4MessagesFromOutsideHoldNoAddressAndNoControlCharacter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"no user rosa.diaz+x@mail.example.org here":                     "no user [redacted] here",
		"<rosa@example.org>":                                            "<[redacted]>",
		"rosa%40example.org is taken":                                   "[redacted] is taken",
		"josé@exämple.org":                                              "[redacted]",
		`{"email":"rosa@example.org"}`:                                  `{"email":"[redacted]"}`,
		"see https://files.example.org/a/b?Signature=abc&Expires=1 now": "see https://files.example.org/a/b?[redacted] now",
		"Authorization: Bearer abc.def":                                 "Authorization: Bearer [redacted]",
		"Cookie: session=abc":                                           "Cookie: [redacted]",
		"red \x1b[31mtext\x1b[0m\a\r\nnext\u202egnirts \u0085":          "red [31mtext [0m next gnirts",
		"page 3 @ 10:00":                                                "page 3 @ 10:00",
	} {
		if got := Shorten(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestS2AnAnswerThatHoldsTheTokenIsStoredWithoutIt has a source that repeats the token in a record, plain and with JSON escapes.
func TestS2AnAnswerThatHoldsTheTokenIsStoredWithoutIt(t *testing.T) {
	t.Parallel()
	const token = "dG9rOjEy/MzQ1Njc4OTA="
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		apitest.Reply(w, `{"data":[{"id":"1","a":"`+sent+`","b":"`+strings.ReplaceAll(sent, "/", `\/`)+`","c":"short"}]}`)
	})
	c := a.newClient(t, func(o *Options) { o.Token = token })
	record, err := askFirst(c)
	if want := `{"id":"1","a":"[redacted]","b":"[redacted]","c":"short"}`; err != nil || string(record) != want {
		t.Errorf("%s, %v; want %s", record, err, want)
	}
	if got := newTokenSearch([]Secret{"short"}).redactBody([]byte("short")); !bytes.Equal(got, []byte("short")) {
		t.Errorf("a token that is a word took it out of the data: %s", got)
	}
}

// TestS53ATokenIsRedactedAtAnyPlaceOfABody: only pieces of a body are looked at before it is searched.
func TestS53ATokenIsRedactedAtAnyPlaceOfABody(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"0123456789abcdef", "dG9rOjEyMzQ1Njc4OTA="} {
		s := newTokenSearch([]Secret{"another token, for all that is known", Secret(token)})
		for _, form := range append(encodedForms(Secret(token)), token) {
			for before := range 17 {
				for after := range 9 {
					body := strings.Repeat("-", before) + form + strings.Repeat("-", after)
					if got := s.redactBody([]byte(body)); bytes.Contains(got, []byte(form)) {
						t.Errorf("%q became %q", body, got)
					}
				}
			}
		}
	}
}

// FuzzABodyLosesTheTokenHoweverItIsEscaped compares the search around a token's longest word with decoding the whole body.
func FuzzABodyLosesTheTokenHoweverItIsEscaped(f *testing.F) {
	f.Add("dG9rOjEy/MzQ1Njc4OTA=", "{\"a\":\"", "\"}")
	f.Add("emulated-workspace-token", "emulated\\workspace", "%65mulated-workspace-token")
	f.Add("aaaaaaaaaaaaaaaa/", "aaaaaaaa%", "aaaa\\/aaaa")
	f.Add("0123456789abcdef/+", "%2", "f\\\\\\\\")
	f.Fuzz(func(t *testing.T, token, before, after string) {
		if len(token) < 16 || len(longestWord(Secret(token))) < 4 || strings.ContainsAny(token, `\%`) {
			t.Skip("the token is too short, or has signs that the escapes use")
		}
		for _, form := range []string{url.QueryEscape(token), strings.ReplaceAll(token, "/", `\/`), strings.ReplaceAll(token, "/", `\\\u002f`)} {
			text := bytes.ReplaceAll([]byte(before+form+after), []byte(token), []byte(redacted))
			got, want := redactHidden(text, Secret(token)), text
			if bytes.Contains(text, []byte(longestWord(Secret(token)))) {
				want = redactEscaped(text, Secret(token), len(token))
			}
			if !bytes.Equal(got, want) {
				t.Errorf("token %q: %q became %q, want %q", token, text, got, want)
			}
		}
	})
}
