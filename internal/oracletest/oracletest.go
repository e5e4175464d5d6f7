// Package oracletest compares a published file with what a perfect reader of the emulated workspace would hold.
package oracletest

import (
	"slices"
	"testing"

	"aqueduck/internal/emulator"
)

// Equal compares every published relation with what a perfect reader would hold now. Nothing may be lost, doubled or
// stale, and nothing may be held of contacts whom the workspace has forgotten.
func Equal(t testing.TB, space *emulator.Workspace, file string) {
	t.Helper()
	kept := remember(space)
	compare(t, space, file, contactTruths(), kept)
	there, err := Rows(file, "SELECT DISTINCT table_name FROM information_schema.tables")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, space, file, slices.DeleteFunc(slices.Concat(conversationTruths(), ticketTruths(), otherTruths()), func(truth truth) bool { return !slices.Contains(there, truth.stream) }), kept)
}

// Streams is Equal for a file that was made from some streams alone.
func Streams(t testing.TB, space *emulator.Workspace, file string, streams ...string) {
	t.Helper()
	all := slices.Concat(contactTruths(), conversationTruths(), ticketTruths(), otherTruths())
	compare(t, space, file, slices.DeleteFunc(all, func(truth truth) bool { return !slices.Contains(streams, truth.stream) }), remember(space))
}
