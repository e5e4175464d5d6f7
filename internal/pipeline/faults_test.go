package pipeline_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/pipeline"
)

// untilWell runs until a run ends well, at most so often; that one has all there is. It gives how many runs and requests that took.
func (b *bed) untilWell(most int) (runs, requests int) {
	b.t.Helper()
	before := b.space.Count()
	var report *pipeline.Report
	for runs < most {
		runs++
		if report = b.try(pipeline.Options{}); report.Exit() == pipeline.ExitOK {
			b.equalsOracle()
			return runs, b.space.Count() - before
		}
	}
	b.t.Fatalf("%d runs, and none ended well: %s\n%+v", most, report.LastLine(), report.Streams)
	return 0, 0
}

// conversing reads conversations too, each by a request of its own.
var conversing = strings.Replace(nightly, "streams: [", "streams: [conversations, ", 1)

// mixed are all kinds of faults, which together come to a share of requests.
func mixed(share float64) string {
	kinds := []string{"error=%g:500", "error=%g:503", "error=%g:504", "429=%g", "reset=%g", "truncate=%g", "garbage=%g", "html404=%g", "slow=%g:2ms", "drip=%g:50us"}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf(kind, share/float64(len(kinds)))
	}
	return strings.Join(kinds, ",")
}

// TestF6FaultsOfTheAPIEqualTheOracle reads a workspace, and again what changed in it, through a line that fails for a share of
// requests in every way. A run that ends well has all that there is.
func TestF6FaultsOfTheAPIEqualTheOracle(t *testing.T) {
	serial(t)
	t.Parallel()
	l := lane.New(t, "workspaces read through faults", 1)
	for ; l.More(); l.Done(1) {
		shares := []float64{0.1, 0.3}
		if l.Long() {
			shares = []float64{0.01, 0.05, 0.1, 0.3}
		}
		b := newBedWith(t, emulator.Config{Seed: l.Seed(), Contacts: 60, Inactive: 20, Activities: 60, Conversations: 60,
			Knobs: emulator.Knobs{NoLag: true, QuietConversations: emulator.Never}}, conversing)
		life := newLife(b, l.Seed())
		for _, share := range shares {
			b.must(b.space.SetChaos(mixed(share)))
			runs, asked := b.untilWell(5)
			t.Logf("seed %d: faults for %g %% of %d requests: %d runs", l.Seed(), 100*share, asked, runs)
			life.happen(30)
			b.space.Live(3)
			b.space.Advance(time.Hour)
		}
	}
}

// TestF7ARunEndsWhenItsTimeIsOver: a server that puts everybody off does not hold a run beyond its max_time. It is cut, as one that
// has read much is, and the next one goes on.
func TestF7ARunEndsWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	b := newBed(t, tiny(71))
	puttingOff := true
	b.before(func(rw http.ResponseWriter, r *http.Request) bool {
		if puttingOff && r.URL.Path == "/contacts/activities" {
			rw.Header().Set("Retry-After", "40")
			rw.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	const most = 90 * time.Second
	began := b.space.Clock()
	report := b.try(pipeline.Options{MaxTime: most})
	if took := b.space.Clock().Sub(began); took > most+5*time.Second || !stream(t, report, "contact_activities").Cut || report.Exit() != pipeline.ExitOK {
		t.Errorf("it ended after %s: %s\n%+v", took, report.LastLine(), report.Streams)
	}
	puttingOff = false
	b.sync(pipeline.Options{})
	b.equalsOracle()
}
