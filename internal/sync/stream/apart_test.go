package stream

import (
	"errors"
	"strings"
	"testing"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/schemas"
)

// TestStreamErrorKeepsItsNextStepWhenTheTokenIsRefused ends streams of a workspace that refuses its token meanwhile: what heals each is its
// own, but for those that the refusal ended.
func TestStreamErrorKeepsItsNextStepWhenTheTokenIsRefused(t *testing.T) {
	t.Parallel()
	lost := errors.New("nobody answers")
	for _, c := range []struct {
		err  error
		next string
	}{
		{&problem.Problem{Class: "data", What: "no JSON", Next: "look at it"}, "look at it"},
		{&problem.Problem{Class: "auth", What: "401", Next: "give a token"}, "set a token that is valid for workspace acme, "},
		{lost, "check that base_url of workspace acme "},
	} {
		w := &Workspace{Name: "acme", Config: &config.Workspace{}, Lost: lost}
		w.Refused.Store(true)
		r := &Run{Runner: &runner.Runner{}, Pipeline: &config.Pipeline{Name: "nightly"}, Workspaces: []*Workspace{{Name: "main"}, w}}
		one := &Task{Run: r, Workspace: w, Stream: &schemas.Stream{Name: "contacts"}}
		if one.RecordOutcome(t.Context(), c.err); one.Result.Status != runlog.StatusFailed || !strings.HasPrefix(one.Result.Next, c.next) {
			t.Errorf("%v: %s, next: %s", c.err, one.Result.Status, one.Result.Next)
		}
	}
}
