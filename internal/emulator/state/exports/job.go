package exports

import (
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/core"
)

// Exports is the state of the reporting exports.
type Exports struct {
	*core.Core
	Conversations *conversations.Conversations
	exportJobs    []*Job
	mostExports   int // largest number of concurrent jobs so far
	ReportEvents  []event.ReportEvent
}

// Slots is how many jobs of a workspace may run concurrently (workspace-api 8).
const Slots = 5

// Job is one export job with its request.
type Job struct {
	ID         string
	Set        *event.Dataset
	Attributes []string
	From, To   int64     // Unix seconds
	Made       time.Time // time of the request
	Failed     bool      // it gets no file
	Old        bool      // requested under a version that exports less
	Link       int       // number of the last download URL
	Expires    time.Time // of the last download URL; zero: there is none
}

// JobStatus returns the status of a job now.
func (w *Exports) JobStatus(j *Job) string {
	k := w.K().Export
	pending, working := k.Pending, k.Working
	if pending == 0 {
		pending = 100 * time.Millisecond
	}
	if working == 0 {
		working = 150 * time.Millisecond
	}
	switch age := w.TimeHeld().Sub(j.Made); {
	case age < pending:
		return "pending"
	case age < pending+working:
		return "in_progress"
	case j.Failed:
		return "failed"
	case k.Status != "":
		return k.Status
	}
	return "complete"
}

// ExportJobs returns the number of jobs so far, and the largest number of concurrent ones.
func (w *Exports) ExportJobs() (made, most int) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return len(w.exportJobs), w.mostExports
}

// OccupyExports fills slots with jobs of another client.
func (w *Exports) OccupyExports(jobs int) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for range jobs {
		w.AddJob(&Job{Set: event.Datasets[0]})
	}
}

// AddJob adds a job and gives it an id. The caller holds the lock.
func (w *Exports) AddJob(j *Job) {
	j.Made, j.Failed = w.TimeHeld(), len(w.exportJobs) < w.K().Export.Fail
	// The time is part of the id: a workspace that starts again must not reuse an id that a client remembers for another job.
	j.ID = fmt.Sprintf("job_%016x", event.MixBits(event.MixBits(w.Setup.Seed^uint64(len(w.exportJobs)+1)<<8)^uint64(j.Made.UnixNano())))
	w.exportJobs = append(w.exportJobs, j)
	w.mostExports = max(w.mostExports, w.CountBusy())
}

// CountBusy counts the running jobs. The caller holds the lock.
func (w *Exports) CountBusy() (n int) {
	for _, j := range w.exportJobs {
		if s := w.JobStatus(j); s == "pending" || s == "in_progress" {
			n++
		}
	}
	return n
}

// ListAttributes returns the current attributes of a dataset: the knobs remove some and add others.
func (w *Exports) ListAttributes(s *event.Dataset) []event.DatasetAttribute {
	file := w.K().Export.File
	var all []event.DatasetAttribute
	for _, a := range s.Attributes {
		if !slices.Contains(file.Without, a.ID) {
			all = append(all, a)
		}
	}
	for _, name := range file.Added {
		all = append(all, event.DatasetAttribute{ID: "added." + name, Name: name})
	}
	return all
}

// FindAttribute returns an attribute by the id that requests must use: the qualified one where there is one.
func (w *Exports) FindAttribute(s *event.Dataset, id string) *event.DatasetAttribute {
	for _, a := range w.ListAttributes(s) {
		if a.Qualified == id || a.Qualified == "" && a.ID == id {
			return &a
		}
	}
	return nil
}

// ExplainBadAttribute says what to send instead of an invalid id.
func (w *Exports) ExplainBadAttribute(s *event.Dataset, id string) string {
	for _, a := range w.ListAttributes(s) {
		if a.ID == id {
			return "qualified where get_datasets has a qualified_id: " + a.Qualified + ", not " + id
		}
	}
	return "of the dataset, which has no " + id
}

// FindJob returns a job by its id; nil where there is none. The caller holds the lock.
func (w *Exports) FindJob(id string) *Job {
	for _, j := range w.exportJobs {
		if j.ID == id {
			return j
		}
	}
	return nil
}
