package extract

// readAhead allows walks to ask for the page after the one that the caller is processing: its request does not wait for the rest
// of that page's nested lists, or for a commit. It is never more than one page ahead. A nil readAhead allows nothing.
type readAhead struct {
	wanted func() bool
	asked  stopper // the page that was asked for and not taken yet; nil: none
}

// stopper ends its requests and waits for their end.
type stopper interface{ stop() }

// stop ends the requests that nobody will take.
func (a *readAhead) stop() {
	if a != nil && a.asked != nil {
		a.asked.stop()
		a.asked = nil
	}
}
