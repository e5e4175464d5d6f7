package contacts

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/core"
)

// Subscriptions returns the current subscriptions of a contact.
func (w *Book) Subscriptions(d *event.Contact) []int32 {
	return core.Union(slices.DeleteFunc(w.Maker.DrawSubscriptions(d), func(n int32) bool { return slices.Contains(d.LeftSubscriptions, n) }), d.JoinedSubscriptions)
}

// Unsubscribe removes a contact from a subscription, by the id that the API sends. The contact itself does not change.
func (w *Contacts) Unsubscribe(id, subscription string) error {
	return w.AppendEvent(event.SubscriptionLeft, id, func(e *event.ContactEvent) error {
		for _, n := range w.Subscriptions(w.List[e.Contact].Doc) {
			if strconv.FormatInt(event.SubscriptionID(n), 10) == subscription {
				e.Other, e.Quiet = n, true
				return nil
			}
		}
		return errors.New("it is not in the subscription " + subscription)
	})
}

// Subscribe adds a contact to a subscription, by the id that the API sends, which must be one that contacts may have. The contact itself does
// not change.
func (w *Contacts) Subscribe(id, subscription string) error {
	return w.AppendEvent(event.SubscriptionJoined, id, func(e *event.ContactEvent) error {
		for n := range int32(event.SubscriptionCount) {
			if strconv.FormatInt(event.SubscriptionID(n), 10) == subscription && !slices.Contains(w.Subscriptions(w.List[e.Contact].Doc), n) {
				e.Other, e.Quiet = n, true
				return nil
			}
		}
		return fmt.Errorf("it is in the subscription %s already, or there is none: they are %d to %d", subscription, event.SubscriptionID(0), event.SubscriptionID(event.SubscriptionCount-1))
	})
}

// NoteWithNumber returns a note by its number. An admin wrote those of the population when their first contact was created.
func (w *Book) NoteWithNumber(n int32) event.ContactNote {
	if note, ok := w.Notes[n]; ok {
		return note
	}
	of, by := w.List[n/event.NotesPerContact].Doc, w.Setup.Cast.Admins[int(n)%len(w.Setup.Cast.Admins)]
	return event.ContactNote{Body: w.Maker.NoteBody(n), At: of.Created, By: by.ID}
}

// SegmentsOf returns the segments that a contact is in.
func SegmentsOf(d *event.Contact) []int32 {
	in := []bool{d.User, !d.User, d.LastSeen != 0, d.SignedUp == 0, d.LastReplied == 0, len(d.Tags) > 3,
		placeOf(d).Country == "Germany" || placeOf(d).Country == "France", false, d.AndroidApp != nil || d.IOSApp != nil,
		len(d.Companies) > 0, d.Email == "", len(d.Tags) > 0}
	var list []int32
	for n, yes := range in {
		if yes {
			list = append(list, int32(n))
		}
	}
	return list
}
