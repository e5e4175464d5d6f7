package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"aqueduck/internal/grammar"
)

var (
	// reference is the only form of a token: one variable or file, without a default and without other text.
	reference = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*|file:[^}]+)\}$`)
	// fallback is a variable with a default. An empty environment, as under cron, would silently load something else.
	fallback = regexp.MustCompile(`\$\{[^}]*:-`)
)

// braces is the hint for a variable without braces.
const braces = "write a variable in braces: ${VAR}"

// addressHint is what to write instead of an address that was refused.
func addressHint(text string) string {
	if near := grammar.Nearest(text, []string{Emulator}); near != "" {
		return grammar.DidYouMean(text, []string{near})
	}
	return "give the address of the workspace's region, e.g. https://api.example.com, or emulator"
}

var errUnencryptedToken = errors.New("http:// would send the token unencrypted: use https://")

// normalizeBaseURL checks the address that requests, and with them the token, are sent to.
func normalizeBaseURL(text string) (string, error) {
	if text == Emulator {
		return text, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return "", fmt.Errorf("%s is not a URL", quoteAddress(text))
	}
	switch {
	case u.User != nil:
		return "", errors.New("an address must not contain a user or password")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "", errUnencryptedToken
	case u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("%s is not an https:// address", quoteAddress(text))
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "", fmt.Errorf("%s must have only a host: paths come from the stream files", quoteAddress(text))
	}
	return u.Scheme + "://" + u.Host, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// checkCatalog refuses a catalog by REST to which the token would go unencrypted.
func checkCatalog(text string) error {
	if u, err := url.Parse(strings.TrimPrefix(text, "rest:")); err == nil && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return errUnencryptedToken
	}
	return nil
}

// quoteAddress quotes an address for an error message, unless it may be a token in the wrong variable.
func quoteAddress(text string) string {
	const most = 60
	if !strings.Contains(text, "://") || len(text) > most {
		return "the value"
	}
	return strconv.Quote(text)
}

// isPrintable reports whether a token can be sent in a header.
func isPrintable(token string) bool {
	return token != "" && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// hasLiteralText reports whether a text is more than one reference to a variable or file. Such a text may itself be a secret.
func hasLiteralText(text string) bool { return !reference.MatchString(text) }
