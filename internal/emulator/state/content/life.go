package content

import "aqueduck/internal/emulator/event"

// LiveHour lets content be written, edited and removed in an hour of life.
func (w *Content) LiveHour(base int64) {
	r := event.NewRNG(w.Setup.Seed, event.ForContent, 1<<32, uint64(w.HoursLived))
	at := base + 90
	for range 1 + r.N(5) {
		at += int64(r.N(400))
		kind := event.ContentKind(r.N(int(event.ContentKinds)))
		e := event.ContentEvent{At: at, Kind: kind, N: int32(r.N(len(w.Items[kind]))), What: event.ContentEdited}
		switch x := r.N(10); {
		case x < 2:
			e = w.birth(at, kind, nil)
		case x == 2 && kind != event.Folders && w.WhyKept(w.Items[kind][e.N]) == "":
			e.What = event.ContentRemoved
		}
		if e.What == event.ContentCreated || !w.Items[kind][e.N].Removed {
			w.recordContent(e)
		}
	}
}
