package config

import (
	"errors"
	"net/url"
	"strings"

	"aqueduck/internal/alert"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
)

// takeAddress returns the function that stores an alert's address in its field.
func (a *alertEntry) takeAddress(field *string) func(*grammar.Value) {
	return func(v *grammar.Value) {
		*field = v.Text()
		if !v.IsSet() {
			return
		}
		a.addressed = true
		if strings.Contains(v.Text(), "$") {
			checkReferences(v) // the reference is resolved when an alert is sent
		} else if err := alertAddress(v.Text()); err != nil {
			hint := "e.g. ${" + strings.ToUpper(v.Path()[strings.LastIndex(v.Path(), ".")+1:]) + "_URL}"
			if errors.Is(err, errUnencrypted) {
				hint = "give an https:// address"
			}
			v.WrongKey(hint, "%s: %v", v.Path(), err)
		}
	}
}

func (a *alertEntry) takeKinds(v *grammar.Value) {
	for _, kind := range v.Texts() {
		a.On = append(a.On, alert.Kind(kind))
	}
	if !v.IsSet() {
		a.On = []alert.Kind{alert.Failure, alert.Late, alert.Recovery}
	}
}

// Alerts returns the targets of alerts with their addresses resolved by lookup. missing has an error for each address that cannot be resolved; its
// target is left out.
func (c *Config) Alerts(lookup func(string) (string, bool)) (targets []alert.Target, missing []error) {
	for _, a := range c.AlertConfigs {
		var errs [2]error
		t := a.Target
		t.Ping, errs[0] = a.resolveAddress("ping", a.Ping, lookup)
		t.Webhook, errs[1] = a.resolveAddress("webhook", a.Webhook, lookup)
		for _, err := range errs {
			if err != nil {
				missing = append(missing, err)
			}
		}
		if t.Ping != "" || t.Webhook != "" {
			targets = append(targets, t)
		}
	}
	return targets, missing
}

func (a *alertConfig) resolveAddress(key, text string, lookup func(string) (string, bool)) (string, error) {
	if text == "" {
		return "", nil
	}
	address, err := referenceExpander{lookup: lookup, dir: a.dir, secret: true}.expandText(text)
	if err == nil {
		address = strings.TrimSpace(address)
		if err = alertAddress(address); err != nil {
			err = &addressError{err}
		}
	}
	if err != nil {
		return "", &problem.Problem{Class: "config", What: "alerts." + a.Name + "." + key, Err: err, Next: "set it to an https:// address; until then no message is sent to it"}
	}
	return address, nil
}

// AlertDoubts returns the addresses in variables of this machine to which runs could not send. Variables that are not set are none of them.
func (c *Config) AlertDoubts() (doubts []string) {
	_, wrong := c.Alerts(c.Lookup)
	for _, err := range wrong {
		var found *problem.Problem
		if errors.As(err, &found) && errors.As(err, new(*addressError)) {
			doubts = append(doubts, found.Error()+"; next: "+found.Next)
		}
	}
	return doubts
}

var errUnencrypted = errors.New("http:// would send the message unencrypted")

// alertAddress refuses an address that alerts cannot be sent to: they use TLS, except on this machine.
func alertAddress(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "":
		return errors.New("this is not a URL") // the text may be a secret, so the error does not quote it
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return errUnencrypted
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("this is not an https:// address")
	}
	return nil
}
