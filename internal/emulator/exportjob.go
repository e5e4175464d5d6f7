package emulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
)

// exportSlots is how many jobs of a workspace may be under way (workspace-api 8).
const exportSlots = 5

type exportJob struct {
	id         string
	set        *event.Dataset
	attributes []string
	from, to   int64
	made       time.Time
	failed     bool
	old        bool // asked for under a version that exports less
	link       int  // number of the last download URL
	expires    time.Time
}

// status is where a job stands by the clock.
func (w *exportDesk) jobStatus(j *exportJob) string {
	k := w.k().Export
	pending, working := k.Pending, k.Working
	if pending == 0 {
		pending = 100 * time.Millisecond
	}
	if working == 0 {
		working = 150 * time.Millisecond
	}
	switch age := w.clock().Sub(j.made); {
	case age < pending:
		return "pending"
	case age < pending+working:
		return "in_progress"
	case j.failed:
		return "failed"
	case k.Status != "":
		return k.Status
	}
	return "complete"
}

// ExportJobs tells how many jobs were ever made, and how many were under way at once, at the highest.
func (w *exportDesk) ExportJobs() (made, most int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.exportJobs), w.mostExports
}

// OccupyExports fills slots with jobs of somebody else.
func (w *exportDesk) OccupyExports(jobs int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for range jobs {
		w.newJob(&exportJob{set: event.Datasets[0]})
	}
}

func (w *exportDesk) newJob(j *exportJob) {
	j.made, j.failed = w.clock(), len(w.exportJobs) < w.k().Export.Fail
	// Of the time too: a workspace that begins again must not give a name that somebody remembers for another job.
	j.id = fmt.Sprintf("job_%016x", event.Mix(event.Mix(w.cfg.Seed^uint64(len(w.exportJobs)+1)<<8)^uint64(j.made.UnixNano())))
	w.exportJobs = append(w.exportJobs, j)
	w.mostExports = max(w.mostExports, w.busyJobs())
}

func (w *exportDesk) busyJobs() (n int) {
	for _, j := range w.exportJobs {
		if s := w.jobStatus(j); s == "pending" || s == "in_progress" {
			n++
		}
	}
	return n
}

// exportDatasets is GET /export/reporting_data/get_datasets.
func exportDatasets(w *server, _ *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	type attribute struct {
		ID        string `json:"id"`
		Qualified string `json:"qualified_id,omitempty"`
		Name      string `json:"name"`
	}
	type dataset struct {
		ID         string      `json:"id"`
		Name       string      `json:"name"`
		Doc        string      `json:"description"`
		Time       string      `json:"default_time_attribute_id"`
		Attributes []attribute `json:"attributes"`
	}
	list := struct {
		Type string    `json:"type"`
		Data []dataset `json:"data"`
	}{Type: "list", Data: []dataset{}}
	for _, s := range event.Datasets {
		d := dataset{ID: s.ID, Name: s.Name, Doc: s.Doc, Time: s.Time}
		for _, a := range w.exportAttributes(s) {
			d.Attributes = append(d.Attributes, attribute{a.ID, a.Qualified, a.Name})
		}
		list.Data = append(list.Data, d)
	}
	return jsonAnswer(list)
}

// exportAttributes are the attributes that a dataset has now: the knobs take some away and add others.
func (w *exportDesk) exportAttributes(s *event.Dataset) []event.DatasetAttribute {
	file := w.k().Export.File
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

func jsonAnswer(v any) answer {
	body, err := json.Marshal(v)
	if err != nil {
		return failure(http.StatusInternalServerError, "server_error", err.Error())
	}
	return ok(body)
}

// enqueueExport is POST /export/reporting_data/enqueue.
func enqueueExport(w *server, q *request) answer {
	b := input.ReadBody(q.body)
	b.Need("dataset_id", "attribute_ids", "start_time", "end_time")
	attributes, from, to := b.IDs("attribute_ids"), b.Whole("start_time"), b.Whole("end_time")
	w.mu.Lock()
	defer w.mu.Unlock()
	s := event.DatasetNamed(b.Text("dataset_id"))
	switch {
	case s == nil:
		b.Invalid("dataset_id", "one of get_datasets")
	case len(attributes) == 0:
		b.Invalid("attribute_ids", "a list of at least one")
	case from <= 0 || from >= to:
		b.Invalid("start_time", "a time before end_time")
	}
	for _, id := range attributes {
		if !b.Refused() && w.attributeOf(s, id) == nil {
			b.Invalid("attribute_ids", w.attributeWanted(s, id))
		}
	}
	if b.Refused() {
		return refusedBody(b)
	}
	if w.busyJobs() >= exportSlots {
		return failure(http.StatusTooManyRequests, "rate_limit_exceeded", "Exceeded the number of exports under way")
	}
	j := &exportJob{set: s, attributes: attributes, from: from, to: to, old: !q.version.later()}
	w.newJob(j)
	return jobAnswer(w, q, j)
}

// attributeOf finds an attribute by the id that must be sent for it: the qualified one where there is one.
func (w *exportDesk) attributeOf(s *event.Dataset, id string) *event.DatasetAttribute {
	for _, a := range w.exportAttributes(s) {
		if a.Qualified == id || a.Qualified == "" && a.ID == id {
			return &a
		}
	}
	return nil
}

// attributeWanted says what must be sent instead of an id that is none to ask by.
func (w *exportDesk) attributeWanted(s *event.Dataset, id string) string {
	for _, a := range w.exportAttributes(s) {
		if a.ID == id {
			return "qualified where get_datasets has a qualified_id: " + a.Qualified + ", not " + id
		}
	}
	return "of the dataset, which has no " + id
}

func (w *exportDesk) jobOf(id string) *exportJob {
	for _, j := range w.exportJobs {
		if j.id == id {
			return j
		}
	}
	return nil
}

// exportStatus is GET /export/reporting_data/{job_identifier}. A job that is done gets a new URL each time it is asked for.
func exportStatus(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	j := w.jobOf(q.id)
	if j == nil || w.clock().Sub(j.made) < w.k().Export.Hidden {
		return notFound("Job")
	}
	return jobAnswer(w, q, j)
}

func jobAnswer(w *server, q *request, j *exportJob) answer {
	told := struct {
		ID      string `json:"job_identifier"`
		Status  string `json:"status"`
		URL     string `json:"download_url"`
		Expires any    `json:"download_expires_at"`
	}{ID: j.id, Status: w.jobStatus(j), Expires: ""}
	k := w.k().Export
	done := told.Status != "pending" && told.Status != "in_progress" && told.Status != "failed"
	if done && !k.NoURL {
		base, life := q.base, time.Hour
		if k.Storage != "" {
			base = k.Storage
		}
		if k.URLLife > 0 {
			life = k.URLLife
		}
		j.link++
		j.expires = w.clock().Add(life)
		told.URL = fmt.Sprintf("%s%s%s?signature=%d", base, storagePath, j.id, j.link)
		told.Expires = j.expires.Unix()
	}
	return jsonAnswer(told)
}

// storagePath is where files lie that are fetched without the API's token.
const storagePath = "/_storage/exports/"

// serveExport answers a temporary URL. Whether credentials came along is in the log of requests.
func (w *server) serveExport(rw http.ResponseWriter, r *http.Request) {
	entry := control.Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Auth: r.Header.Get("Authorization") != ""}
	entry.Status = w.sendExport(rw, strings.TrimPrefix(r.URL.Path, storagePath), r.URL.Query().Get("signature"))
	w.note(entry)
}

func (w *server) sendExport(rw http.ResponseWriter, id, signature string) int {
	w.mu.Lock()
	j, k := w.jobOf(id), w.k().Export
	dead := j == nil || fmt.Sprint(j.link) != signature || !w.clock().Before(j.expires)
	var body []byte
	if !dead {
		body = w.exportFile(j)
	}
	w.mu.Unlock()
	status, kind := http.StatusOK, "application/octet-stream"
	if dead {
		status, kind, body = http.StatusForbidden, "text/html", []byte(proxyPage)
		if n, err := strconv.Atoi(k.Expired); err == nil {
			status = n
		}
		if k.Expired == "html" {
			status = http.StatusOK
		}
	}
	rw.Header().Set("Content-Type", kind)
	rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
	rw.WriteHeader(status)
	_, _ = rw.Write(body) // the client may have gone away
	return status
}

// downloadExport is GET /download/reporting_data/{job_identifier}.
func downloadExport(w *server, q *request) answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	j := w.jobOf(q.id)
	if j == nil || w.jobStatus(j) == "pending" || w.jobStatus(j) == "in_progress" || j.failed {
		return notFound("Export")
	}
	return answer{status: http.StatusOK, body: w.exportFile(j), header: map[string]string{"Content-Type": "application/octet-stream"}}
}
