package config

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"aqueduck/internal/alert"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
)

func (l *loader) alert(c *Config, name string, v *grammar.Value) alertConfig {
	ping, webhook := v.Key("ping"), v.Key("webhook")
	a := alertConfig{Ping: ping.Text(), Webhook: webhook.Text(), dir: filepath.Dir(v.File())}
	a.Name, a.Cooldown, a.Pipelines = name, v.Key("cooldown").Duration(), v.Key("pipelines").Texts()
	for _, kind := range v.Key("on").Texts() {
		a.On = append(a.On, alert.Kind(kind))
	}
	if !v.Key("on").Set() {
		a.On = []alert.Kind{alert.Failure, alert.Late, alert.Recovery}
	}
	if !ping.Set() && !webhook.Set() && !v.Flawed() {
		v.WrongKey("", "%s has neither ping nor webhook", v.Path())
	}
	for _, address := range []*grammar.Value{ping, webhook} {
		if !address.Set() {
			continue
		}
		if strings.Contains(address.Text(), "$") {
			l.legible(address) // what it stands for is looked up when somebody is told
			continue
		}
		if err := alertAddress(address.Text()); err != nil {
			address.WrongKey("e.g. ${PING_URL}", "%s: %v", address.Path(), err)
		}
	}
	for _, p := range v.Key("pipelines").Items() {
		if _, ok := c.Pipeline(p.Text()); !ok {
			var names []string
			for _, known := range c.Pipelines {
				names = append(names, known.Name)
			}
			p.Wrong(grammar.DidYouMean(p.Text(), names), "no pipeline %q", p.Text())
		}
	}
	return a
}

// Alerts gives who is told how runs go. Those whose address cannot be found out are left out, and told of.
func (c *Config) Alerts(lookup func(string) (string, bool)) (targets []alert.Target, missing []error) {
	for _, a := range c.AlertConfigs {
		var errs [2]error
		t := a.Target
		t.Ping, errs[0] = a.address("ping", a.Ping, lookup)
		t.Webhook, errs[1] = a.address("webhook", a.Webhook, lookup)
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

func (a *alertConfig) address(key, text string, lookup func(string) (string, bool)) (string, error) {
	if text == "" {
		return "", nil
	}
	address, err := expander{lookup: lookup, dir: a.dir, secret: true}.expand(text)
	if err == nil {
		address = strings.TrimSpace(address)
		err = alertAddress(address)
	}
	if err != nil {
		return "", &problem.Problem{Class: "config", What: "alerts." + a.Name + "." + key, Err: err, Next: "nobody is told by it; set it to an https:// address"}
	}
	return address, nil
}

// alertAddress refuses an address that pings and messages cannot go to: they go over TLS, but to this machine itself.
func alertAddress(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "":
		return errors.New("this is no address") // it may be a secret: it is not shown
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return errors.New("http:// would send it in the open: https:// is needed")
	case u.Scheme != "https" && u.Scheme != "http":
		return errors.New("this is no https:// address")
	}
	return nil
}
