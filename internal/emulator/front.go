package emulator

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
)

// FieldChange is one field set to a value: text, an integer, bool, or nil for null.
type FieldChange = event.FieldChange

// Number is a JSON number kept as it is written.
type Number = event.Number

// Assignment is a row of the table of workspace-api 2.10: what a part did to who is in charge.
type Assignment = event.Assignment

// The rows.
const (
	AssignNothing         = event.AssignNothing
	AssignTeamAndTeammate = event.AssignTeamAndTeammate
	AssignTeammate        = event.AssignTeammate
	AssignTeam            = event.AssignTeam
	AssignBot             = event.AssignBot
	RemoveTeam            = event.RemoveTeam
	RemoveTeammate        = event.RemoveTeammate
	RemoveAll             = event.RemoveAll
)

// Knobs turn on what services of this kind do to their readers.
type Knobs = knobs.Knobs

// ExportKnobs turn on what export services do to their readers.
type ExportKnobs = knobs.ExportKnobs

// Form is another shape that a value of good answers takes on its way out.
type Form = knobs.Form

// ExportFile says what the file of an export looks like.
type ExportFile = knobs.ExportFile

// SearchLag is how long changes take to become searchable.
type SearchLag = knobs.SearchLag

// PageShape is a form that pages or pages.next takes (trap T14).
type PageShape = knobs.PageShape

// PageShapes are the forms of the two ends of a page.
type PageShapes = knobs.PageShapes

// InactiveOrder is the order of the list of inactive contacts.
type InactiveOrder = knobs.InactiveOrder

// SortMode says what the service makes of a search's sort.
type SortMode = knobs.SortMode

// Occurrence says whether something happens that may happen or not.
type Occurrence = knobs.Occurrence

// DeleteListing says whether contacts deleted by DELETE get an entry in the list of inactive ones.
type DeleteListing = knobs.DeleteListing

// Words of knobs.
const (
	ListSome = knobs.ListSome
	ListAll  = knobs.ListAll
	ListNone = knobs.ListNone

	ByTurns = knobs.ByTurns
	Always  = knobs.Always
	Never   = knobs.Never

	SortHonoured = knobs.SortHonoured
	SortIgnored  = knobs.SortIgnored
	SortShuffled = knobs.SortShuffled
	SortRejected = knobs.SortRejected

	OrderRecent = knobs.OrderRecent
	OrderOldest = knobs.OrderOldest
	OrderRandom = knobs.OrderRandom

	ShapeObject   = knobs.ShapeObject
	ShapeNoPage   = knobs.ShapeNoPage
	ShapeURL      = knobs.ShapeURL
	ShapeAbsent   = knobs.ShapeAbsent
	ShapeNoPages  = knobs.ShapeNoPages
	ShapeNullPage = knobs.ShapeNullPage
	ShapeEmpty    = knobs.ShapeEmpty
	ShapeEmptyEnd = knobs.ShapeEmptyEnd
)
