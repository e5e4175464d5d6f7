package transform

import (
	"bytes"
	"net/url"
	"strings"
)

// unsignedSpan takes out of an address what it is signed with: that opens the file for whoever has it, and is another one at each
// reading. All else stays as sent.
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

// unsignedURL is an address without what signs it, as a column with `as: url` or `as: signed_url` has it.
func unsignedURL(address, as string) string {
	if out, cut := appendUnsigned(nil, []byte(address), as); cut {
		return string(out)
	}
	return address
}

// appendUnsigned adds an address without what signs it; cut reports whether there was any.
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
	var all signatureKind // of the whole query
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

// nextParameter gives the first parameter of a query, and those after it.
func nextParameter(query []byte) (first, rest []byte) {
	if i := bytes.IndexByte(query, '&'); i >= 0 {
		return query[:i], query[i+1:]
	}
	return query, nil
}

// signatureKind is what the name of a parameter says about the signing of an address.
type signatureKind uint8

const (
	signsAlone  signatureKind = 1 << iota // signs wherever it stands
	signsBeside                           // belongs to a signature where the address has one
	signsShared                           // is a part of a shared access signature, where sig and one of its bounds are there
	signsFile                             // signs the address of a file; a page may have its own of that name
	isSig                                 // sig
	isBound                               // of sig: what says when it ends, or which version it has
)

// signsAddress reports whether a parameter signs an address; all is what the parameters of the address say together.
func (s signatureKind) signsAddress(all signatureKind, as string) bool {
	switch {
	case s&signsAlone != 0, s&signsFile != 0 && as == "signed_url":
		return true
	case s&signsBeside != 0 && all&(signsAlone|isSig) != 0:
		return true
	}
	return s&signsShared != 0 && all&isSig != 0 && all&isBound != 0
}

// signatures are the parameters, in lower case, by which stores of files and what delivers them sign addresses.
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

// signingPrefixes begin the names of whole families of such parameters.
var signingPrefixes = []string{"x-amz-", "x-goog-", "x-oss-", "x-cos-", "x-obs-", "x-bce-", "q-sign-", "q-ak", "q-key-time", "q-header-list", "q-url-param-list", "q-signature"}

// longestName is more than any of these names has.
const longestName = 64

// signatureOf reads the name of a parameter. Signers do not agree on capitals, and a name may be escaped.
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
