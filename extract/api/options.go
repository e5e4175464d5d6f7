package api

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// parseBase accepts https addresses, and http for loopback only, where emulators run.
func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil {
		// The parser's message would repeat the text, which may hold a password.
		return nil, errors.New("client: the base address is not a URL")
	}
	switch {
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return nil, errors.New("client: the base address may have only a scheme, host and path")
	case u.Host == "":
		return nil, fmt.Errorf("client: the base address %q names no host", text)
	case u.Scheme == "https":
		return u, nil
	case u.Scheme == "http" && isLoopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("client: the base address %q must begin with https:// (http:// is for loopback only)", text)
}

// isPrintable reports whether a header can carry s as one word.
func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// isHeaderName reports whether s is a header's name.
func isHeaderName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("!#$%&'*+-.^_`|~", r) && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
}

// ReservedHeader reports whether a header has a meaning for the transport, a proxy or the server. As the version's header it
// would replace that, for example the token.
func ReservedHeader(name string) bool {
	name = strings.ToLower(name)
	for _, family := range []string{"accept", "access-control-", "authorization", "cf-", "connection", "content-", "cookie", "cache-control", "date", "expect", "forwarded",
		"from", "host", "if-", "keep-alive", "max-forwards", "origin", "pragma", "prefer", "proxy-", "range", "referer", "sec-", "set-cookie", "te", "trailer", "transfer-encoding",
		"upgrade", "user-agent", "via", "warning", "www-authenticate", "x-forwarded-", "x-http-method", "x-real-ip"} {
		if name == family || strings.HasPrefix(name, family) && (strings.HasSuffix(family, "-") || strings.HasPrefix(name, family+"-")) {
			return true
		}
	}
	return false
}

// sleepContext waits for d, or until ctx ends.
func sleepContext(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
