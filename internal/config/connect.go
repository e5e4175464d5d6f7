package config

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"aqueduck/extract/api"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
)

// Emulator is the base_url of the embedded workspace, which needs no token.
const Emulator = "emulator"

// noDefault is the reason why an address and a token can have no default.
const noDefault = "an empty environment, e.g. under cron, must not select another source"

func (w *workspaceEntry) takeBaseURL(v *grammar.Value) {
	w.baseURL, w.address = v.Text(), v
	if !v.IsSet() {
		return
	}
	if fallback.MatchString(w.baseURL) {
		v.Wrong(noDefault, "an address cannot have a default")
		return
	}
	if strings.Contains(w.baseURL, "${") {
		checkReferences(v) // the reference is resolved when a run connects
		return
	}
	if _, err := normalizeBaseURL(w.baseURL); err != nil {
		hint := addressHint(w.baseURL)
		if strings.HasPrefix(w.baseURL, "$") {
			hint = braces
		}
		v.Wrong(hint, "%v", err)
	}
}

func (w *workspaceEntry) takeToken(v *grammar.Value) {
	w.Token = v.Text()
	switch {
	case !v.IsGiven() && w.address.IsSet() && w.baseURL != Emulator && !w.value.HasRefusedKeys():
		w.address.WrongKey("token: ${WORKSPACE_TOKEN}", "key %q is missing in %s", "token", w.value.Path())
	case v.IsSet() && fallback.MatchString(w.Token):
		v.WrongKey(noDefault, "%s: a token cannot have a default", v.Path())
	case v.IsSet() && !reference.MatchString(w.Token):
		hint, problem := "", "the token is written in the file; use ${VAR} or ${file:...}"
		if strings.HasPrefix(w.Token, "$") {
			hint = braces
		}
		if strings.Contains(w.Token, "${") {
			hint, problem = "", "a token is one ${VAR} or one ${file:...}, with nothing before or after it"
		}
		v.WrongKey(hint, "%s", problem)
	}
}

// Connect returns the address and the token of a workspace, resolved by lookup. Only runs call it, so that commands that only look need neither.
// The emulator gets no token: a real token must not be sent where it is not needed.
func (c *Config) Connect(workspace string, lookup func(string) (string, bool)) (baseURL string, token api.Secret, err error) {
	w, ok := c.Workspaces[workspace]
	if !ok {
		return "", "", fmt.Errorf("no workspace %q in %s", workspace, c.File)
	}
	text, err := w.expandBaseURL(lookup)
	if err != nil {
		return "", "", w.configProblem("base_url", err, "set it to the address of the workspace's region, or to emulator to try without an account")
	}
	if baseURL, err = normalizeBaseURL(text); err != nil {
		return "", "", w.configProblem("base_url", &addressError{err}, addressHint(text))
	}
	for _, other := range c.WorkspaceNames() {
		if address, err := c.Workspaces[other].expandBaseURL(lookup); err == nil && (address == Emulator) != (baseURL == Emulator) {
			emulated, existing := workspace, other
			if baseURL != Emulator {
				emulated, existing = other, workspace
			}
			return "", "", &problem.Problem{Class: "config", What: "workspace " + emulated + " is the emulator and " + existing + " is real", Err: errMixed,
				Next: "write two files, each with a warehouse.dir of its own"}
		}
	}
	if baseURL == Emulator {
		return baseURL, "", nil
	}
	secret, err := referenceExpander{lookup: lookup, dir: w.dir, secret: true}.expandText(w.Token)
	var open *openFile
	if errors.As(err, &open) {
		return "", "", w.configProblem("token", err, "chmod 600 "+open.name)
	}
	var missing *missingFile
	if errors.As(err, &missing) {
		return "", "", w.configProblem("token", err, "write the access token into it, with mode 0600, or correct the path")
	}
	if err != nil {
		return "", "", w.configProblem("token", err, "set the variable to the access token of the workspace, or name a file: token: ${file:/run/secrets/token}")
	}
	if secret = strings.TrimSpace(secret); !isPrintable(secret) {
		return "", "", w.configProblem("token", errors.New("it is empty, or has characters that no token has"), "copy the token again, as one line")
	}
	return baseURL, api.Secret(secret), nil
}

// errMixed is the error of the emulator and a real workspace in one configuration.
var errMixed = errors.New("they cannot share a warehouse, which has one clock")

// addressError says that the value of a base_url, with its variables, is no address of a workspace.
type addressError struct{ error }

// ConnectionDoubts returns what a run on this machine would refuse in a right configuration, each once: a file with a token that is missing or not
// private, an address in a variable that no workspace has, and the emulator beside a real workspace. Variables that are not set are none of them.
func (c *Config) ConnectionDoubts() (doubts []string) {
	for _, name := range c.WorkspaceNames() {
		_, _, err := c.Connect(name, c.Lookup)
		var found *problem.Problem
		if !errors.As(err, &found) || !errors.Is(err, errMixed) && !errors.As(err, new(*addressError)) && !isUnusableFile(err) {
			continue
		}
		if text := found.Error() + "; next: " + found.Next; !slices.Contains(doubts, text) {
			doubts = append(doubts, text)
		}
	}
	return doubts
}

// isUnusableFile reports whether a file with a token is missing, unreadable or not private.
func isUnusableFile(err error) bool {
	var open *openFile
	var unreadable *fs.PathError
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &open) || errors.As(err, &unreadable)
}

// AlertVariables are the variables that only addresses of alerts need. Without one a run sends no message to that address, and warns.
func (c *Config) AlertVariables() (names []string) {
	of := func(texts ...string) (names []string) {
		for _, text := range texts {
			parts, _ := splitReferences(text) // a mistake is reported by the check
			for _, p := range parts {
				if p.reference {
					names = append(names, p.text)
				}
			}
		}
		return names
	}
	var needed []string
	for _, w := range c.Workspaces {
		needed = append(needed, of(w.Token, w.baseURL)...)
	}
	for _, a := range c.AlertConfigs {
		for _, name := range of(a.Ping, a.Webhook) {
			if !slices.Contains(needed, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// NeedlessVariables are the variables that name only the tokens of emulators, which need none.
func (c *Config) NeedlessVariables(lookup func(string) (string, bool)) (names []string) {
	needed := map[string]bool{}
	for _, name := range c.WorkspaceNames() {
		w := c.Workspaces[name]
		address, err := w.expandBaseURL(lookup)
		parts, _ := splitReferences(w.Token) // a mistake is reported by the check
		for _, p := range parts {
			if p.reference {
				needed[p.text] = needed[p.text] || err != nil || address != Emulator
			}
		}
	}
	for name := range needed {
		if !needed[name] {
			names = append(names, name)
		}
	}
	return names
}

func (w *Workspace) expandBaseURL(lookup func(string) (string, bool)) (string, error) {
	return referenceExpander{lookup: lookup, dir: w.dir}.expandText(w.baseURL)
}

func (w *Workspace) configProblem(key string, err error, next string) error {
	return &problem.Problem{Class: "config", What: "workspaces." + w.Name + "." + key, Err: err, Next: next}
}
