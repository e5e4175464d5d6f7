package contacts

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/search"
	"aqueduck/internal/emulator/state/core"
)

// Book is all that the server keeps of contacts: their log, which is the truth about them, and what follows from it.
type Book struct {
	*core.Core
	Maker         *population.Contacts
	ContactLog    []event.ContactEvent
	List          []StoredContact
	ByID          map[string]int32 // number of the contact, by id
	Feed          []int32          // places in the log that are activities
	gone          []int32          // contacts in the list of inactive ones, ordered; rebuilt when stale
	InactiveStale bool             // the list of inactive ones is to be made again
	Notes         map[int32]string // bodies of notes added since hour 0
	ContactIndex  search.Index[event.Contact]
	present       search.Tally // active contacts
	names         identityIndex
	turns         int // operations of life done so far

	OnAttached func(company int32, at int64) // told of contacts that were attached to a company, or detached
}

// New makes what keeps contacts, none of them yet.
func New(base *core.Core) *Book {
	return &Book{Core: base, Maker: population.NewContacts(base.Setup.Seed, base.Setup.Contacts), Notes: map[int32]string{}, InactiveStale: true}
}
