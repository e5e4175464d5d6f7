package pipeline_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/runner"
)

// nasty are names of attributes that break a program that uses them as identifiers.
var nasty = []string{"", "Plan", "PLAN ", "plan", "a.b.c", "a/b~c", "quo\"te", "'; DROP TABLE contacts; --", "back\\slash", "🎉 party", "__proto__", "select", "id",
	"line\nbreak", "bell\a", "\u202egnp.exe", "naïve", "nai\u0308ve", strings.Repeat("long name ", 1000), "NUL\x00here"}

// TestT49AttributesWithAnyNameHaveAColumn gives a contact attributes with nasty names, and reads each value from the view.
// Holds: S23.
func TestT49AttributesWithAnyNameHaveAColumn(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(421))
	id := b.space.ContactIDs("active")[0]
	for i, name := range nasty {
		b.failOn(b.space.UpdateContact(id, emulator.FieldChange{Field: "custom_attributes." + name, Value: fmt.Sprint("value ", i)}))
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	columns := map[string]string{}
	for _, row := range b.queryRows("SELECT to_json({'n': name, 'c': column_name})::VARCHAR FROM _sync.attributes WHERE stream = 'contacts'") {
		var one struct{ N, C string }
		b.failOn(json.Unmarshal([]byte(row), &one))
		columns[one.N] = one.C
	}
	for i, name := range nasty {
		column, ok := columns[name]
		if strings.ContainsRune(name, 0) {
			continue // only in the JSON
		}
		if !ok {
			t.Errorf("%q has no column", name)
			continue
		}
		got := b.queryRows(fmt.Sprintf(`SELECT "%s"::VARCHAR FROM contacts_attributes WHERE contacts_attributes.id = '%s'`, strings.ReplaceAll(column, `"`, `""`), id))
		if len(got) != 1 || got[0] != fmt.Sprint("value ", i) {
			t.Errorf("%q, column %q: %q", name, column, got)
		}
	}
	if got := b.queryRows("SELECT (SELECT count(*) FROM contacts_attributes), (SELECT count(*) FROM contacts), (SELECT count(*) FROM _sync.dictionary WHERE table_name = 'contacts_attributes') - (SELECT count(*) FROM _sync.attributes WHERE stream = 'contacts')"); got[0] != fmt.Sprintf("%d|%[1]d|1", len(b.space.ContactIDs("active"))) {
		t.Errorf("rows of the view, contacts, columns beside the attributes: %s", got[0])
	}
	b.equalsOracle()
}

// TestT176AttributeHasOneSpelling gives an attribute booleans and numbers, and then a text. A number has one spelling in the text column, however
// it was sent, and whether it was stored before or after the column widened.
func TestT176AttributeHasOneSpelling(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(423))
	d := b.withDoors("")
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml"), []byte(doors+"  - {name: custom, type: json, attributes: door}\n"), 0o600))
	b.writeConfig(b.readConfig())
	pages := []string{`{"id":1,"custom":{"a":1,"b":true}}`, `{"id":2,"custom":{"a":1.0,"b":1}}`, `{"id":3,"custom":{"a":2.50,"b":1.0}}`, `{"id":4,"custom":{"a":1e20,"b":false}}`}
	d.showPages(pages...)
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	b.space.Advance(time.Hour)
	d.showPages(append(pages, `{"id":5,"custom":{"a":"1","b":"true"}}`, `{"id":6,"custom":{"a":1.00,"b":0.5}}`)...)
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	want := []string{"1|1|true", "2|1|1", "3|2.5|1", "4|1e+20|false", "5|1|true", "6|1|0.5"}
	if got := b.queryRows("SELECT id, a, b FROM doors_attributes ORDER BY id"); !slices.Equal(got, want) {
		t.Errorf("attributes %v, want %v", got, want)
	}
}

// TestT48AttributesHaveTheTypeOfTheirValues gives attributes values of one type and of several, and one that the list of attributes declares as a
// date. A column keeps its name and never narrows.
func TestT48AttributesHaveTheTypeOfTheirValues(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(422))
	d := b.withDoors("")
	file := filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml")
	b.failOn(os.WriteFile(file, []byte(doors+"  - {name: custom, type: json, attributes: door}\n"), 0o600))
	b.writeConfig(strings.Replace(nightly, "[contacts,", "[doors, data_attributes, contacts,", 1) + "stream_files: [streams/*.yaml]\n")
	types := func(want string) {
		t.Helper()
		if got := b.queryRows("SELECT string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_index) FROM duckdb_columns() WHERE table_name = 'doors_attributes'"); got[0] != want {
			t.Errorf("columns %s, want %s", got[0], want)
		}
	}
	d.showPages(`{"id":1,"custom":{"flag":true,"n":7,"d":1,"text":"x","mixed":1,"list":[1],"null":null,"big":9007199254740993}}`, `{"id":2,"custom":{"flag":false,"n":-1,"d":0.5,"text":"y","mixed":"no","list":{},"big":0.5}}`)
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	types("id VARCHAR, big VARCHAR, d DOUBLE, flag BOOLEAN, list JSON, mixed VARCHAR, n BIGINT, text VARCHAR")
	if got := b.queryRows("SELECT flag, n, d, text, mixed, list::VARCHAR, big FROM doors_attributes ORDER BY id"); strings.Join(got, "\n") != "true|7|1|x|1|[1]|9007199254740993\nfalse|-1|0.5|y|no|{}|0.5" {
		t.Errorf("values: %q", got)
	}
	// A name that would come first comes last, and a number where flags were makes a text of them, which it stays.
	d.showPages(`{"id":1,"custom":{"flag":8,"Big":true}}`)
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	d.showPages(`{"id":1,"custom":{"flag":true}}`)
	b.syncOnce(runner.Options{Select: []string{"doors"}})
	types("id VARCHAR, big VARCHAR, d DOUBLE, flag VARCHAR, list JSON, mixed VARCHAR, n BIGINT, text VARCHAR, Big_2 BOOLEAN")

	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM contacts_attributes a JOIN _sync.attributes s ON s.stream = 'contacts' AND s.types LIKE '%date%'"); got[0] == "0" {
		t.Error("no attribute of contacts is a date")
	}
	if got := b.queryRows("SELECT data_type FROM duckdb_columns() WHERE table_name = 'contacts_attributes' AND data_type LIKE 'TIMESTAMP%'"); len(got) == 0 {
		t.Errorf("no column of contacts_attributes is a time: %v", b.queryRows("SELECT name, types FROM _sync.attributes WHERE stream = 'contacts'"))
	}
}

// TestT51T52AttributeListChangesNoColumn: a later version declares the standard times as datetime, and an attribute is archived while its values
// stay. Both are visible in the rows of the list; stored records keep their types and values.
func TestT51T52AttributeListChangesNoColumn(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	config := strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", "data_attributes, contacts, companies", 1)
	b := newBedWith(t, tinyConfig(423), strings.Replace(config, "2.17", "2.16", 1))
	b.syncOnce(runner.Options{})
	const (
		told  = "SELECT (SELECT data_type FROM data_attributes WHERE model = 'contact' AND full_name = 'last_seen_at'), (SELECT archived FROM data_attributes WHERE model = 'company' AND name = 'score')"
		types = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE table_name IN ('contacts_raw', 'contacts_attributes', 'companies_attributes') ORDER BY ALL"
		seen  = "SELECT (SELECT count(last_seen_at) FROM contacts) > 20, (SELECT count(score) FROM companies_attributes) > 3"
	)
	if got := b.queryRows(told); got[0] != "date|false" {
		t.Fatalf("at first: %s", got[0])
	}
	before := b.queryRows(types)
	if !slices.ContainsFunc(before, func(row string) bool {
		return strings.HasPrefix(row, "contacts_attributes|") && strings.HasSuffix(row, "|TIMESTAMP WITH TIME ZONE")
	}) {
		t.Errorf("no attribute is a time: %v", before)
	}
	b.space.SimulateHours(5)
	b.space.Advance(time.Hour)
	b.writeConfig(config)
	b.syncOnce(runner.Options{})
	if got := b.queryRows(told); got[0] != "datetime|true" {
		t.Errorf("in the later version, once archived: %s", got[0])
	}
	if after := b.queryRows(types); !slices.Equal(slices.DeleteFunc(after, func(row string) bool { return !slices.Contains(before, row) }), before) {
		t.Errorf("columns were %v, are %v", before, after)
	}
	if got := b.queryRows(seen); got[0] != "true|true" {
		t.Errorf("there are times and scores: %s", got[0])
	}
}

// withListedDoors reads doors, the list of attributes of a model and that of conversations from texts that the test may change, by their paths. Doors
// have attributes of that model.
func (b *testBed) withListedDoors(model string) map[string]string {
	b.t.Helper()
	data := map[string]string{}
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		text, served := data[r.URL.Path]
		if !served {
			return false
		}
		if asked := r.URL.Query().Get("model"); asked != "" && asked != model {
			text = ""
		}
		rw.Header().Set("Date", b.space.CurrentTime().UTC().Format(http.TimeFormat))
		_, err := fmt.Fprintf(rw, `{"type":"list","data":[%s],"pages":{"page":1,"per_page":50,"total_pages":1}}`, text)
		b.failOn(err)
		return true
	})
	b.failOn(os.MkdirAll(filepath.Join(filepath.Dir(b.file), "streams"), 0o755))
	file := strings.Replace(doors, "size: 1}", "size: 50}", 1) + "  - {name: custom, type: json, attributes: " + model + "}\n"
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml"), []byte(file), 0o600))
	b.writeConfig(strings.Replace(nightly, "[contacts,", "[doors, data_attributes, conversation_data_attributes, contacts,", 1) + "stream_files: [streams/*.yaml]\n")
	return data
}

// readListed reads what changed of the named streams an hour later, and gives rows of doors_attributes.
func (b *testBed) readListed(query string, streams ...string) string {
	b.t.Helper()
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{Select: streams})
	return strings.Join(b.queryRows(query), " ")
}

// TestADateAttributeReadsSecondsAndSmallerUnits gives a date attribute numbers of seconds, milliseconds and microseconds, and numbers that are no time
// of a workspace: those are null, and hide no other row.
func TestADateAttributeReadsSecondsAndSmallerUnits(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(424))
	data := b.withListedDoors("contact")
	data["/data_attributes"] = `{"model":"contact","name":"due","full_name":"custom_attributes.due","data_type":"date","custom":true,"archived":false}`
	var pages []string
	for i, value := range []string{"1700000000", "1700000000123", "1700000000123456", "12", "-1", "9000000000000000", "null"} {
		pages = append(pages, fmt.Sprintf(`{"id":%d,"custom":{"due":%s}}`, i+1, value))
	}
	data["/doors"] = strings.Join(pages, ",")
	got := b.readListed("SELECT id || ':' || coalesce(epoch_us(due)::VARCHAR, 'null') FROM doors_attributes ORDER BY id", "doors", "data_attributes")
	if want := "1:1700000000000000 2:1700000000123000 3:1700000000123456 4:null 5:null 6:null 7:null"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAnAttributeIsADateWhileTheListCallsItOne changes the data type of an attribute in the list alone: its column follows, both ways. One that the list no
// longer has, or has archived beside one in use, changes nothing.
func TestAnAttributeIsADateWhileTheListCallsItOne(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(425))
	data := b.withListedDoors("contact")
	data["/doors"] = `{"id":1,"custom":{"due":1700000000,"made":1700000000}}`
	list := func(due, standard string) {
		data["/data_attributes"] = fmt.Sprintf(`{"model":"contact","name":"due","full_name":"custom_attributes.due","data_type":%q,"custom":true},
			{"model":"contact","name":"made","full_name":"custom_attributes.made","data_type":"integer","custom":true}, {"model":"contact","name":"made","full_name":"made","data_type":%q,"custom":false}`, due, standard)
	}
	for _, kind := range []string{"date", "integer", "datetime"} {
		list(kind, "datetime")
		want := "TIMESTAMP WITH TIME ZONE BIGINT"
		if kind == "integer" {
			want = "BIGINT BIGINT"
		}
		if got := b.readListed("SELECT typeof(due) || ' ' || typeof(made) FROM doors_attributes", "doors", "data_attributes"); got != want {
			t.Errorf("%s: columns %s, want %s", kind, got, want)
		}
	}
	data["/data_attributes"] = `{"model":"contact","name":"made","full_name":"custom_attributes.made","data_type":"integer","custom":true}`
	if got := b.readListed("SELECT typeof(due) FROM doors_attributes", "doors", "data_attributes"); got != "TIMESTAMP WITH TIME ZONE" {
		t.Errorf("after the list has lost it: %s", got)
	}
}

// TestDatesOfConversationsAreThoseOfTheirOwnList: from 2.16 on the list of all attributes has none of conversations.
func TestDatesOfConversationsAreThoseOfTheirOwnList(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(426))
	data := b.withListedDoors("conversation")
	data["/doors"] = `{"id":1,"custom":{"due":1700000000,"again":5}}`
	data["/conversations/attributes"] = `{"id":1,"name":"due","data_type":"datetime","archived":false},{"id":2,"name":"again","data_type":"datetime","archived":true},{"id":3,"name":"again","data_type":"integer","archived":false}`
	if got := b.readListed("SELECT typeof(due) || ' ' || typeof(again) FROM doors_attributes", "doors", "conversation_data_attributes"); got != "TIMESTAMP WITH TIME ZONE BIGINT" {
		t.Errorf("columns %s", got)
	}
}

// TestAttributesWithoutAColumnAreNoted has a record with more names than a view has columns, and one whose JSON is too large to be searched. A run without
// such records is silent.
func TestAttributesWithoutAColumnAreNoted(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(427))
	data := b.withListedDoors("door")
	read := func(want ...string) {
		t.Helper()
		b.space.Advance(time.Hour)
		if report := b.syncOnce(runner.Options{Select: []string{"doors"}}); !slices.Equal(report.Notes, want) {
			t.Errorf("notes %q, want %q", report.Notes, want)
		}
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf(`"n%04d":%[1]d`, i))
	}
	first := `{"id":1,"custom":{` + strings.Join(many, ",") + `}}`
	data["/doors"] = first
	read()
	large := fmt.Sprintf(`,{"id":2,"custom":{"n0000":2,"unseen":%q}}`, strings.Repeat("x", 1<<20))
	data["/doors"] = first + large
	read("main.doors_attributes has no column for attributes that only JSON of more than 1 MB has: they are in custom alone")
	data["/doors"] = first + large + `,{"id":3,"custom":{"one more":1}}`
	read("main.doors_attributes has no column for attributes beyond the first 1,000: they are in custom alone")
	if got := b.queryRows("SELECT count(*), max(n0000) FROM doors_attributes, (SELECT count(*) AS n FROM duckdb_columns() WHERE table_name = 'doors_attributes') WHERE n = 1001"); got[0] != "3|2" {
		t.Errorf("rows and values: %v", got)
	}
}

// TestANumberInATextAttributeKeepsItsDigits has integers that no double holds, and a number larger than every double, beside texts and fractions.
func TestANumberInATextAttributeKeepsItsDigits(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(428))
	data := b.withListedDoors("door")
	var pages []string
	for i, value := range []string{`"x"`, "12345678901234567890123", "-12345678901234567890123", "1e400", "-1e400", "2.50", "3.0", "1E3", "18446744073709551615"} {
		pages = append(pages, fmt.Sprintf(`{"id":%d,"custom":{"n":%s}}`, i+1, value))
	}
	data["/doors"] = strings.Join(pages, ",")
	got := b.readListed("SELECT n FROM doors_attributes ORDER BY id", "doors")
	if want := "x 12345678901234567890123 -12345678901234567890123 1e400 -1e400 2.5 3 1000 18446744073709551615"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
