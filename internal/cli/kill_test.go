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

// TestF1KillsAtRandomTimesLoseNothing kills runs at random times, some in a new warehouse and some in a full one, while the
// workspace changes. After a few kills one undisturbed run must have all data.
// Holds: T140, S21.
func TestF1KillsAtRandomTimesLoseNothing(t *testing.T) {
	t.Parallel()
	for part, sites := range []struct {
		name  string
		kills int
		reads func(s *emulatedSite) *emulatedSite
	}{
		{"every kind of stream", 4, (*emulatedSite).readAllStreams},
		{"contacts", lane.Cases(5, 10), (*emulatedSite).publishEarly}, // a run of which takes a third of the time
	} {
		if part == 0 && !lane.Heavy() {
			continue // load/publish kills at random times too
		}
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

// TestKillsAtEveryNamedPointLoseNothing kills the run at each crash point: at the first time in a new warehouse, or at a later time in
// one with rows. make test alternates between the two, and make torture tries both at each point.
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

// everySecond returns the first, the third and so on, or the others.
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

// crashAndInspect kills a run at a crash point while the workspace changes, and now and then compares all data.
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

// TestSweepsOfKilledRunsAreNoEvidence kills runs between a sweep of the inactive contacts and its conclusion, more often than a run
// sweeps. The next run must not use those sweeps, because the list has changed since.
// Holds: F1.
func TestSweepsOfKilledRunsAreNoEvidence(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	s := newSite(t, 14)
	s.syncUntilEqual()
	for place, args := range map[string][]string{":1": nil, ":2": {"--full-refresh"}} { // a refresh first commits that it has begun
		for range 4 {
			s.life.passHours()
			s.crashAt(crash.CommitDone+place, append(args, "--select", "deleted_contacts")...)
		}
		s.life.passHours()
		s.syncUntilEqual()
	}
}

// TestKilledRunIsNotReadAgain kills a run at a request and counts the requests of the next run: at most those of a complete run. After the
// forward pass it reads nothing of that again, except what every run requests. The history is so short here that it is one batch.
// Holds: F1.
func TestKilledRunIsNotReadAgain(t *testing.T) {
	lane.SkipHeavy(t)
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
		// Not one of the last requests: a changed workspace may need fewer than at first.
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

// killAt kills a run during its n-th request.
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

// forwardRequests returns the number of requests before those for history. Only contacts has a history here. Its first search is the third of
// the run: one identifies the workspace, and one is the forward pass.
func (s *emulatedSite) forwardRequests() int {
	searches := 0
	for i, r := range s.space.Requests() {
		if r.Path == "/contacts/search" {
			searches++
		}
		if searches == 3 {
			return i
		}
	}
	s.t.Fatal("the run searched no history")
	return 0
}
