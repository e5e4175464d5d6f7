package alert

import "time"

// Target is a receiver of alerts.
type Target struct {
	Name          string
	Ping, Webhook string        // URLs, which may contain a secret: no message repeats them; "": none
	On            []Kind        // events that the webhook receives
	Pipelines     []string      // none: all
	Cooldown      time.Duration // the same problem is posted no sooner
}

// Address is a URL of a target, with its use: ping or webhook.
type Address struct{ For, address string }

// Addresses are the target's URLs.
func (t Target) Addresses() (all []Address) {
	for _, a := range []Address{{"ping", t.Ping}, {"webhook", t.Webhook}} {
		if a.address != "" {
			all = append(all, a)
		}
	}
	return all
}
