package stream

import (
	"testing"

	"aqueduck/internal/runlog"
	"aqueduck/load/facts"
	"aqueduck/schemas"
)

// TestExpectedRequestsOfStreams: a stream expects what its source's count, its parent, or its usual run says, and nothing that nobody knows.
func TestExpectedRequestsOfStreams(t *testing.T) {
	t.Parallel()
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	w := &Workspace{Name: "main", Past: map[string]facts.PastReads{"admins": {Requests: 3}}}
	task := func(name string) *Task {
		s, ok := catalogue.Stream(name)
		if !ok {
			t.Fatalf("no stream %s", name)
		}
		return &Task{Workspace: w, Stream: s}
	}
	conversations, children, admins, tags, contacts := task("conversations"), task("handling_events"), task("admins"), task("tags"), task("contacts")
	p := NewProgress(&Run{Tasks: []*Task{conversations, children, admins, tags, contacts}})
	require := func(what string, of *Task, sent, want int64) {
		t.Helper()
		if got := p.expectRequests(of, sent); got != want {
			t.Errorf("%s: %s expects %d requests, want %d", what, of.Stream.Name, got, want)
		}
	}
	require("in a first run", contacts, 5, 0)
	require("after usual runs", admins, 0, 3)
	require("beyond them", admins, 7, 7)
	p.streams[conversations] = &runlog.RunningStream{Extracted: 300}
	p.history[conversations] = &backfillProgress{total: 1000, before: 100, stored: 150, open: 50}
	each := conversations.Stream.RequestsPerThousand() / 1000
	require("in its history", conversations, 400, 400+int64(700*each+0.999))
	require("for each record of its parent", children, 20, int64(1000*children.Stream.RequestsPerThousand()/1000))
	p.listed[tags] = 0
	require("at the end of its list", tags, 2, 2)
	p.ended[contacts] = true
	require("at its end", contacts, 9, 9)
}
