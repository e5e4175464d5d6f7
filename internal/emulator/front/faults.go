package front

import (
	"net/http"

	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/emulator/event"
)

// SetChaos changes the faults by probability, in the form that ParseChaos reads.
func (w *Server) SetChaos(text string) error {
	c, err := fault.ParseChaos(text)
	if err != nil {
		return err
	}
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.chaos = c
	k := *w.K()
	k.Chaos = text
	w.StoreKnobs(&k)
	return nil
}

// InjectFaults sets the function that decides about each request by its number; nil from f lets the request pass. There is one such function,
// and nil removes it. f may read the body.
func (w *Server) InjectFaults(f func(n int, r *http.Request) *fault.Fault) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.inject = f
}

// chooseFault asks the injected function first, then chaos.
func (w *Server) chooseFault(n int, r *http.Request) *fault.Fault {
	w.Mu.Lock()
	inject, chaos := w.inject, w.chaos
	w.Mu.Unlock()
	if inject != nil {
		body := r.Body
		f := inject(n, r)
		r.Body = body
		if f != nil {
			return f
		}
	}
	return chaos.DrawFault(n, event.NewRNG(w.Setup.Seed, event.ForChaos, uint64(n)))
}
