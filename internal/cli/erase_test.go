package cli

import (
	"path/filepath"
	"slices"
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

// TestAKilledErasePushesNoFileOut kills the command `erase` where its file has replaced the one before, and in the middle of removing that one. After the
// next command the older files are those of the runs before.
func TestAKilledErasePushesNoFileOut(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	s := newSite(t, 16)
	for range 3 {
		s.syncUntilEqual()
	}
	older := func() (names []string) {
		files, err := s.dir.PublishedFiles()
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files[1:] {
			names = append(names, filepath.Base(file))
		}
		return names
	}
	for _, point := range []string{crash.LinkSwapped, crash.PublishRetained, crash.ErasePublished} {
		id, err := s.space.CreateContact("user")
		if err != nil {
			t.Fatal(err)
		}
		s.syncUntilEqual()
		kept := older()
		if p := s.eraseWith([]string{"AQUEDUCK_CRASH=" + point + ":1"}, id); !p.wasKilled() {
			t.Fatalf("the process did not come to %s:\n%s", point, p.outputText())
		}
		s.eraseWith(nil, id).requireSuccess()
		if got := older(); len(kept) == 0 || !slices.Equal(got, kept) {
			t.Fatalf("killed at %s, the older files are %v; before there were %v", point, got, kept)
		}
		if err := s.space.EraseContact(id); err != nil { // so that the truth has no person whom the warehouse lacks
			t.Fatal(err)
		}
	}
}

// eraseWith runs the command erase with additional environment variables.
func (s *emulatedSite) eraseWith(env []string, id string) *testProcess {
	s.t.Helper()
	path, err := built()
	if err != nil {
		s.t.Fatal(err)
	}
	p := startProcess(s.t, path, env, "erase", id, "--yes", "--file", filepath.Join(s.home, "pipelines.yaml"), "--dir", string(s.dir))
	<-p.ended
	return p
}

// filesContaining returns the files of the warehouse that contain a word.
func (s *emulatedSite) filesContaining(word string) []string {
	s.t.Helper()
	return oracletest.FilesContaining(s.t, string(s.dir), word)
}
