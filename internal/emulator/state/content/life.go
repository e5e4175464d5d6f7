package content

import "aqueduck/internal/emulator/event"

// SimulateContentHour creates, edits and removes content in a simulated hour.
func (w *Content) SimulateContentHour(base int64) {
	r := event.NewRNG(w.Setup.Seed, event.ForContent, 1<<32, uint64(w.HoursLived))
	at := base + 90
	for range 1 + r.IntN(5) {
		at += int64(r.IntN(400))
		w.Happen(at, func(at int64) { w.simulateContent(r, at) })
	}
}

// simulateContent creates, edits or removes one item.
func (w *Content) simulateContent(r *event.RNG, at int64) {
	kind := event.ContentKind(r.IntN(int(event.ContentKinds)))
	e := event.ContentEvent{At: at, Kind: kind, N: int32(r.IntN(len(w.Items[kind]))), What: event.ContentEdited}
	switch x := r.IntN(10); {
	case x < 2:
		e = w.newContentEvent(at, kind, nil)
	case x == 2 && kind != event.Folders && w.RemovalObstacle(w.Items[kind][e.N]) == "":
		e.What = event.ContentRemoved
	}
	if e.What == event.ContentCreated || !w.Items[kind][e.N].Removed {
		w.recordContent(e)
	}
}
