package emulator

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
)

// Change is one field set to a value: text, an integer, bool, or nil for null.
type Change = event.Change

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

// Lag is how long changes take to become searchable.
type Lag = knobs.Lag

// Shape is a form that pages or pages.next takes (trap T14).
type Shape = knobs.Shape

// Shapes are the forms of the two ends of a page.
type Shapes = knobs.Shapes

// Order is the order of the list of inactive contacts.
type Order = knobs.Order

// SortMode says what the service makes of a search's sort.
type SortMode = knobs.SortMode

// Sometimes says whether something happens that may happen or not.
type Sometimes = knobs.Sometimes

// Listing says whether contacts deleted by DELETE get an entry in the list of inactive ones.
type Listing = knobs.Listing

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
