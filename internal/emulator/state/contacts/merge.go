package contacts

import "aqueduck/internal/emulator/event"

// ActiveContact returns an active contact by its id; nil where there is none. The caller holds the lock.
func (w *Book) ActiveContact(id string) *event.Contact {
	num, known := w.ByID[id]
	if !known || w.List[num].Status != Active {
		return nil
	}
	return w.List[num].Doc
}

// IDsOf returns the ids of a contact and of all contacts merged into it. Calls, and conversations of merges that moved nothing, keep the old
// ids (trap T26) and belong to the survivor.
func (w *Book) IDsOf(d *event.Contact) map[string]bool {
	into := map[int32][]int32{}
	for i := range w.List {
		if c := &w.List[i]; c.Status == Merged {
			into[c.MergedInto] = append(into[c.MergedInto], int32(i))
		}
	}
	ids := map[string]bool{}
	for next := []int32{w.ByID[d.ID]}; len(next) > 0; {
		num := next[0]
		if next = next[1:]; !ids[w.List[num].Doc.ID] {
			ids[w.List[num].Doc.ID] = true
			next = append(next, into[num]...)
		}
	}
	return ids
}

// MergeHistory returns the contacts merged into each contact, by its id. The caller holds the lock.
func (w *Book) MergeHistory() map[string][]string {
	list := map[string][]string{}
	for i := range w.List {
		if c := &w.List[i]; c.Status == Merged {
			into := w.List[c.MergedInto].Doc.ID
			list[into] = append(list[into], c.Doc.ID)
		}
	}
	return list
}
