package emulator_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// conversationIDs are the attributes of the dataset of conversations in the form that requests need.
var conversationIDs = []string{"conversation.conversation_id", "conversation.created_at", "channel", "teammate.name", "contact.name",
	"time_to_first_response", "csat", "state", "subject", "bot_involved", "user_replied"}

func (c *apiClient) enqueueExport(from, to time.Time) apiReply {
	c.t.Helper()
	return c.do("POST", "/export/reporting_data/enqueue", map[string]any{"dataset_id": "conversation", "attribute_ids": conversationIDs,
		"start_time": from.Unix(), "end_time": to.Unix()})
}

// fetchURL gets a temporary URL without credentials.
func fetchURL(t testing.TB, url string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := fresh.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, body
}

// readCSV reads the one CSV file of a .tgz.
func readCSV(t testing.TB, file []byte) [][]string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(z)
	if _, err := archive.Next(); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(archive).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestAnExportGoesFromPendingToAFileWithTheRowsOfTheOracle(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 3})
	c.w.SimulateHours(60)
	sets := c.do("GET", "/export/reporting_data/get_datasets", nil)
	if list := sets.json["data"].([]any); len(list) != 3 || list[0].(map[string]any)["default_time_attribute_id"] != "created_at" {
		t.Fatalf("datasets: %s", sets.raw)
	}
	now := c.w.CurrentTime()
	job := c.enqueueExport(now.AddDate(-2, 0, 0), now)
	id, _ := job.json["job_identifier"].(string)
	if id == "" || job.json["status"] != "pending" || job.json["download_url"] != "" {
		t.Fatalf("enqueued: %s", job.raw)
	}
	if r := c.do("GET", "/download/reporting_data/"+id, nil); r.status != http.StatusNotFound {
		t.Errorf("an export under way is downloaded: %d", r.status)
	}
	c.w.Advance(time.Second)
	done := c.do("GET", "/export/reporting_data/"+id, nil)
	url, _ := done.json["download_url"].(string)
	if done.json["status"] != "complete" || url == "" {
		t.Fatalf("done: %s", done.raw)
	}
	status, file := fetchURL(t, url)
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	rows, truth := readCSV(t, file), c.w.Oracle("reporting_conversation")
	if len(rows)-1 != len(truth) || len(truth) < 1000 {
		t.Errorf("%d rows in the file, %d in truth", len(rows)-1, len(truth))
	}
	if !slices.Equal(rows[0][3:5], []string{"Name", "Name"}) {
		t.Errorf("header %q", rows[0])
	}
	_, again := fetchURL(t, c.url+"/download/reporting_data/"+id)
	if !bytes.Contains(again, []byte("error.list")) {
		t.Errorf("the API's own download needs no token: %.80s", again)
	}
	if r := c.do("GET", "/download/reporting_data/"+id, nil); !bytes.Equal(r.raw, file) {
		t.Error("the API's own download gives another file")
	}
}

func TestAnExportHasTheConversationsOfItsYear(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 3, Conversations: 300})
	born := c.w.CurrentTime()
	c.w.SimulateHours(3)
	expected := map[any]any{}
	for _, row := range c.w.Oracle("conversations") {
		if at := row["created_at"].(int64); at >= born.AddDate(0, 0, -365).Unix() && row["statistics_count_assignments"] != nil {
			expected[row["id"]] = []any{at, row["statistics_first_admin_reply_at"]}
		}
	}
	same, less, none := 0, 0, 0
	for _, row := range c.exportRows(c.w.CurrentTime().AddDate(-2, 0, 0)) {
		of, there := expected[row[0]].([]any)
		if !there {
			continue
		}
		delete(expected, row[0])
		if row[1] != fmt.Sprint(of[0]) {
			t.Errorf("conversation %s of %v is of %s in the export", row[0], of[0], row[1])
		}
		at, answered := of[1].(int64)
		answered = answered && at <= of[0].(int64)+30*24*3600 // the row ignores later parts
		switch seconds, err := strconv.ParseInt(row[5], 10, 64); {
		case !answered && row[5] == "":
			none++
		case answered && err == nil && seconds == at-of[0].(int64):
			same++
		case answered && err == nil && seconds < at-of[0].(int64):
			less++
		default:
			t.Errorf("conversation %s, answered %v, waited %q in the export", row[0], of[1], row[5])
		}
	}
	if len(expected) > 0 || same == 0 || less == 0 || none == 0 {
		t.Errorf("%d conversations are missing; of the others %d have the same time, %d less, %d none", len(expected), same, less, none)
	}
	failOn(t, c.w.ReportChange("conversation", c.w.ConversationIDs()[299], "state", "closed"))
	if err := c.w.ReportChange("conversation", c.w.ConversationIDs()[0], "state", "closed"); err == nil {
		t.Error("a conversation of years ago is in the export")
	}
}

// exportRows returns the rows of conversations since a time.
func (c *apiClient) exportRows(since time.Time) [][]string {
	c.t.Helper()
	id := c.doOK("POST", "/export/reporting_data/enqueue", m{"dataset_id": "conversation", "attribute_ids": conversationIDs,
		"start_time": since.Unix(), "end_time": c.w.CurrentTime().Unix()})["job_identifier"]
	c.w.Advance(time.Second)
	_, file := fetchURL(c.t, fmt.Sprint(c.doOK("GET", fmt.Sprint("/export/reporting_data/", id), nil)["download_url"]))
	return readCSV(c.t, file)[1:]
}

// Sections 4.11, 9: exports contain written conversations, but not those without an answer before 2.17 (trap T108). After thirty days a row no
// longer changes.
func TestAnExportHasWrittenConversations(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 4})
	c.w.Advance(time.Hour)
	began := c.w.CurrentTime()
	user := c.pickRecipient("user", 0)
	begins := func(body string) string {
		t.Helper()
		id, err := c.w.BeginConversation(user["id"].(string), body)
		failOn(t, err)
		return id
	}
	asked := begins("hello")
	sent := fmt.Sprint(c.doOK("POST", "/messages", messageBody(user, m{"message_type": "email", "subject": "news"}))["conversation_id"])
	deleted := begins("never mind")
	row := func(c *apiClient, id string) string {
		t.Helper()
		for _, row := range c.exportRows(began.Add(-time.Minute)) {
			if row[0] == id {
				return fmt.Sprintf("%q", row[2:])
			}
		}
		return ""
	}
	is := func(when, id, want string) {
		t.Helper()
		if got := row(c, id); got != want {
			t.Errorf("%s it says %s, want %s", when, got, want)
		}
		for _, expected := range c.w.Oracle("reporting_conversation") {
			if expected["conversation_id"] == id && !strings.Contains(want, fmt.Sprintf("%q", expected["state"])) {
				t.Errorf("%s the oracle says %v", when, expected)
			}
		}
	}
	const talk = `["conversation" "" "" "%s" "" "%s" "" "false" "true"]`
	is("at first", asked, fmt.Sprintf(talk, "", "open"))
	is("without an answer", sent, `["email" "" "" "" "" "open" "" "false" "false"]`)
	if got := row(c.withOldVersion(), sent); got != "" {
		t.Errorf("2.16 exports %s", got)
	}
	c.w.Advance(10*time.Minute - c.w.CurrentTime().Sub(began))
	c.doOK("POST", "/conversations/"+asked+"/reply", m{"message_type": "comment", "type": "admin", "admin_id": "814860", "body": "yes?"})
	c.doOK("POST", "/conversations/"+sent+"/reply", m{"message_type": "comment", "type": "user", "contact_id": user["id"], "body": "ah"})
	failOn(t, c.w.DeleteConversation(deleted))
	waited := row(c, asked)
	if waited != fmt.Sprintf(talk, "600", "open") && waited != fmt.Sprintf(talk, "400", "open") {
		t.Errorf("answered after ten minutes: %s", waited)
	}
	is("answered", sent, `["email" "" "" "" "" "open" "" "false" "true"]`)
	is("deleted", deleted, fmt.Sprintf(talk, "", "open"))
	if row(c.withOldVersion(), sent) == "" {
		t.Error("2.16 does not export one that was answered")
	}
	failOn(t, c.w.ReportChange("conversation", asked, "subject", "by hand"))
	c.w.Advance(31 * 24 * time.Hour)
	c.doOK("POST", "/conversations/"+sent+"/parts", m{"message_type": "close", "type": "admin", "admin_id": "814860"})
	is("closed after a month", sent, `["email" "" "" "" "" "open" "" "false" "true"]`)
	if got := row(c, asked); !strings.Contains(got, "by hand") {
		t.Errorf("changed by hand: %s", got)
	}
}

func TestADownloadURLExpiresAndIsRenewed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"": 403, "404": 404, "410": 410, "html": 200} {
		c := startWorkspace(t, emulator.Config{Seed: 3, Knobs: emulator.Knobs{Export: emulator.ExportKnobs{URLLife: time.Minute, Expired: name}}})
		now := c.w.CurrentTime()
		id := c.enqueueExport(now.AddDate(0, 0, -1), now).json["job_identifier"].(string)
		c.w.Advance(time.Minute)
		url := c.do("GET", "/export/reporting_data/"+id, nil).json["download_url"].(string)
		c.w.Advance(2 * time.Minute)
		if status, body := fetchURL(t, url); status != want || !bytes.HasPrefix(body, []byte("<html>")) {
			t.Errorf("%q: %d %.60s", name, status, body)
		}
		url = c.do("GET", "/export/reporting_data/"+id, nil).json["download_url"].(string)
		if status, _ := fetchURL(t, url); status != http.StatusOK {
			t.Errorf("%q: renewed: %d", name, status)
		}
	}
}

func TestReportingRowsComeLateAndChange(t *testing.T) {
	t.Parallel()
	w := emulator.New(emulator.Config{Seed: 5, Contacts: 300})
	before := w.Oracle("reporting_conversation")
	if again := emulator.New(emulator.Config{Seed: 5, Contacts: 300}).Oracle("reporting_conversation"); !slices.EqualFunc(before, again, maps.Equal) {
		t.Error("the same seed is another workspace")
	}
	w.SimulateHours(24 * 20)
	old := map[any]map[string]any{}
	for _, row := range before {
		old[row["conversation_id"]] = row
	}
	late, changed := 0, 0
	birth := before[len(before)-1]["_time"].(int64)
	for _, row := range w.Oracle("reporting_conversation") {
		known, there := old[row["conversation_id"]]
		if !there && row["_time"].(int64) < birth {
			late++
		}
		if there && !maps.Equal(known, row) {
			changed++
		}
	}
	if late == 0 || changed == 0 {
		t.Errorf("in twenty days %d rows came late and %d changed", late, changed)
	}
	failOn(t, w.ReportRow("conversation", "x1", birth, map[string]any{"conversation_id": "x1", "state": "open"}))
	failOn(t, w.ReportChange("conversation", "x1", "state", "closed"))
	last := w.Oracle("reporting_conversation")
	if row := last[len(last)-1]; row["state"] != "closed" || row["_time"] != birth {
		t.Errorf("by hand: %v", row)
	}
}

// Sections 4.11, 8: requirements of a job. A refused request takes no slot and makes no job.
func TestContract7ExportsThatAreRefused(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{Export: emulator.ExportKnobs{Pending: time.Hour}}})
	export := func(more m) m {
		sent := c.exportOf("conversation")
		for name, v := range more {
			sent[name] = v
		}
		return sent
	}
	for _, row := range []struct {
		name       string
		sent       any
		code, says string
	}{
		{"no object", []int{1}, "parameter_invalid", "JSON object"},
		{"no dataset", export(m{"dataset_id": nil}), "parameter_not_found", "dataset_id"},
		{"no such dataset", export(m{"dataset_id": "tea"}), "parameter_invalid", "dataset_id"},
		{"no attributes", export(m{"attribute_ids": nil}), "parameter_not_found", "attribute_ids"},
		{"attributes of nothing", export(m{"attribute_ids": []any{}}), "parameter_invalid", "attribute_ids"},
		{"no such attribute", export(m{"attribute_ids": []any{"channel", "tea"}}), "parameter_invalid", "which has no tea"},
		{"an id that has a qualified one", export(m{"attribute_ids": []any{"channel", "created_at"}}), "parameter_invalid", "qualified_id: conversation.created_at, not created_at"},
		{"attributes that are a text", export(m{"attribute_ids": "channel"}), "parameter_invalid", "attribute_ids"},
		{"no start", export(m{"start_time": nil}), "parameter_not_found", "start_time"},
		{"no end", export(m{"end_time": nil}), "parameter_not_found", "end_time"},
		{"an end before the start", export(m{"end_time": 1717999999}), "parameter_invalid", "start_time"},
		{"an end at the start", export(m{"end_time": 1718000000}), "parameter_invalid", "start_time"},
		{"a start before all time", export(m{"start_time": 0}), "parameter_invalid", "start_time"},
		{"times as texts", export(m{"start_time": "2024-06-01"}), "parameter_invalid", "start_time"},
	} {
		if r := c.do("POST", "/export/reporting_data/enqueue", row.sent); r.status != 400 || r.errorCode() != row.code || !strings.Contains(string(r.raw), row.says) {
			t.Errorf("%s: %d %s", row.name, r.status, r.raw)
		}
	}
	if made, _ := c.w.ExportJobs(); made != 0 {
		t.Errorf("%d jobs were made", made)
	}
	for range 5 {
		job := c.do("POST", "/export/reporting_data/enqueue", export(nil)).json
		if job["job_identifier"] == "" || job["status"] != "pending" || job["download_url"] != "" || job["download_expires_at"] != "" {
			t.Errorf("got %v", job)
		}
	}
	if r := c.do("POST", "/export/reporting_data/enqueue", export(nil)); r.status != 429 || r.errorCode() != "rate_limit_exceeded" {
		t.Errorf("the sixth: %d %s", r.status, r.raw)
	}
}
