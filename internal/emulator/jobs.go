package emulator

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"aqueduck/internal/emulator/jsontext"
)

// JobKind is what a job makes or changes.
type JobKind string

// The kinds: what makes a ticket (workspace-api 4.11, tickets/enqueue), and what changes contacts in bulk.
const (
	JobTicket         JobKind = "ticket"
	JobContactsCreate JobKind = "contacts.create"
	JobContactsUpdate JobKind = "contacts.update"
	JobContactsDelete JobKind = "contacts.delete"
)

// bulk says whether a job is one of many contacts.
func (k JobKind) bulk() bool { return k != JobTicket }

// JobPlan is how a job will go.
type JobPlan struct {
	Pending  time.Duration // how long it waits; 0: a minute
	Working  time.Duration // how long it works after that; 0: four minutes
	Fails    bool          // it ends as failed
	Resource string        // the id of what a ticket's job has made when it succeeds

	Contacts []JobContact // what a job of contacts does when it succeeds
}

// job is one that was started. Where it stands is a function of the time.
type job struct {
	kind JobKind
	made time.Time
	plan JobPlan

	rejected []rejection
}

// StartJob starts a job and gives its id: it is pending, in_progress after a while, then success or failed.
func (w *jobDesk) StartJob(kind JobKind, plan JobPlan) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains([]JobKind{JobTicket, JobContactsCreate, JobContactsUpdate, JobContactsDelete}, kind) {
		return "", fmt.Errorf("start a job: no kind %q", kind)
	}
	if kind == JobTicket && !plan.Fails {
		if plan.Resource == "" {
			return "", errors.New("start a job: resource is missing: it is the id of the ticket that a ticket's job makes, unless it fails")
		}
		if _, err := w.tickets.ticketNamed(plan.Resource); err != nil {
			return "", fmt.Errorf("start a job: %w", err)
		}
	}
	return jobID(w.addJob(kind, plan)), nil
}

// addJob adds one and gives its place. The lock is held.
func (w *jobDesk) addJob(kind JobKind, plan JobPlan) int {
	if plan.Pending == 0 {
		plan.Pending = time.Minute
	}
	if plan.Working == 0 {
		plan.Working = 4 * time.Minute
	}
	n := len(w.jobs)
	w.jobs = append(w.jobs, job{kind: kind, made: w.clock(), plan: plan})
	if len(plan.Contacts) > 0 && !plan.Fails {
		w.happensAt(w.jobs[n].over(), func(at int64) { w.workInBulk(n, at) })
	}
	return n
}

func jobID(n int) string { return "job_" + strconv.Itoa(90100+17*n) }

// status is where a job stands (workspace-api 3.1).
func (j *job) status(now time.Time) string {
	switch age := now.Sub(j.made); {
	case age < j.plan.Pending:
		return "pending"
	case age < j.plan.Pending+j.plan.Working:
		return "in_progress"
	case j.plan.Fails:
		return "failed"
	}
	return "success"
}

// jobStatusOf is GET /jobs/status/{id} (workspace-api 4.11).
func jobStatusOf(w *server, q *request) answer {
	return w.ofJob(q, func(JobKind) bool { return true })
}

// bulkJobStatus is GET /contacts/bulk/{id}: of jobs of contacts only.
func bulkJobStatus(w *server, q *request) answer { return w.ofJob(q, JobKind.bulk) }

func (w *server) ofJob(q *request, fits func(k JobKind) bool) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := range w.jobs {
		if j := &w.jobs[n]; jobID(n) == q.id && fits(j.kind) {
			return answer{status: http.StatusOK, body: w.appendJob(nil, q, n, w.clock())}
		}
	}
	return notFound("Job")
}

// appendJob writes a job object as it is at a time; what it made is told once it has succeeded.
func (w *server) appendJob(b []byte, q *request, n int, now time.Time) []byte {
	j, resource := &w.jobs[n], "ticket"
	status := j.status(now)
	address := "/jobs/status/"
	if j.kind.bulk() {
		resource, address = "contact", "/contacts/bulk/"
	}
	p := &jsontext.Writer{Bytes: b}
	p.Open("")
	p.Text("type", "job")
	p.Text("id", jobID(n))
	word, other := w.k().JobWords[status]
	if !other {
		word = status
	}
	p.Text("status", word)
	p.Text("url", q.base+address+jobID(n))
	p.Text("resource_type", resource)
	made, where := "", ""
	if status == "success" && !j.kind.bulk() {
		made, where = j.plan.Resource, q.base+"/tickets/"+j.plan.Resource
	}
	p.Text("resource_id", made)
	p.Text("resource_url", where)
	if j.kind.bulk() && status == "success" {
		p.Int("total", int64(len(j.plan.Contacts)))
		writeRejections(p, j.rejected)
	}
	p.Close()
	return p.Bytes
}
