// Package oracletest compares a published file with the oracle of the emulated workspace: with what a perfect reader would have.
package oracletest

import (
	"slices"
	"testing"

	"aqueduck/internal/emulator"
)

// CompareAll compares every published relation with the oracle at this moment. No row may be missing, doubled or stale, and no data of erased
// contacts may be left.
func CompareAll(t testing.TB, space *emulator.Workspace, file string) {
	t.Helper()
	withPublished(t, file, func(f publishedFile) { f.compareAll(space) })
}

// CompareAll is the function CompareAll for a file that may be open already.
func (a *OpenFile) CompareAll(t testing.TB, space *emulator.Workspace, file string) {
	t.Helper()
	a.openFor(t, file).compareAll(space)
}

func (f publishedFile) compareAll(space *emulator.Workspace) {
	f.Helper()
	kept := findErased(space)
	f.compareTruths(space, contactTruths(), kept)
	there := f.selectRows("SELECT DISTINCT table_name FROM information_schema.tables")
	f.compareTruths(space, slices.DeleteFunc(slices.Concat(conversationTruths(), ticketTruths(), otherTruths()), func(truth streamTruth) bool { return !slices.Contains(there, truth.stream) }), kept)
}

// CompareStreams is CompareAll for a file with some streams only.
func CompareStreams(t testing.TB, space *emulator.Workspace, file string, streams ...string) {
	t.Helper()
	all := slices.Concat(contactTruths(), conversationTruths(), ticketTruths(), otherTruths())
	truths := slices.DeleteFunc(all, func(truth streamTruth) bool { return !slices.Contains(streams, truth.stream) })
	withPublished(t, file, func(f publishedFile) { f.compareTruths(space, truths, findErased(space)) })
}
