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
	withPublished(t, file, func(f publishedFile) { f.compareAll(space) })
}

// CompareAll is CompareAll of a file that may be open already.
func (a *Asked) CompareAll(t testing.TB, space *emulator.Workspace, file string) {
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

// CompareStreams is CompareAll for a file that was made from some streams alone.
func CompareStreams(t testing.TB, space *emulator.Workspace, file string, streams ...string) {
	t.Helper()
	all := slices.Concat(contactTruths(), conversationTruths(), ticketTruths(), otherTruths())
	truths := slices.DeleteFunc(all, func(truth streamTruth) bool { return !slices.Contains(streams, truth.stream) })
	withPublished(t, file, func(f publishedFile) { f.compareTruths(space, truths, findErased(space)) })
}
