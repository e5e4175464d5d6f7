package cli

import (
	"testing"

	"aqueduck/internal/crash"
	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
)

// TestT34KilledErasureResumes deletes a contact at the source. It kills the run that erases the contact at each crash point of the
// erasure and of the publish that ends it. After the next run no byte of the warehouse is about the contact.
// Holds: F18.
func TestT34KilledErasureResumes(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	s := newSite(t, 16)
	s.syncUntilEqual()
	points := append(crash.ErasePoints(), crash.LinkSwapped, crash.PublishRetained)
	for _, point := range points {
		const canary = "CANARY-of-a-person"
		id, err := s.space.CreateContact("user", emulator.FieldChange{Field: "name", Value: canary}, emulator.FieldChange{Field: "custom_attributes.word", Value: canary})
		if err != nil {
			t.Fatal(err)
		}
		s.syncUntilEqual()
		if s.filesContaining(canary) == nil {
			t.Fatal("the warehouse does not hold him: the test finds nothing")
		}
		if err := s.space.EraseContact(id); err != nil {
			t.Fatal(err)
		}
		s.crashAt(point + ":1")
		s.readEveryRow()
		s.syncUntilEqual()
		if found := s.filesContaining(canary); found != nil {
			t.Fatalf("killed at %s, he is still in %v", point, found)
		}
	}
}

// filesContaining returns the files of the warehouse that contain a word.
func (s *emulatedSite) filesContaining(word string) []string {
	s.t.Helper()
	return oracletest.FilesContaining(s.t, string(s.dir), word)
}
