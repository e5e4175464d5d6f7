package pipeline

import (
	"errors"
	"strings"
	"testing"

	"aqueduck/schemas"
)

// TestWhatIsWrongWithAStreamIsNotItsWorkspacesRefusal ends streams of a workspace that refuses its token meanwhile: what heals each is its
// own, but for those that the refusal ended.
func TestWhatIsWrongWithAStreamIsNotItsWorkspacesRefusal(t *testing.T) {
	t.Parallel()
	lost := errors.New("nobody answers")
	for _, c := range []struct {
		err  error
		next string
	}{
		{&Problem{Class: "data", What: "no JSON", Next: "look at it"}, "look at it"},
		{&Problem{Class: "auth", What: "401", Next: "give a token"}, "give a token that is valid for workspace acme, "},
		{lost, "see that base_url of workspace acme "},
	} {
		w := &workspace{name: "acme", config: &Workspace{}, lost: lost}
		w.refused.Store(true)
		r := &run{runner: &Runner{}, pipeline: &Pipeline{Name: "nightly"}, workspaces: []*workspace{{name: "main"}, w}}
		one := &task{run: r, workspace: w, stream: &schemas.Stream{Name: "contacts"}}
		if one.settle(t.Context(), c.err); one.result.Status != StatusFailed || !strings.HasPrefix(one.result.Next, c.next) {
			t.Errorf("%v: %s, next: %s", c.err, one.result.Status, one.result.Next)
		}
	}
}
