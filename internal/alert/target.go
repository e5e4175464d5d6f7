package alert

import "time"

// Target is a place to tell.
type Target struct {
	Name          string
	Ping, Webhook string        // addresses, which may hold a secret: they are in no message; "": none
	On            []Kind        // what the webhook is told
	Pipelines     []string      // whose runs; none: all
	Cooldown      time.Duration // the same again is told no sooner
}

// Address is one of a target's, by what it is for.
type Address struct{ For, address string }

// Addresses are those that a target has.
func (t Target) Addresses() (all []Address) {
	for _, a := range []Address{{"ping", t.Ping}, {"webhook", t.Webhook}} {
		if a.address != "" {
			all = append(all, a)
		}
	}
	return all
}
