package pipeline

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"aqueduck/extract"
	"aqueduck/internal/grammar"
)

// Emulator as a base_url stands for the embedded workspace, which needs no token.
const Emulator = "emulator"

var (
	// reference is all that may stand for a token: one variable or file, no default, nothing around it.
	reference = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*|file:[^}]+)\}$`)
	// fallback is a variable with a default: an empty environment, as cron has it, would load something else.
	fallback = regexp.MustCompile(`\$\{[^}]*:-`)
)

func (l *loader) workspace(name string, v *grammar.Value) *Workspace {
	baseURL, token := v.Key("base_url"), v.Key("token")
	w := &Workspace{
		Name: name, APIVersion: v.Key("api_version").Text(), VersionHeader: v.Key("version_header").Text(),
		RequestsPerMinute: v.Key("requests_per_minute").Int(), DownloadHosts: v.Key("download_hosts").Texts(),
		baseURL: baseURL.Text(), token: token.Text(), dir: filepath.Dir(v.File()),
	}
	w.budget = extract.NewBudget(w.RequestsPerMinute)
	const why = "an empty environment, as cron has it, must not load something else"
	switch {
	case !token.Given() && baseURL.Set() && w.baseURL != Emulator && !v.Flawed():
		v.Key("base_url").WrongKey("token: ${WORKSPACE_TOKEN}", "key %q is missing in %s", "token", v.Path())
	case token.Set() && fallback.MatchString(w.token):
		token.WrongKey(why, "%s: a token has no default", token.Path())
	case token.Set() && !reference.MatchString(w.token):
		hint := ""
		if strings.HasPrefix(w.token, "$") {
			hint = braces
		}
		token.WrongKey(hint, "a token is written in the file; use ${VAR} or ${file:...}")
	}
	if !baseURL.Set() {
		return w
	}
	if fallback.MatchString(w.baseURL) {
		baseURL.Wrong(why, "an address has no default")
		return w
	}
	if strings.Contains(w.baseURL, "${") {
		l.legible(baseURL) // what it stands for is looked up when a run asks for it
		return w
	}
	if _, err := address(w.baseURL); err != nil {
		hint := addressHint
		if strings.HasPrefix(w.baseURL, "$") {
			hint = braces
		}
		baseURL.Wrong(hint, "%v", err)
	}
	return w
}

// legible refuses variables and files that cannot be looked up, whatever there is.
func (l *loader) legible(v *grammar.Value) {
	nothing := expander{lookup: func(string) (string, bool) { return "", false }, dir: filepath.Dir(v.File()), lenient: true}
	if _, err := nothing.expand(v.Text()); err != nil && !errors.Is(err, grammar.ErrUnknown) {
		v.Wrong("", "%v", err)
	}
}

// braces is said to whom writes a variable as the shell does.
const braces = "a variable has braces: ${VAR}"

// Connect gives the address and the token of a workspace. Only a run asks for them, so that commands that only look
// need neither. The emulator gets no token: a real one must not leave for a place that does not need it.
func (c *Config) Connect(workspace string, lookup func(string) (string, bool)) (baseURL string, token extract.Secret, err error) {
	w, ok := c.Workspaces[workspace]
	if !ok {
		return "", "", fmt.Errorf("no workspace %q in %s", workspace, c.File)
	}
	text, err := expander{lookup: lookup, dir: w.dir}.expand(w.baseURL)
	if err != nil {
		return "", "", w.problem("base_url", err, "set it to the address of the workspace's region, or to emulator to try without an account")
	}
	if baseURL, err = address(text); err != nil {
		return "", "", w.problem("base_url", err, addressHint)
	}
	if baseURL == Emulator {
		return baseURL, "", nil
	}
	secret, err := expander{lookup: lookup, dir: w.dir, secret: true}.expand(w.token)
	var open *openFile
	if errors.As(err, &open) {
		return "", "", w.problem("token", err, "chmod 600 "+open.name)
	}
	if err != nil {
		return "", "", w.problem("token", err, "set it to the access token of the workspace, or give a file: token: ${file:/run/secrets/token}")
	}
	if secret = strings.TrimSpace(secret); !printable(secret) {
		return "", "", w.problem("token", errors.New("there is none, or it has characters that no token has"), "copy the token again, in one line")
	}
	return baseURL, extract.Secret(secret), nil
}

func (w *Workspace) problem(key string, err error, next string) error {
	return &Problem{Class: "config", What: "workspaces." + w.Name + "." + key, Err: err, Next: next}
}

const addressHint = "the address of the workspace's region, e.g. https://api.example.com, or emulator"

// address checks what requests, and with them the token, are sent to.
func address(text string) (string, error) {
	if text == Emulator {
		return text, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Hostname() == "" {
		return "", fmt.Errorf("%s is no address", shown(text))
	}
	switch {
	case u.User != nil:
		return "", errors.New("an address with a user or password in it")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "", errors.New("http:// would send the token in the open: https:// is needed")
	case u.Scheme != "https" && u.Scheme != "http":
		return "", fmt.Errorf("%s is no https:// address", shown(text))
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		return "", fmt.Errorf("%s has more than a host: paths come from the stream files", shown(text))
	}
	return u.Scheme + "://" + u.Host, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// shown quotes an address, and nothing that may be a token in the wrong variable.
func shown(text string) string {
	const most = 60
	if !strings.Contains(text, "://") || len(text) > most {
		return "what is given"
	}
	return strconv.Quote(text)
}

// printable says whether a token can be sent in a header.
func printable(token string) bool {
	return token != "" && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}
