package cli

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"aqueduck/internal/runlog"
)

// TestS50AServedRunThatDuckDBBringsDownEndsNoServe: the SQL of a stream file leaves DuckDB's stack on rows that this run has just read, the
// first of the warehouse. What was tried before had none of them. The console tells of it, and a run with the SQL mended is well.
func TestS50AServedRunThatDuckDBBringsDownEndsNoServe(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	home := filepath.Dir(h.file)
	rewrite := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(h.file)
	if err != nil {
		t.Fatal(err)
	}
	rewrite("pipelines.yaml", strings.Replace(string(text), "streams: [", "streams: [lethal, ", 1)+"stream_files: [lethal.yaml]\n")
	rewrite("lethal.yaml", `stream: lethal
doc: One row a note.
read: {endpoint: "GET /contacts/{id}/notes", records: data, page: {by: none}, since: {by: full}, over: {view: lethal.sql, after: [contacts]}}
key: [id]
columns: [{name: id, type: text, doc: Id.}]
`)
	rewrite("lethal.sql", "SELECT id FROM {schema}.contacts_raw WHERE json_structure(repeat('[', 1000000 + length(id)) || repeat(']', 1000000 + length(id))) IS NOT NULL")

	p := start(t, "aqueduck", h.env(), "serve", "-f", h.file, "--console", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
	v := visit(t, p)
	p.until("msg=waiting")
	run := func() {
		t.Helper()
		for status := http.StatusConflict; status != http.StatusAccepted; { // the end of the one before is told a little before it is over
			if status, text := v.ask(http.MethodPost, "pipelines/nightly/run", nil); status != http.StatusConflict && status != http.StatusAccepted {
				t.Fatalf("%d %s", status, text)
			} else if status == http.StatusAccepted {
				break
			}
		}
	}
	run()
	p.until(`msg="a run's process ended before the run did`)
	metrics := visitor{t, "http://" + regexp.MustCompile(`metrics   (127\.0\.0\.1:\d+)`).FindStringSubmatch(p.says())[1], ""}
	if status, text := metrics.fetch(http.MethodGet, "/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d %s", status, text)
	}
	var o runlog.Overview
	v.ask(http.MethodGet, "overview", &o)
	if len(o.Pipelines) != 1 || len(o.Pipelines[0].Runs) != 1 || o.Pipelines[0].Runs[0].Outcome != runlog.Killed {
		t.Fatalf("the overview is %+v", o.Pipelines)
	}
	if told := o.Pipelines[0].Runs[0].Error; !strings.Contains(told, "its process ended: ") {
		t.Errorf("the run is told as %q", told)
	}
	rewrite("lethal.sql", "SELECT id FROM {schema}.contacts_raw LIMIT 1")
	if status, text := v.ask(http.MethodPost, "reload", nil); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, text)
	}
	run()
	p.until("\nOK nightly ")
	p.signal(syscall.SIGTERM)
	p.well()
}
