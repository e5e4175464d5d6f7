// Package oracletest compares a published file with what a perfect reader of the emulated workspace would hold.
package oracletest

import (
	"slices"
	"testing"

	"aqueduck/internal/emulator"
)

// CompareAll compares every published relation with what a perfect reader would hold now. Nothing may be lost, doubled or
// stale, and nothing may be held of contacts whom the workspace has forgotten.
func CompareAll(t testing.TB, space *emulator.Workspace, file string) {
	t.Helper()
	kept := findErased(space)
	compareTruths(t, space, file, contactTruths(), kept)
	there, err := QueryRows(file, "SELECT DISTINCT table_name FROM information_schema.tables")
	if err != nil {
		t.Fatal(err)
	}
	compareTruths(t, space, file, slices.DeleteFunc(slices.Concat(conversationTruths(), ticketTruths(), otherTruths()), func(truth streamTruth) bool { return !slices.Contains(there, truth.stream) }), kept)
}

// CompareStreams is Equal for a file that was made from some streams alone.
func CompareStreams(t testing.TB, space *emulator.Workspace, file string, streams ...string) {
	t.Helper()
	all := slices.Concat(contactTruths(), conversationTruths(), ticketTruths(), otherTruths())
	compareTruths(t, space, file, slices.DeleteFunc(all, func(truth streamTruth) bool { return !slices.Contains(streams, truth.stream) }), findErased(space))
}
