package emulator

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
)

// FieldChange sets one field to a value: text, an integer, bool, or nil for null.
type FieldChange = event.FieldChange

// Number is a JSON number that keeps its text.
type Number = event.Number

// Assignment is a row of the table of workspace-api 2.10: how a part changes the assignees.
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

// Knobs turn on optional behaviour of the service. The zero value follows the document.
type Knobs = knobs.Knobs

// ExportKnobs turn on optional behaviour of the export service.
type ExportKnobs = knobs.ExportKnobs

// Form changes the shape of a value in good answers.
type Form = knobs.Form

// ExportFile describes the file of an export.
type ExportFile = knobs.ExportFile

// SearchLag is how long changes take to become searchable.
type SearchLag = knobs.SearchLag

// PageShape is the form of pages or pages.next (trap T14).
type PageShape = knobs.PageShape

// PageShapes are the forms of next in the middle and at the end of a list.
type PageShapes = knobs.PageShapes

// InactiveOrder is the order of the list of inactive contacts.
type InactiveOrder = knobs.InactiveOrder

// SortMode says how search treats its sort parameter.
type SortMode = knobs.SortMode

// Occurrence says how often an optional event happens.
type Occurrence = knobs.Occurrence

// DeleteListing says whether contacts deleted by DELETE get an entry in the list of inactive ones.
type DeleteListing = knobs.DeleteListing

// Values of knobs.
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
