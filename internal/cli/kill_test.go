package cli

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/internal/lane"
)

// TestF1KillsAtRandomTimesLoseNothing kills runs at any time of their life, some in a new warehouse and some in a full
// one, while the workspace changes. After a few kills one quiet run must have it all.
// Holds: T140, S21.
func TestF1KillsAtRandomTimesLoseNothing(t *testing.T) {
	t.Parallel()
	for part, sites := range []struct {
		name  string
		kills int
		reads func(s *emulatedSite) *emulatedSite
	}{
		{"every kind of stream", 4, (*emulatedSite).readAllStreams},
		{"contacts", 10, (*emulatedSite).publishEarly}, // a run of which takes a third of the time
	} {
		t.Run(sites.name, func(t *testing.T) {
			t.Parallel()
			for l := lane.New(t, "runs killed at any time", sites.kills); l.HasNext(); l.CountTrials(sites.kills) {
				r := rand.New(rand.NewPCG(l.Seed(), uint64(part)))
				killRuns(t, r, sites.reads(newSite(t, r.Uint64())), sites.kills)
			}
		})
	}
}

func killRuns(t *testing.T, r *rand.Rand, s *emulatedSite, wanted int) {
	defer s.closeSite()
	first := s.syncUntilEqual() // how long a run takes in a new warehouse
	span, killed, ended := first, 0, 0
	for killed < wanted {
		if r.IntN(3) == 0 {
			s.newWarehouse()
			span = first
		}
		for range min(3+r.IntN(6), wanted-killed) {
			s.life.startActivity()
			p := s.startSync()
			if p.killAfter(time.Duration(r.Int64N(int64(span)))) {
				killed++
			} else {
				p.requireSuccess()
				ended++
				span = p.age
			}
			s.readEveryRow()
			s.life.passHours()
		}
		span = s.syncUntilEqual()
	}
	t.Logf("%d runs killed, %d had ended before", killed, ended)
}

// TestKillsAtEveryNamedPointLoseNothing dies at each place: as soon as a new warehouse comes there, or later, in one that has rows,
// when the place is passed not for the first time. make test takes turns between the two, make torture dies at each in both.
// Holds: T139, F2.
func TestKillsAtEveryNamedPointLoseNothing(t *testing.T) {
	t.Parallel()
	for name, crashAll := range map[string]func(s *emulatedSite, points []string){"first": crashNewWarehouse, "later": crashFilledWarehouse} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for l := lane.New(t, "warehouses whose runs are killed at named points", 1); l.HasNext(); l.CountTrials(1) {
				points := crash.Points()
				if !l.HasDeadline() {
					points = everySecond(points, name == "later")
				}
				crashAll(newSite(t, 10+l.Seed()).publishEarly(), points)
			}
		})
	}
}

// everySecond are the first, the third and so on, or the others.
func everySecond(points []string, others bool) (half []string) {
	for i, point := range points {
		if (i%2 == 1) == others {
			half = append(half, point)
		}
	}
	return half
}

func crashNewWarehouse(s *emulatedSite, points []string) {
	defer s.closeSite()
	for i, point := range excludePoints(points, crash.OpenRestored) {
		s.crashAndInspect(i, point+":1")
	}
	s.crashAndInspect(0, crash.OpenRestored+":1") // which needs a published file
	s.syncUntilEqual()
}

func crashFilledWarehouse(s *emulatedSite, points []string) {
	defer s.closeSite()
	s.syncUntilEqual()
	for i, point := range excludePoints(points, crash.OpenCreated, crash.TablesMade) {
		switch {
		case strings.HasPrefix(point, "fold-"):
			s.crashAt(crash.CommitDone + ":3") // a run folds when a killed one has left a log
			s.crashAndInspect(i, point+":1")
		case strings.HasPrefix(point, "commit-"), point == crash.LakePart:
			s.crashAndInspect(i, point+":3")
		case point == crash.PublishRetained:
			for s.publishedFileCount() < 3 { // with all that are kept: an erasure may have left only the newest
				s.life.passHours()
				s.syncUntilEqual()
			}
			s.crashAndInspect(i, point+":2", "--full-refresh")
		default:
			s.crashAndInspect(i, point+":2", "--full-refresh") // which publishes twice
		}
	}
	s.syncUntilEqual()
}

func excludePoints(points []string, left ...string) []string {
	return slices.DeleteFunc(points, func(p string) bool { return slices.Contains(left, p) })
}

// crashAndInspect dies at a place, while the workspace changes, and now and then sees whether that did any harm.
func (s *emulatedSite) crashAndInspect(i int, place string, args ...string) {
	s.t.Helper()
	s.life.passHours()
	s.life.startActivity()
	s.crashAt(place, args...)
	s.readEveryRow()
	if i%8 == 7 {
		s.syncUntilEqual()
	}
}

// TestSweepsOfKilledRunsAreNoEvidence dies between a walk over the list of inactive contacts and its conclusion, more often
// than a run walks. Whoever comes next must not conclude from what they saw: the list has changed since.
// Holds: F1.
func TestSweepsOfKilledRunsAreNoEvidence(t *testing.T) {
	t.Parallel()
	s := newSite(t, 14)
	s.syncUntilEqual()
	for _, args := range [][]string{nil, {"--full-refresh"}} {
		for range 4 {
			s.life.passHours()
			s.crashAt(crash.CommitDone+":1", append(args, "--select", "deleted_contacts")...)
		}
		s.life.passHours()
		s.syncUntilEqual()
	}
}

// TestKilledRunIsNotReadAgain kills a run at a request and counts those that the next run needs: no more than a whole
// run, and once history is being read, nothing again of what came forward before it, but for what every run asks. History
// itself is so short here that all of it is one batch.
// Holds: F1.
func TestKilledRunIsNotReadAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, 13)
	asked := func() int { return s.space.RequestCount() }
	s.syncUntilEqual()
	all, forward := asked(), s.forwardRequests()
	before := asked()
	s.syncUntilEqual()
	always := asked() - before
	for l := lane.New(t, "runs killed at a request", 1); l.HasNext(); l.CountTrials(3) {
		r := rand.New(rand.NewPCG(l.Seed(), 0))
		// Not among the last requests: a workspace that has moved may need fewer than it did at first.
		for _, at := range []int{2 + r.IntN(forward-2), forward + 1, forward + 1 + r.IntN(max(1, all-forward-5))} {
			s.newWarehouse()
			s.killAt(at)
			before := asked()
			s.syncUntilEqual()
			needs := all + always
			if at > forward {
				needs -= forward
			}
			if again := asked() - before; again > needs {
				t.Errorf("killed at request %d of %d, %d of them forward, the next run needed %d; at most %d are owed",
					at, all, forward, again, needs)
			}
		}
	}
}

// killAt kills a run while its n-th request is under way.
func (s *emulatedSite) killAt(n int) {
	s.t.Helper()
	last := s.space.RequestCount() + n
	reached, dead := make(chan struct{}), make(chan struct{})
	s.space.RunBetween(func(at int) {
		if at == last {
			close(reached)
		}
		if at >= last {
			<-dead
		}
	})
	p := s.startSync()
	select {
	case <-reached:
	case <-p.ended:
		s.t.Fatalf("the run had ended before request %d:\n%s", n, p.outputText())
	}
	p.killAndWait()
	s.space.RunBetween(nil)
	close(dead)
}

// forwardRequests is how many requests came before those for history: the feed, which has none, was read to its end by then.
func (s *emulatedSite) forwardRequests() int {
	last := 0
	for i, r := range s.space.Requests() {
		if r.Path == "/contacts/activities" {
			last = i + 1
		}
	}
	return last
}
