package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/load/layout"
	"aqueduck/load/read"
)

// lethalSQL overflows the stack, which no setting of DuckDB prevents.
const lethalSQL = "json_structure(repeat('[', 1000000) || repeat(']', 1000000))"

// TestS50ServeSurvivesSQLOfAStreamThatCrashesDuckDB: in this process it would end the test. Its stream fails each night, and
// all others are read and published.
func TestS50ServeSurvivesSQLOfAStreamThatCrashesDuckDB(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string // beside the stream file's own
		with  string            // of the stream file
		last  string            // of the line of each night
		told  string
		later bool // it is written after a night that went well
	}{
		"whatever is stored": {map[string]string{"lethal.sql": "SELECT id FROM {schema}.contacts_raw WHERE " + lethalSQL + " IS NOT NULL"}, "", "FAILED nightly ok=", "which is a fault in DuckDB", false},
		"without a row":      {map[string]string{"lethal.sql": "SELECT " + lethalSQL}, "", "FAILED nightly ok=", "which is a fault in DuckDB", false},
		"by what is stored": {map[string]string{"lethal.sql": "SELECT id FROM {schema}.contacts_raw WHERE json_structure(repeat('[', 1000000 + length(id)) || repeat(']', 1000000 + length(id))) IS NOT NULL"},
			"", "FAILED nightly ok=", "which is a fault in DuckDB", true},
		"of what is published": {map[string]string{"lethal.sql": "SELECT id FROM {schema}.contacts_raw LIMIT 1",
			"seen.sql": "-- relation: seen (view)\n-- doc: One row.\n-- column n: A number.\nSELECT " + lethalSQL + " AS n\n"}, "publish_as: seen\nsuffix: _raw\n", "FAILED nightly error=config", "relation seen", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, date2026(time.March, 1, 11, 50), served)
			if tt.later {
				h.serveUntil(date2026(time.March, 2, 11, 50))
			} else {
				h.space.Advance(24 * time.Hour)
			}
			files := map[string]string{"pipelines.yaml": strings.Replace(served, "streams: [", "streams: [lethal, ", 1) + "stream_files: [lethal.yaml]\n", "lethal.yaml": `stream: lethal
doc: One row per note.
read: {endpoint: "GET /contacts/{id}/notes", records: data, page: {by: none}, since: {by: full}, over: {view: lethal.sql, after: [contacts]}}
key: [id]
columns: [{name: id, type: text, doc: Id.}]
` + tt.with}
			for name, text := range tt.files {
				files[name] = text
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(h.home, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			stdout, stderr := h.serveUntil(date2026(time.March, 4, 12, 0))
			if dir := layout.Dir(filepath.Join(h.home, "data")); dir.Current() != "" {
				err := read.Query(t.Context(), dir.Current(), "SELECT error FROM _sync.stream_runs WHERE stream = 'lethal'", func(_ []string, row []any) error {
					stderr += fmt.Sprintln(row...)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if n := strings.Count(stdout, tt.last); n != 2 || !strings.Contains(stderr+stdout, tt.told) {
				t.Errorf("%d nights ended so, want 2:\n%s%s", n, stdout, stderr)
			}
		})
	}
}
