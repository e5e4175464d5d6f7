package emulator

import "aqueduck/internal/emulator/event"

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
