package pipeline_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	pipelinesync "aqueduck/internal/sync"
)

// TestPipelinesOfOneWorkspaceShareItsRequestBudget runs pipelines one right after the other, as `serve` does with those of one minute. The first
// requests of each have no budget of their own. A second workspace has one.
func TestPipelinesOfOneWorkspaceShareItsRequestBudget(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	const perMinute = 3
	other := newBed(t, tinyConfig(12))
	b := newBed(t, tinyConfig(11))
	b.env = map[string]string{"OTHER_URL": other.url, "OTHER_TOKEN": other.space.AccessToken()}
	b.writeConfig(`version: 1
warehouse: {dir: data}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", requests_per_minute: 3}
  acme: {base_url: "${OTHER_URL}", token: "${OTHER_TOKEN}", requests_per_minute: 600}
pipelines:
  tags: {streams: [tags], workspaces: main}
  elsewhere: {streams: [tags, teams], workspaces: acme}
  teams: {streams: [teams], workspaces: main}
`)
	asked := map[*testBed][]time.Time{}
	var mu sync.Mutex // guards asked
	for _, at := range []*testBed{b, other} {
		at.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked[at] = append(asked[at], b.space.CurrentTime())
			mu.Unlock()
			at.space.ServeHTTP(w, r)
		})
	}
	for _, p := range b.runner.Config.Pipelines {
		if report, err := pipelinesync.Sync(t.Context(), b.runner, p, runner.Options{}); err != nil || report.Exit() != problem.ExitOK {
			t.Fatalf("%s: %v %v", p.Name, report, err)
		}
	}
	most := 0
	for i, from := range asked[b] {
		n := slices.IndexFunc(asked[b][i:], func(at time.Time) bool { return !at.Before(from.Add(time.Minute)) })
		if n < 0 {
			n = len(asked[b]) - i
		}
		most = max(most, n)
	}
	if most > perMinute || len(asked[b]) < perMinute+1 {
		t.Errorf("of %d requests %d came within a minute", len(asked[b]), most)
	}
	if all := asked[other]; len(all) < 3 || all[len(all)-1].Sub(all[0]) > 5*time.Second {
		t.Errorf("the other workspace waited too: %d requests within %s", len(all), all[len(all)-1].Sub(all[0]))
	}
}
