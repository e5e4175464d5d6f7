package pipeline_test

import (
	"bytes"
	"strings"
	"testing"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/runlog"
)

// TestStatusNamesTheWorkspaceOfSeveral for streams that both workspaces have.
func TestStatusNamesTheWorkspaceOfSeveral(t *testing.T) {
	t.Parallel()
	s := runlog.Status{Streams: []runlog.StreamStatus{{Workspace: "acme", Stream: "contacts", Hint: "look"}, {Workspace: "main", Stream: "contacts"}}}
	var said bytes.Buffer
	render.PrintStatus(&s, &said)
	for _, want := range []string{"\n  acme.contacts  ", "\n  main.contacts  ", "\n  acme.contacts: next: look\n"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, said.String())
		}
	}
	run := runlog.RunDetail{Streams: []runlog.RunStream{{Workspace: "acme", Stream: "contacts", Error: "gone"}, {Workspace: "main", Stream: "contacts"}}}
	said = bytes.Buffer{}
	if render.PrintRun(&run, &said); !strings.Contains(said.String(), "\n  acme.contacts: gone\n") || !strings.Contains(said.String(), "\n  main.contacts  ") {
		t.Errorf("of a run that has ended:\n%s", said.String())
	}
	s.Streams, said = s.Streams[:1], bytes.Buffer{}
	render.PrintStatus(&s, &said)
	if strings.Contains(said.String(), "acme.contacts") {
		t.Errorf("there is one workspace:\n%s", said.String())
	}
}
