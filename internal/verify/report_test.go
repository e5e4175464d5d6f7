package verify

import (
	"strings"
	"testing"

	"aqueduck/internal/problem"
)

// What an error kept from being compared fails the verification, and its last line says that this is why. It counts streams of which something was compared.
func TestLastLineCountsWhatWasNotCompared(t *testing.T) {
	t.Parallel()
	whole := &Verification{Streams: []Verified{{Stream: "contacts", Sampled: 60}, {Stream: "calls", Whole: true}, {Stream: "tags"}}, Lakes: []VerifiedLake{{Workspace: "main", Whole: true}}}
	if line := whole.LastLine(); !strings.HasPrefix(line, "OK verify streams=2 sampled=") {
		t.Error(line)
	}
	if line := (&Verification{Streams: []Verified{{Stream: "calls", How: "not compared: no run has read it"}}}).LastLine(); !strings.HasPrefix(line, "NOTHING verify streams=0 ") {
		t.Error(line)
	}
	part := &Verification{Streams: []Verified{{Stream: "contacts", Sampled: 60}, {Stream: "tags", Class: "transient", Error: "503"}}, Lakes: []VerifiedLake{{Workspace: "main", Class: "disk", Error: "no space"}}}
	if line := part.LastLine(); !strings.HasPrefix(line, "FAILED verify streams=1 not_compared=2 sampled=") || part.Exit() != problem.ExitFailed {
		t.Errorf("%d: %s", part.Exit(), line)
	}
}
