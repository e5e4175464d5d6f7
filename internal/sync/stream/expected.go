package stream

import (
	"math"
	"slices"
	"time"

	"aqueduck/internal/runlog"
)

// expectRequests estimates how many requests a stream sends in this run, including those that it has sent; 0 when that is unknown. The caller holds
// the mutex.
func (p *Progress) expectRequests(t *Task, sent int64) int64 {
	usual := t.Workspace.Past[t.Stream.Name].Requests
	records, known := p.recordsLeft(t)
	switch {
	case p.ended[t]:
		return max(sent, 1)
	case known:
		return max(1, sent+int64(math.Ceil(records*t.Stream.RequestsPerThousand()/1000)))
	case t.Stream.Read.ByIDs():
		return max(sent, usual, p.expectFromParents(t), 1)
	case t.Days != nil:
		return max(sent+1, usual) // it waits for the source more than it sends requests
	case usual > 0:
		return max(sent, usual)
	}
	return 0
}

// recordsLeft estimates the records that a stream has still to read.
func (p *Progress) recordsLeft(t *Task) (records float64, known bool) {
	if h := p.history[t]; h != nil && h.from == 0 {
		return float64(max(0, h.total-h.before-h.stored-h.open)), true
	}
	left, known := p.listed[t]
	return float64(left), known
}

// expectFromParents estimates the requests of a stream that reads something for each record of its parent streams; 0 for one whose ids an SQL file
// selects, which are few.
func (p *Progress) expectFromParents(t *Task) (requests int64) {
	if !t.Stream.Read.UsesPendingIDs() {
		return 0
	}
	for _, parent := range p.run.Tasks {
		if parent.Workspace != t.Workspace || !slices.Contains(t.Stream.Read.Over.Streams, parent.Stream.Name) || p.streams[parent] == nil {
			continue
		}
		left, _ := p.recordsLeft(parent)
		requests += int64(math.Ceil((float64(p.streams[parent].Extracted) + left) * t.Stream.RequestsPerThousand() / 1000))
	}
	return requests
}

// publishLeft estimates how long the last publish of the run still takes, by the previous one: it grows with the rows. It is 0 when there was none.
func (p *Progress) publishLeft(r *runlog.Running) time.Duration {
	n := len(p.published)
	if n == 0 {
		return 0
	}
	took := p.published[n-1].To.Sub(p.published[n-1].From)
	if p.doing == "publishing" {
		took = max(0, took-r.At.Sub(p.since))
	}
	return took
}
