package contacts

import "aqueduck/internal/emulator/event"

// ActiveContact is one by its id; nil when it is not there or not active.
func (w *Book) ActiveContact(id string) *event.Contact {
	num, known := w.ByID[id]
	if !known || w.List[num].Status != Active {
		return nil
	}
	return w.List[num].Doc
}

// IDsOf are a contact's id and those of all who were merged into it: calls, and what was begun before a merge that passed nothing on, keep
// the ids that they were begun with (trap T26), and are the survivor's.
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

// MergeHistory tells by contact who was merged into it. The lock is held.
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
