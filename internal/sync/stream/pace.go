package stream

import (
	"slices"
	"time"

	"aqueduck/internal/runlog"
)

// Limits of a curve of requests.
const (
	paceEvery  = time.Second // the length of a stretch; shorter ones say little
	mostPoints = 120         // more of them are joined in pairs, and later ones are as long
)

// paceCurve is how many requests a workspace was sent over the time of a run.
type paceCurve struct {
	points  []runlog.PacePoint
	counted int64         // requests of the points
	since   time.Time     // where the next point begins
	every   time.Duration // the length of a stretch
}

// addPoint ends a stretch when it is long enough. sent is the number of all requests of the run.
func (c *paceCurve) addPoint(workspace string, now time.Time, sent int64, perMinute int) {
	if now.Sub(c.since) < c.every {
		return
	}
	c.points = append(c.points, runlog.PacePoint{Workspace: workspace, From: c.since, To: now, Requests: sent - c.counted, Budget: perMinute})
	c.counted, c.since = sent, now
	if len(c.points) <= mostPoints {
		return
	}
	joined := c.points[:0]
	for pair := range slices.Chunk(c.points, 2) {
		one := pair[0]
		for _, other := range pair[1:] {
			one.To, one.Requests, one.Budget = other.To, one.Requests+other.Requests, other.Budget
		}
		joined = append(joined, one)
	}
	c.points, c.every = joined, 2*c.every
}

// pointsUntil returns the points, and the stretch that is not complete.
func (c *paceCurve) pointsUntil(workspace string, now time.Time, sent int64, perMinute int) []runlog.PacePoint {
	all := slices.Clone(c.points)
	if sent > c.counted && now.After(c.since) {
		all = append(all, runlog.PacePoint{Workspace: workspace, From: c.since, To: now, Requests: sent - c.counted, Budget: perMinute})
	}
	return all
}

// notePace adds a point for each workspace.
func (p *Progress) notePace() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.run.Workspaces {
		p.paceOf(w).addPoint(w.Name, p.run.Now(), w.Client.Requests(), w.Client.RequestsPerMinute())
	}
}

// tracePace returns the points of all workspaces, in the order of their times. The caller holds the mutex.
func (p *Progress) tracePace(now time.Time) (all []runlog.PacePoint) {
	for _, w := range p.run.Workspaces {
		all = append(all, p.paceOf(w).pointsUntil(w.Name, now, w.Client.Requests(), w.Client.RequestsPerMinute())...)
	}
	slices.SortStableFunc(all, func(a, b runlog.PacePoint) int { return a.From.Compare(b.From) })
	return all
}

// paceOf returns the curve of a workspace. The caller holds the mutex.
func (p *Progress) paceOf(w *Workspace) *paceCurve {
	c := p.pace[w]
	if c == nil {
		c = &paceCurve{since: p.run.Started, every: paceEvery}
		p.pace[w] = c
	}
	return c
}
