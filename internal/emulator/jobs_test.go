package emulator_test

import (
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/jobs"
)

// workspace-api 3.1 (states), 4.11: job details, the resource and its URL once successful.
func TestJobIsPendingThenInProgressThenFinished(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	ticket := c.w.TicketIDs()[0]
	for _, test := range []struct {
		name, path, end, resource string
		kind                      jobs.JobKind
		plan                      jobs.JobPlan
	}{
		{"a ticket", "/jobs/status/", "success", ticket, jobs.TicketsEnqueue, jobs.JobPlan{Resource: ticket}},
		{"a ticket that is not made", "/jobs/status/", "failed", "", jobs.TicketsEnqueue, jobs.JobPlan{Fails: true}},
		{"contacts in bulk", "/contacts/bulk/", "success", "", jobs.ContactsUpdate, jobs.JobPlan{}},
		{"contacts in bulk, as any job", "/jobs/status/", "success", "", jobs.ContactsDelete, jobs.JobPlan{}},
		{"a bulk that fails", "/contacts/bulk/", "failed", "", jobs.ContactsCreate, jobs.JobPlan{Fails: true}},
	} {
		id, err := c.w.StartJob(test.kind, test.plan)
		failOn(t, err)
		for _, want := range []string{"pending", "in_progress", test.end} {
			job := c.do("GET", test.path+id, nil).json
			if job["type"] != "job" || job["id"] != id || job["status"] != want {
				t.Errorf("%s: %v, want %s", test.name, job, want)
			}
			made, _ := job["resource_id"].(string)
			if over := want == test.end; made != "" && !over || over && made != test.resource || (job["resource_url"] != nil) != (made != "") {
				t.Errorf("%s: when %s it has made %q, at %v", test.name, want, made, job["resource_url"])
			}
			url, _ := job["url"].(string)
			if again := c.do("GET", strings.TrimPrefix(url, c.url), nil); again.json["id"] != id {
				t.Errorf("%s: its url %s gives %d", test.name, url, again.status)
			}
			c.w.Advance(2 * time.Minute)
			if want == "in_progress" {
				c.w.Advance(time.Hour)
			}
		}
	}
}

// workspace-api 7: 404 for an unknown job; the job of a ticket is not a bulk job.
func TestAnUnknownJobIsNotFound(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	id, err := c.w.StartJob(jobs.TicketsEnqueue, jobs.JobPlan{Resource: c.w.TicketIDs()[0]})
	failOn(t, err)
	for _, path := range []string{"/jobs/status/1", "/contacts/bulk/1", "/contacts/bulk/" + id} {
		if r := c.do("GET", path, nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("%s: %d %s", path, r.status, r.errorCode())
		}
	}
	if _, err := c.w.StartJob("tea", jobs.JobPlan{}); err == nil {
		t.Error("a job of no kind starts")
	}
	if _, err := c.w.StartJob(jobs.TicketsEnqueue, jobs.JobPlan{Resource: "1"}); err == nil {
		t.Error("a job makes a ticket that never is")
	}
}

// A job started by an operation over HTTP can be read over HTTP.
func TestAJobIsStartedByAnOperation(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	ticket := c.w.TicketIDs()[1]
	r := c.do("POST", "/_emulator/do/jobs.start", m{"kind": "ticket", "pending": "1s", "working": "1s", "resource": ticket})
	c.w.Advance(2 * time.Second)
	id, _ := r.json["id"].(string)
	if job := c.do("GET", "/jobs/status/"+id, nil).json; job["status"] != "success" || job["resource_id"] != ticket || job["resource_type"] != "ticket" {
		t.Errorf("%s became %v", r.raw, job)
	}
}

func TestT95JobStatusMayBeAnyText(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	if r := c.do("POST", "/_emulator/set", m{"JobWords": m{"in_progress": "crunching", "success": "completed_with_warnings"}}); r.status != 200 {
		t.Fatalf("the knob: %d %s", r.status, r.raw)
	}
	id, err := c.w.StartJob(jobs.ContactsCreate, jobs.JobPlan{Pending: time.Second, Working: time.Second})
	failOn(t, err)
	for _, want := range []string{"pending", "crunching", "completed_with_warnings"} {
		if got := c.do("GET", "/contacts/bulk/"+id, nil).json["status"]; got != want {
			t.Errorf("status %v, want %s", got, want)
		}
		c.w.Advance(time.Second)
	}
}
