package contacts

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/core"
)

// Book is the state of contacts: their log, which is the truth about them, and what follows from it.
type Book struct {
	*core.Core
	Maker         *population.Contacts
	ContactLog    []event.ContactEvent
	List          []StoredContact
	ByID          map[string]int32            // number of each contact, by its id
	Feed          []int32                     // indexes of the activities in the log
	inactive      []int32                     // contacts in the list of inactive ones, ordered; made again when InactiveStale
	InactiveStale bool                        // the list of inactive contacts must be made again
	Notes         map[int32]event.ContactNote // notes added since hour 0
	ContactIndex  search.Index[event.Contact]
	present       search.Tally // number of active contacts
	names         identityIndex
	turns         int // simulated operations so far

	OnAttached func(company int32, at int64) // called when a contact is attached to a company, or detached
}

// New returns an empty state of contacts.
func New(base *core.Core) *Book {
	return &Book{Core: base, Maker: population.NewContacts(base.Setup.Origin), Notes: map[int32]event.ContactNote{}, InactiveStale: true}
}
