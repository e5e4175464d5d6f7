package transform

import (
	"bytes"
	"net/url"
	"strings"
)

// unsignedSpan removes the signature from a URL: it opens the file for everybody, and changes at each reading. The rest stays as
// sent.
func (x *recordText) unsignedSpan(s textSpan, as string) textSpan {
	address := x.bytesOf(s)
	if bytes.IndexByte(address, '?') < 0 {
		return s
	}
	start := len(x.arena)
	var cut bool
	if x.arena, cut = appendUnsigned(x.arena, address, as); !cut {
		x.arena = x.arena[:start]
		return s
	}
	return x.arenaSpan(start)
}

// unsignedURL is a URL without its signature, as columns with `as: url` or `as: signed_url` store it.
func unsignedURL(address, as string) string {
	if out, cut := appendUnsigned(nil, []byte(address), as); cut {
		return string(out)
	}
	return address
}

// appendUnsigned appends a URL without its signature; cut reports whether it had one.
func appendUnsigned(to, address []byte, as string) (out []byte, cut bool) {
	rest, fragment := address, []byte(nil)
	if i := bytes.IndexByte(address, '#'); i >= 0 {
		rest, fragment = address[:i], address[i:]
	}
	i := bytes.IndexByte(rest, '?')
	if i < 0 {
		return append(to, address...), false
	}
	path, query := rest[:i], rest[i+1:]
	var all signatureKind // of all parameters
	for q := query; len(q) > 0; {
		var p []byte
		p, q = nextParameter(q)
		all |= signatureOf(p)
	}
	to = append(to, path...)
	sep := byte('?')
	for q := query; len(q) > 0; {
		var p []byte
		p, q = nextParameter(q)
		if signatureOf(p).signsAddress(all, as) {
			cut = true
			continue
		}
		to = append(append(to, sep), p...)
		sep = '&'
	}
	return append(to, fragment...), cut
}

// nextParameter is the first parameter of a query, and the rest.
func nextParameter(query []byte) (first, rest []byte) {
	if i := bytes.IndexByte(query, '&'); i >= 0 {
		return query[:i], query[i+1:]
	}
	return query, nil
}

// signatureKind is what the name of a parameter says about the signature of a URL.
type signatureKind uint8

const (
	signsAlone  signatureKind = 1 << iota // is a signature in every URL
	signsBeside                           // is a part of the signature if the URL has one
	signsShared                           // is a part of a shared access signature, if sig and one of its bounds are present
	signsFile                             // is a signature in the URL of a file; other URLs may use the name for something else
	isSig                                 // is sig
	isBound                               // is a bound of sig: its end or its version
)

// signsAddress reports whether a parameter belongs to the signature of a URL; all are the kinds of all its parameters.
func (s signatureKind) signsAddress(all signatureKind, as string) bool {
	switch {
	case s&signsAlone != 0, s&signsFile != 0 && as == "signed_url":
		return true
	case s&signsBeside != 0 && all&(signsAlone|isSig) != 0:
		return true
	}
	return s&signsShared != 0 && all&isSig != 0 && all&isBound != 0
}

// signatures are the parameters, in lower case, of the signatures of file stores and content delivery networks.
var signatures = map[string]signatureKind{
	"signature": signsAlone, "hmac": signsAlone, "awsaccesskeyid": signsAlone, "googleaccessid": signsAlone, "ossaccesskeyid": signsAlone, "key-pair-id": signsAlone,
	"x-signature": signsAlone, "x-expires": signsAlone, "hdnts": signsAlone, "hdnea": signsAlone, "__token__": signsAlone, "__gda__": signsAlone,
	"expires": signsBeside | signsFile | isBound, "policy": signsBeside | signsFile, "expiry": signsBeside | signsFile, "expiration": signsBeside | signsFile,
	"req": signsBeside | signsFile, "security-token": signsBeside | signsFile, "hash-algorithm": signsBeside, "urlprefix": signsBeside, "keyname": signsBeside,
	"exp": signsFile, "ttl": signsFile, "token": signsFile, "access_token": signsFile, "auth": signsFile, "auth_token": signsFile, "jwt": signsFile, "verify": signsFile,
	"sig": signsShared | signsFile | isSig, "se": signsShared | isBound, "sv": signsShared | isBound, "ss": signsShared, "srt": signsShared, "sr": signsShared,
	"sp": signsShared, "st": signsShared, "sip": signsShared, "spr": signsShared, "sdd": signsShared, "ses": signsShared, "skoid": signsShared, "sktid": signsShared,
	"skt": signsShared, "ske": signsShared, "sks": signsShared, "skv": signsShared, "saoid": signsShared, "suoid": signsShared, "scid": signsShared,
}

// signingPrefixes are the prefixes of families of such parameters.
var signingPrefixes = []string{"x-amz-", "x-goog-", "x-oss-", "x-cos-", "x-obs-", "x-bce-", "q-sign-", "q-ak", "q-key-time", "q-header-list", "q-url-param-list", "q-signature"}

// longestName is longer than any of these names.
const longestName = 64

// signatureOf is the kind of a parameter by its name. Signers differ in upper and lower case, and a name may be escaped.
func signatureOf(parameter []byte) signatureKind {
	name := parameter
	if i := bytes.IndexByte(parameter, '='); i >= 0 {
		name = parameter[:i]
	}
	if bytes.IndexByte(name, '%') >= 0 {
		if plain, err := url.QueryUnescape(string(name)); err == nil {
			name = []byte(plain)
		}
	}
	if len(name) > longestName {
		name = name[:longestName]
	}
	var room [longestName]byte
	lower := room[:len(name)]
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	if s, known := signatures[string(lower)]; known {
		return s
	}
	for _, prefix := range signingPrefixes {
		if strings.HasPrefix(string(lower), prefix) {
			return signsAlone
		}
	}
	return 0
}
