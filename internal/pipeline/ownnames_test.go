package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/runner"
)

// replaceDoors replaces the stream file of withDoors.
func (b *testBed) replaceDoors(text string) {
	b.t.Helper()
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml"), []byte(text), 0o600))
	b.writeConfig(b.readConfig())
}

// ownNames are names that the SQL of a commit once gave to columns of its own, beside those of a stream file.
var ownNames = strings.Fields("state place stored unknown copies at open here word news kept beside n h copy content key row flagged")

// TestT200ColumnsMayHaveAnyName has a stream whose columns have those names, as keys and as values, of the record, of a list that is replaced and of one
// that is added to. Records come twice in a reading, change, disappear and return.
func TestT200ColumnsMayHaveAnyName(t *testing.T) {
	t.Parallel()
	const inKey = "in keys"
	for _, where := range []string{inKey, "beside keys"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, tinyConfig(401)).publishingLake()
			d := b.withDoors("streams:\n  doors: {history: true}\n")
			kind, key := "int", ""
			if where == inKey {
				kind, key = "text", ", "+strings.Join(ownNames, ", ")
			}
			var columns, fields []string
			for _, name := range ownNames {
				columns, fields = append(columns, fmt.Sprintf("{name: %s, type: %s}", name, kind)), append(fields, fmt.Sprintf(`"%s":%%[1]d`, name))
			}
			others := ", " + strings.Join(columns, ", ")
			if where == inKey {
				others = "" // a child has the key of its parent
			}
			b.replaceDoors(strings.Replace(strings.Replace(doors, "key: [id]", "key: [id"+key+"]", 1), "  - {name: state, type: text}\n", "  - "+strings.Join(columns, "\n  - ")+"\n", 1) +
				fmt.Sprintf("children:\n  - {table: door_runs, from: runs, key: [door_id%[1]s, id], columns: [{name: id, type: text}, {name: v, type: int}%[2]s]}\n"+
					"  - {table: door_marks, from: marks, key: [door_id%[1]s, id], complete: false, columns: [{name: id, type: text}, {name: v, type: int}%[2]s]}\n", key, others))
			record := func(id, updated, mark int) string {
				same := strings.Join(fields, ",")
				item := fmt.Sprintf(`{"id":"1","v":%d,`+strings.ReplaceAll(same, "%[1]d", "%[2]d")+"}", mark, 7)
				return fmt.Sprintf(`{"id":%d,"updated_at":%d,"seen":%d,`, id, 1700000000+updated, time.Now().UnixNano()) + fmt.Sprintf(same, 5) + `,"runs":[` + item + `],"marks":[` + item + `]}`
			}
			holds := func(want string, o runner.Options) {
				t.Helper()
				o.Select = []string{"doors"}
				b.syncOnce(o)
				b.space.Advance(time.Hour)
				got := b.queryRows(`SELECT id, epoch(updated_at)::BIGINT - 1700000000, (SELECT list(v)::VARCHAR FROM door_runs r WHERE r.door_id = d.id), (SELECT list(v)::VARCHAR FROM door_marks r WHERE r.door_id = d.id),
					(SELECT count(*) FROM doors_history h WHERE h.id = d.id AND valid_to IS NULL), "` + strings.Join(ownNames, `" + "`) + `" FROM (SELECT * REPLACE (` + castAll(ownNames) + `) FROM doors) d ORDER BY 1`)
				if sum := fmt.Sprint(5 * len(ownNames)); strings.Join(got, " ") != strings.ReplaceAll(want, "*", sum) {
					t.Errorf("stored %v, want %s", got, want)
				}
			}
			d.showPages(record(1, 1, 3), record(2, 1, 3))
			holds("1|1|[3]|[3]|1|* 2|1|[3]|[3]|1|*", runner.Options{})
			d.showPages(record(1, 0, 2), record(1, 2, 4), record(1, 2, 4), record(2, 1, 3), record(3, 1, 3))
			holds("1|2|[4]|[4]|1|* 2|1|[3]|[3]|1|* 3|1|[3]|[3]|1|*", runner.Options{})
			d.showPages(record(1, 2, 4), record(3, 1, 3))
			holds("1|2|[4]|[4]|1|* 3|1|[3]|[3]|1|*", runner.Options{})
			d.showPages(record(1, 2, 4), record(2, 3, 5), record(3, 1, 3))
			holds("1|2|[4]|[4]|1|* 2|3|[5]|[5]|1|* 3|1|[3]|[3]|1|*", runner.Options{})
			d.showPages(record(1, 2, 4), record(2, 3, 6), record(3, 1, 0))
			holds("1|2|[4]|[4]|1|* 2|3|[6]|[6]|1|* 3|1|[0]|[0]|1|*", runner.Options{FullRefresh: true})
		})
	}
}

// castAll is REPLACE of columns by their numbers.
func castAll(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf(`"%s"::BIGINT AS "%[1]s"`, name))
	}
	return strings.Join(all, ", ")
}
