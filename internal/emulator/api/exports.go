package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/state/exports"
)

// exportDatasets serves GET /export/reporting_data/get_datasets.
func exportDatasets(w *Handlers, _ *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
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
		for _, a := range w.ListAttributes(s) {
			d.Attributes = append(d.Attributes, attribute{a.ID, a.Qualified, a.Name})
		}
		list.Data = append(list.Data, d)
	}
	return jsonAnswer(list)
}

func jsonAnswer(v any) answer.Answer {
	body, err := json.Marshal(v)
	if err != nil {
		return answer.Failure(http.StatusInternalServerError, "server_error", err.Error())
	}
	return answer.OK(body)
}

// enqueueExport serves POST /export/reporting_data/enqueue.
func enqueueExport(w *Handlers, q *Request) answer.Answer {
	b := input.ReadBody(q.Body)
	b.RequireFields("dataset_id", "attribute_ids", "start_time", "end_time")
	attributes, from, to := b.ReadIDs("attribute_ids"), b.ReadInt("start_time"), b.ReadInt("end_time")
	w.Mu.Lock()
	defer w.Mu.Unlock()
	s := event.FindDataset(b.ReadText("dataset_id"))
	switch {
	case s == nil:
		b.RefuseField("dataset_id", "one of get_datasets")
	case len(attributes) == 0:
		b.RefuseField("attribute_ids", "a list of at least one")
	case from <= 0 || from >= to:
		b.RefuseField("start_time", "a time before end_time")
	}
	for _, id := range attributes {
		if !b.IsRefused() && w.FindAttribute(s, id) == nil {
			b.RefuseField("attribute_ids", w.ExplainBadAttribute(s, id))
		}
	}
	if b.IsRefused() {
		return refusedBody(b)
	}
	if w.CountBusy() >= exports.Slots {
		return answer.Failure(http.StatusTooManyRequests, "rate_limit_exceeded", "Exceeded the number of exports under way")
	}
	j := &exports.Job{Set: s, Attributes: attributes, From: from, To: to, Old: !q.Version.HasLaterChanges()}
	w.AddJob(j)
	return jobAnswer(w, q, j)
}

// exportStatus serves GET /export/reporting_data/{job_identifier}. A finished job gets a new URL in each answer.
func exportStatus(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	j := w.FindJob(q.ID)
	if j == nil || w.TimeHeld().Sub(j.Made) < w.K().Export.Hidden {
		return answer.NotFound("Job")
	}
	return jobAnswer(w, q, j)
}

func jobAnswer(w *Handlers, q *Request, j *exports.Job) answer.Answer {
	answered := struct {
		ID      string `json:"job_identifier"`
		Status  string `json:"status"`
		URL     string `json:"download_url"`
		Expires any    `json:"download_expires_at"`
	}{ID: j.ID, Status: w.JobStatus(j), Expires: ""}
	k := w.K().Export
	done := answered.Status != "pending" && answered.Status != "in_progress" && answered.Status != "failed"
	if done && !k.NoURL {
		base, life := q.Base, time.Hour
		if k.Storage != "" {
			base = k.Storage
		}
		if k.URLLife > 0 {
			life = k.URLLife
		}
		j.Link++
		j.Expires = w.TimeHeld().Add(life)
		answered.URL = fmt.Sprintf("%s%s%s?signature=%d", base, StoragePath, j.ID, j.Link)
		answered.Expires = j.Expires.Unix()
	}
	return jsonAnswer(answered)
}

// StoragePath is the path of files that are fetched without the API's token.
const StoragePath = "/_storage/exports/"

// downloadExport serves GET /download/reporting_data/{job_identifier}.
func downloadExport(w *Handlers, q *Request) answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	j := w.FindJob(q.ID)
	if j == nil || w.JobStatus(j) == "pending" || w.JobStatus(j) == "in_progress" || j.Failed {
		return answer.NotFound("Export")
	}
	return answer.Answer{Status: http.StatusOK, Body: w.BuildFile(j), Header: map[string]string{"Content-Type": "application/octet-stream"}}
}
