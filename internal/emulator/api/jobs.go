package api

import (
	"net/http"
	"time"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/render"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/jobs"
)

// jobStatusOf serves GET /jobs/status/{id} (workspace-api 4.11).
func jobStatusOf(w *Handlers, q *Request) answer.Answer {
	return w.ofJob(q, func(jobs.JobKind) bool { return true })
}

// bulkJobStatus serves GET /contacts/bulk/{id}, for bulk jobs of contacts only.
func bulkJobStatus(w *Handlers, q *Request) answer.Answer { return w.ofJob(q, jobs.JobKind.IsBulk) }

func (w *Handlers) ofJob(q *Request, fits func(k jobs.JobKind) bool) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for n := range w.JobList {
		if j := &w.JobList[n]; jobs.JobID(n) == q.ID && fits(j.Kind) {
			return answer.Answer{Status: http.StatusOK, Body: w.AppendJob(nil, q, n, w.TimeHeld())}
		}
	}
	return answer.NotFound("Job")
}

// AppendJob writes a job in its state at a time. The created resource is sent once the job has succeeded.
func (w *Handlers) AppendJob(b []byte, q *Request, n int, now time.Time) []byte {
	j, resource := &w.JobList[n], "ticket"
	status := j.Status(now)
	address := "/jobs/status/"
	if j.Kind.IsBulk() {
		resource, address = "contact", "/contacts/bulk/"
	}
	p := &jsontext.Writer{Bytes: b}
	p.Open("")
	p.TextOrNull("type", "job")
	p.TextOrNull("id", jobs.JobID(n))
	word, other := w.K().JobWords[status]
	if !other {
		word = status
	}
	p.TextOrNull("status", word)
	p.TextOrNull("url", q.Base+address+jobs.JobID(n))
	p.TextOrNull("resource_type", resource)
	made, where := "", ""
	if status == "success" && !j.Kind.IsBulk() {
		made, where = j.Plan.Resource, q.Base+"/tickets/"+j.Plan.Resource
	}
	p.TextOrNull("resource_id", made)
	p.TextOrNull("resource_url", where)
	if j.Kind.IsBulk() && status == "success" {
		p.Int("total", int64(len(j.Plan.Contacts)))
		render.WriteRejections(p, j.Rejected)
	}
	p.Close()
	return p.Bytes
}
