package pipeline_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	pipelinesync "aqueduck/internal/sync"
	"aqueduck/internal/verify"
	"aqueduck/load/failure"
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

// TestT200ColumnsThatAreFilledMayHaveAnyName: a column is new, and made of a text; or it widens, with a value in _extra.
func TestT200ColumnsThatAreFilledMayHaveAnyName(t *testing.T) {
	t.Parallel()
	state := "{name: state, type: text}"
	for _, name := range []string{"raw", "taken"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, tinyConfig(401))
			d := b.withDoors("")
			d.showPages(fmt.Sprintf(`{"id":1,"updated_at":1700000001,"body":"<p>hello</p>","more":"<b>you</b>",%q:"abc"},{"id":2,"updated_at":1700000001,%[1]q:7}`, name))
			b.replaceDoors(strings.Replace(doors, state, "{name: "+name+", type: int}", 1))
			b.trySync(runner.Options{Select: []string{"doors"}})
			b.replaceDoors(strings.Replace(doors, state, "{name: "+name+", type: text}", 1) + "  - {name: sent, from: body, type: text, as: plain_text}\n  - {name: made, from: more, type: text, as: plain_text}\n")
			b.space.Advance(24 * time.Hour)
			b.syncOnce(runner.Options{Select: []string{"doors"}})
			if got := b.queryRows("SELECT " + name + ", sent, made FROM doors ORDER BY id"); strings.Join(got, " ") != "abc|hello|you 7|∅|∅" {
				t.Errorf("stored %v", got)
			}
		})
	}
}

// TestT200VerifyComparesStatesOfAnyKey: a history of which a column of the key is called state.
func TestT200VerifyComparesStatesOfAnyKey(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(401)).publishingLake()
	d := b.withDoors("streams:\n  doors: {history: true}\n")
	b.replaceDoors(strings.Replace(doors, "key: [id]", "key: [id, state]", 1) + "  - {name: color, type: text}\n")
	d.showPages(`{"id":1,"updated_at":1700000001,"state":"a","color":"red"}`)
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	b.plantRows("UPDATE doors_history SET color = 'blue'")
	v, err := verify.Verify(t.Context(), b.runner, b.runner.Config.Pipelines, verify.VerifyOptions{Select: []string{"doors"}, Requests: 50}, func(string) {})
	b.failOn(err)
	if got := listDifferences(v); len(got) != 1 {
		t.Errorf("verify finds %v", got)
	}
}

// TestT201AColumnWithAnotherNameIsFilled gives a column another name, and exchanges the names of two. The list is read whole, so the next run corrects all
// its rows, also of nested lists.
func TestT201AColumnWithAnotherNameIsFilled(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(401)).publishingLake()
	d := b.withDoors("")
	const more = "  - {name: width, from: h, type: int}\n  - {name: height, from: w, type: int}\n" +
		"children:\n  - {table: door_runs, from: runs, key: [door_id, id], columns: [{name: id, type: text}, {name: v, type: int}, {name: w, type: int}]}\n"
	b.replaceDoors(doors + more)
	one, two := `{"id":1,"updated_at":1700000001,"state":"a","w":80,"h":200,"runs":[{"id":1,"v":1,"w":2}]}`, `{"id":2,"updated_at":1700000002,"state":"b","w":90,"h":210,"runs":[]}`
	d.showPages(one, two)
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	b.replaceDoors(strings.NewReplacer("name: width", "name: height", "name: height", "name: width", "{name: state,", "{name: status, from: state,",
		"{name: v,", "{name: x, from: v,").Replace(doors + more))
	b.space.Advance(24 * time.Hour)
	d.showPages(one, two, `{"id":3,"updated_at":1700000002,"state":"c","w":70,"h":190,"runs":[]}`)
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	if got := b.queryRows("SELECT id, status, width, height, (SELECT list(x)::VARCHAR FROM door_runs WHERE door_id = d.id) FROM doors d ORDER BY 1"); strings.Join(got, " ") != "1|a|80|200|[1] 2|b|90|210|∅ 3|c|70|190|∅" {
		t.Errorf("stored %v", got)
	}
	if again := b.syncOnce(runner.Options{Select: []string{"doors"}}); again.TotalRows() != 0 {
		t.Errorf("reading again wrote %d rows", again.TotalRows())
	}
}

// TestT203AColumnThatReturnsIsFilled: the stream file lost it for a while, in which records were read again. Later runs do not read them. In the history
// it is filled too, so that nothing seems to change on that day.
func TestT203AColumnThatReturnsIsFilled(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(176))
	const people = `stream: my_people
doc: One row per contact.
read: {endpoint: POST /contacts/search, records: data, page: {by: cursor, in: body, size: 150}, since: {by: search, field: updated_at}}
key: [id]
columns:
  - {name: id, type: text, person: true}
  - {name: updated_at, type: timestamp}
`
	const email = "  - {name: email, type: text, pii: true}\n"
	read := func(text string, days int) {
		t.Helper()
		b.writeStreamFiles("my_people", text)
		b.writeConfig(b.readConfig() + "streams: {my_people: {history: true}}\n")
		b.syncOnce(runner.Options{})
		b.space.Advance(time.Duration(days) * 24 * time.Hour)
	}
	id, err := b.space.CreateContact("user", emulator.FieldChange{Field: "email", Value: "ada@x.example"})
	b.failOn(err)
	b.space.Advance(time.Hour)
	read(people+email, 0)
	b.space.Advance(time.Hour)
	read(people, 5)
	read(people, 5)
	if got := b.queryRows("SELECT email, _extra->>'$.email' FROM my_people WHERE id = '" + id + "'"); got[0] != "∅|ada@x.example" {
		t.Fatalf("without the column: %v", got)
	}
	states := b.queryRows("SELECT count(*) FROM my_people_history")[0]
	for range 2 {
		read(people+email, 1)
		if got := b.queryRows("SELECT count(*), count(*) FILTER (email IS NULL AND (_extra->>'$.email') IS NOT NULL) FROM my_people_history")[0]; got != states+"|0" {
			t.Errorf("the history has %s states, before %s", got, states)
		}
		if got := b.queryRows("SELECT email, _extra->>'$.email' FROM my_people WHERE id = '" + id + "'"); got[0] != "ada@x.example|∅" {
			t.Errorf("with the column again: %v", got)
		}
	}
}

// TestT204AFileThatMakesAnotherTableIsRefused changes the key of a stream, the type of a column, and whether records disappear. aqueduck check says so, and
// nothing is stored until the file is as before; then runs go on.
func TestT204AFileThatMakesAnotherTableIsRefused(t *testing.T) {
	t.Parallel()
	two := strings.Replace(strings.Replace(doors, "key: [id]", "key: [id, lang]", 1), "name: state", "name: lang", 1) +
		"children:\n  - {table: door_runs, from: runs, key: [door_id, lang, id], columns: [{name: id, type: text}, {name: v, type: int}]}\n"
	kept := strings.Replace(two, "absent: gone\n", "", 1)
	for name, c := range map[string]struct {
		before, after, says string
		kind                error
	}{
		"another key":              {two, strings.NewReplacer("key: [id, lang]", "key: [id]", "[door_id, lang, id]", "[door_id, id]").Replace(two), "the key was id, lang when its rows were stored, and is id now", failure.ErrReshaped},
		"the key of another field": {two, strings.Replace(two, "{name: lang, type: text}", "{name: lang, from: tongue, type: text}", 1), "the key was id, lang when its rows were stored, and is id, lang from tongue now", failure.ErrReshaped},
		"another key of items":     {two, strings.NewReplacer("lang, id]", "lang, v]").Replace(two), "the key was door_id, lang, id when its rows were stored, and is door_id, lang, v now", failure.ErrReshaped},
		"absent removed":           {two, kept, "the file had `absent: gone` when the rows of doors_all were stored", failure.ErrReshaped},
		"absent added":             {kept, two, "the file did not have `absent: gone` when the rows of doors were stored", failure.ErrReshaped},
		"another type":             {two, strings.Replace(two, "seen, type: int", "seen, type: timestamp", 1), "column seen is stored as int, and the file says timestamp", failure.ErrNarrower},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t, tinyConfig(401)).publishingLake()
			d := b.withDoors("")
			b.replaceDoors(c.before)
			en, fr := `{"id":1,"updated_at":1700000001,"lang":"en","runs":[{"id":1,"v":1}]}`, `{"id":1,"updated_at":1700000001,"lang":"fr","runs":[]}`
			d.showPages(en, fr)
			b.syncOnce(runner.Options{Select: []string{"doors"}})
			b.replaceDoors(c.after)
			b.space.Advance(24 * time.Hour)
			_, err := pipelinesync.Sync(t.Context(), b.runner, b.runner.Config.Pipelines[0], runner.Options{})
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "doors.yaml") {
				t.Errorf("got %v, want one that says: %s", err, c.says)
			}
			if p := problem.Classify(err); p.Class != "config" {
				t.Errorf("classified as %+v", p)
			}
			if refused, _ := plan.FindDoubts(t.Context(), b.runner.Config, b.runner.Catalogue, b.runner); !strings.Contains(strings.Join(refused, "\n"), c.says) {
				t.Errorf("check says %q", refused)
			}
			b.replaceDoors(c.before)
			if refused, _ := plan.FindDoubts(t.Context(), b.runner.Config, b.runner.Catalogue, b.runner); len(refused) > 0 {
				t.Errorf("of the old file, check says %q", refused)
			}
			d.showPages(en, fr, `{"id":2,"updated_at":1700000002,"lang":"en","runs":[]}`)
			b.syncOnce(runner.Options{Select: []string{"doors"}})
			if got := b.queryRows("SELECT id, lang FROM doors ORDER BY ALL"); strings.Join(got, " ") != "1|en 1|fr 2|en" {
				t.Errorf("stored %v", got)
			}
		})
	}
}

// TestLeftOutEmptyEndsTheNotesOfRecordsThatOmittedAList: the run failed because a stored list was left out; the setting says that this means an empty one.
func TestLeftOutEmptyEndsTheNotesOfRecordsThatOmittedAList(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(176)).publishingLake()
	lists := map[string]string{"doors": `{"id":"1","v":1,"users":[{"id":"a"}]},{"id":"2","v":1,"users":[{"id":"b"}]}`}
	b.serveLists(lists)
	b.writeStreamFiles("doors", listStream("doors", "columns: [{name: id, type: text}, {name: v, type: int}]\nchildren:\n  - {table: door_users, from: users, key: [door_id, id], columns: [{name: door_id, from: $parent.id, type: text}, {name: id, type: text}]}\n"))
	config := b.readConfig()
	b.syncOnce(runner.Options{})
	lists["doors"] = `{"id":"1","v":2},{"id":"2","v":1,"users":[{"id":"b"}]}`
	b.space.Advance(24 * time.Hour)
	if report := b.trySync(runner.Options{}); report.Exit() == problem.ExitOK {
		t.Fatal("a list that is left out was no finding: the test finds nothing")
	}
	b.writeConfig(config + "streams: {doors: {left_out: empty}}\n")
	for range 2 {
		b.space.Advance(24 * time.Hour)
		b.syncOnce(runner.Options{})
		if got := b.queryRows("SELECT door_id, id FROM door_users"); strings.Join(got, " ") != "2|b" {
			t.Errorf("stored %v", got)
		}
	}
}

// TestT207AKeyThatRecordsShareIsReported: only one of two records of an answer can be stored. A record that a list shows twice with the same text is none.
func TestT207AKeyThatRecordsShareIsReported(t *testing.T) {
	t.Parallel()
	one, same, other := `{"id":1,"updated_at":1700000001,"state":"a"}`, `{"id":2,"updated_at":1700000001,"state":"a"}`, `{"id":3,"updated_at":1700000001,"state":"b"}`
	var b *testBed
	var d *doorList
	read := func(key, page string) (messages []string) {
		t.Helper()
		b = newBed(t, tinyConfig(401))
		d = b.withDoors("")
		b.replaceDoors(strings.Replace(doors, "key: [id]", "key: ["+key+"]", 1))
		d.showPages(page)
		for _, f := range findingsNamed(b.syncOnce(runner.Options{Select: []string{"doors"}}), "keys_repeat") {
			messages = append(messages, f.Message)
		}
		return messages
	}
	const unkeyed = `{"id":null,"updated_at":1700000001,"state":"c"},{"updated_at":1700000002,"state":"d"}`
	if got := read("id", one+","+one+","+same+","+other+","+unkeyed); len(got) > 0 {
		t.Errorf("of a unique key: %q", got)
	}
	if got := read("state", one+","+same+","+other); len(got) != 1 || !strings.Contains(got[0], "of 3 records of one answer, 1 have the key (state) of another, so only") {
		t.Errorf("of a key that two of three records have: %q", got)
	}
	// A list with pages that the file says wrong: the first step is in the file.
	d.showPages(one, other, other, same)
	report := b.trySync(runner.Options{Select: []string{"doors"}})
	if s := streamResult(t, report, "doors"); s.Class != "source" || !strings.HasPrefix(s.Next, "compare page:, endpoint: and key: in ") {
		t.Errorf("%+v", s)
	}
}

// labels is a stream of records with an object and a list, which answers may omit.
const labels = "columns:\n  - {name: id, type: text}\n  - {name: owner, from: applied_by.id, type: text}\n" +
	"children:\n  - {table: label_items, from: items, key: [labels_id, id], complete: true, columns: [{name: labels_id, from: $parent.id, type: text}, {name: id, type: text}]}\n"

// TestT211ASoftDeletedRecordReturnsUnchanged, although its answers omit a list and an object that the file declares. Its history has a gap, and no more states.
func TestT211ASoftDeletedRecordReturnsUnchanged(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(176))
	lists := map[string]string{}
	b.serveLists(lists)
	b.writeStreamFiles("labels", listStream("labels", "absent: gone\n"+labels))
	b.writeConfig(b.readConfig() + "streams: {labels: {history: true}}\n")
	const first, second = `{"id":"1"}`, `{"id":"2"}`
	for _, answer := range []string{first + "," + second, first, first, first + "," + second, first + "," + second, first + "," + second} {
		lists["labels"] = answer
		b.syncOnce(runner.Options{})
		b.space.Advance(24 * time.Hour)
	}
	if got := b.queryRows("SELECT string_agg(id ORDER BY id) FROM labels"); got[0] != "1,2" {
		t.Errorf("labels %v", got)
	}
	if got := b.queryRows("SELECT count(*), count(valid_to) FROM labels_history WHERE id = '2'"); got[0] != "2|1" {
		t.Errorf("states %v", got)
	}
}

// TestT199AnEmptyListIsNotAnOmittedOne: the list stays the same but for fields that the second answer has, and says are empty.
func TestT199AnEmptyListIsNotAnOmittedOne(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(176))
	lists := map[string]string{}
	b.serveLists(lists)
	b.writeStreamFiles("labels", listStream("labels", labels))
	for _, answer := range []string{`{"id":"1","applied_by":{"id":"a"},"items":[{"id":"x"}]}`, `{"id":"1"}`, `{"id":"1","applied_by":null,"items":[]}`} {
		lists["labels"] = answer
		b.trySync(runner.Options{})
		b.space.Advance(24 * time.Hour)
	}
	if got := b.queryRows("SELECT count(*), count(owner), (SELECT count(*) FROM label_items) FROM labels"); got[0] != "1|0|0" {
		t.Errorf("stored %v", got)
	}
}
