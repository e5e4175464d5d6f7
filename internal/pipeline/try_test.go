package pipeline_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/emulator"
	"aqueduck/internal/preview"
	"aqueduck/internal/runner"
)

// TestProposedStreamFileFitsItsList proposes files for lists with each kind of paging. A trial has a column for every field, and a run reads every
// record.
func TestProposedStreamFileFitsItsList(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(301))
	if err := os.Mkdir(filepath.Join(filepath.Dir(b.file), "streams"), 0o755); err != nil {
		t.Fatal(err)
	}
	lists := map[string]string{ // path: kind of paging
		"/ticket_states": "{by: none}", "/ticket_types": "{by: none}", "/news/newsfeeds": "{by: number, in: query, size: 10}",
		"/dynamic_contents": "{by: number, in: query, size: 50}", "/data_connectors": "{by: cursor, in: query, size: 50}",
	}
	var names []string
	for path, paging := range lists {
		name, text, err := preview.Propose(context.Background(), b.runner, "main", path, "", "new_"+filepath.Base(path))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if !strings.Contains(string(text), "  page: "+paging+"\n") {
			t.Errorf("%s: not %s:\n%s", path, paging, text)
		}
		file := filepath.Join(filepath.Dir(b.file), "streams", name+".yaml")
		b.failOn(os.WriteFile(file, text, 0o600))
		s, err := dictionary.FindStream(b.runner.Catalogue, file)
		if err != nil {
			t.Fatal(err)
		}
		trial, err := preview.Try(context.Background(), b.runner, "main", s, s.Name, "")
		if err != nil || trial.Refused != "" || len(trial.Untaken)+len(trial.Misfits)+len(trial.Never) > 0 || trial.Came == 0 {
			t.Errorf("%s: %+v, %v\n%s", path, trial, err, text)
		}
		names = append(names, name)
	}
	if files, _ := os.ReadDir(filepath.Dir(b.file)); len(files) != 2 {
		t.Errorf("something was written beside pipelines.yaml and streams/: %v", files)
	}
	b.writeConfig(strings.Replace(nightly, "[contacts,", "["+strings.Join(names, ", ")+", contacts,", 1) + "stream_files: [streams/*.yaml]\n")
	report := b.syncOnce(runner.Options{Exclude: []string{"*contact*"}})
	for _, s := range report.Streams {
		if s.New == 0 || s.Rejected > 0 || s.New != s.Extracted {
			t.Errorf("%+v", s)
		}
	}
}

// TestTrialShowsDeadLetters tries a file that is wrong in each way that a trial can show.
func TestTrialShowsDeadLetters(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(302))
	try := func(text string) (*preview.Trial, string) {
		file := filepath.Join(t.TempDir(), "wrong.yaml")
		b.failOn(os.WriteFile(file, []byte(text), 0o600))
		b.writeConfig(nightly)
		s, err := dictionary.FindStream(b.runner.Catalogue, file)
		b.failOn(err)
		trial, err := preview.Try(context.Background(), b.runner, "main", s, s.Name, "")
		b.failOn(err)
		var out bytes.Buffer
		render.PrintTrial(trial, &out)
		return trial, out.String()
	}
	const head = "stream: states\nread: {endpoint: GET /ticket_states, records: data, page: {by: none}, since: {by: full}}\nkey: [id]\ncolumns:\n  - {name: id, type: text}\n"
	trial, shown := try(head + "  - {name: nothing, type: text}\n  - {name: category, type: int}\n")
	if len(trial.Never) != 2 || len(trial.Misfits) != 1 || trial.Misfits[0].Count != 5 || !trial.Fits() {
		t.Errorf("%+v", trial)
	}
	for _, want := range []string{"columns without a value: states.nothing, states.category\n", "rejected: 5 values of states.category: type\n", "\n  ignore: [ticket_types.type, type]   # in place of",
		"\n  - {name: internal_label, type: text} ", "# internal_label in 5 records, e.g. \"Neu\"\n", "\n  - {name: ticket_types, from: ticket_types.data, type: json}",
		"answer   type, data; the records are in \"data\"\n", "\nstates  5 rows\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("nothing says %q:\n%s", want, shown)
		}
	}
	// Every proposed line is valid at its proposed place.
	text := head
	for _, u := range trial.Untaken {
		if strings.HasPrefix(u.Line, "- ") {
			text += "  " + u.Line + "\n"
		}
	}
	if trial, _ = try(text + "  - {name: category, type: text}\n"); len(trial.Untaken) != 2 { // two types that fit all values
		t.Errorf("%+v", trial.Untaken)
	}
	if trial, shown = try(strings.Replace(head, "{name: id, type: text}", "{name: id, from: number, type: text}", 1)); trial.Fits() {
		t.Errorf("records without their key fit:\n%s", shown)
	}
	if trial, shown = try(strings.Replace(head, "type: text}", "type: timestamp}", 1)); trial.Fits() || !strings.Contains(shown, "the value of id is no timestamp, which the file says; next: correct type: of id in") {
		t.Errorf("the type of a key that its values do not have:\n%s", shown)
	}
	if trial, shown = try(strings.Replace(head, "{name: id, type: text}", "{name: id, from: type, type: text}", 1)); trial.Shared != int64(trial.Came)-1 || !strings.Contains(shown, "HAVE THE KEY OF ANOTHER") {
		t.Errorf("a key that all records share:\n%s", shown)
	}
	trial, shown = try(strings.Replace(strings.Replace(head, "/ticket_states", "/contacts/deleted", 1), "states", "gone_ones", 1))
	if trial.Fits() || !strings.Contains(shown, "paging   A RUN STOPS HERE: the answer names a next page (pages.next)") {
		t.Errorf("a list with pages that a file says has none:\n%s", shown)
	}
}

// TestOnlineExplainsUnreadableStreams checks a workspace of an old version, with a plan and a token that lack something.
func TestOnlineExplainsUnreadableStreams(t *testing.T) {
	t.Parallel()
	c := tinyConfig(303)
	c.Knobs = emulator.Knobs{Unavailable: []string{"calls.list"}, Forbidden: []string{"logs.list", "articles.get", "data_connectors.versions"}, LaterOnly: true}
	b := newBed(t, c)
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/conversations/search" {
			return false
		}
		rw.WriteHeader(http.StatusNotFound)
		_, err := rw.Write([]byte(`{"type":"error.list","errors":[{"code":"not_found","message":"Resource Not Found"}]}`))
		b.failOn(err)
		return true
	})
	b.writeConfig(strings.Replace(nightly, "2.17", "2.14", 1))
	online, err := preview.CheckOnline(context.Background(), b.runner)
	b.failOn(err)
	want := map[string]string{"calls": "plan", "admin_activity_logs": "scope", "deleted_contacts": "version", "contacts_by_id": "yes", "contacts": "yes",
		"articles": "scope", "data_connector_versions": "version", "call_transcripts": "by id",
		"reporting": "yes", "conversations": "not_found"}
	for _, s := range online.Streams {
		if answer, ok := want[s.Stream]; ok && s.Answer != answer {
			t.Errorf("%+v, want %s", s, answer)
		}
		if s.Named != (s.Stream == "contacts" || s.Stream == "deleted_contacts" || s.Stream == "contact_activities" || s.Stream == "contacts_by_id") {
			t.Errorf("%+v", s)
		}
	}
	if online.Failed() || len(online.Notes) != 1 || !strings.Contains(online.Notes[0], "its id is ") {
		t.Errorf("%+v", online.Notes)
	}
	if _, err := os.Stat(string(b.runner.Dir)); !os.IsNotExist(err) {
		t.Error("something was written")
	}
}
