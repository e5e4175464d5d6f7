package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"aqueduck/internal/admin"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

// withTypedDoors gives the doors a column of each type that can widen.
func (b *testBed) withTypedDoors(d *doorList, onChange string) func(pages ...string) *runlog.Report {
	b.t.Helper()
	b.failOn(os.WriteFile(filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml"), []byte(doors+
		"  - {name: flag, type: bool}\n  - {name: n, type: int}\n  - {name: d, type: double}\n  - {name: big, type: int}\n"), 0o600))
	b.writeConfig(strings.Replace(nightly, "[contacts,", "[doors, contacts,", 1) + "stream_files: [streams/*.yaml]\nstreams:\n  doors: {history: true, on_change: " + onChange + "}\n")
	return func(pages ...string) *runlog.Report {
		b.t.Helper()
		d.showPages(pages...)
		b.space.Advance(time.Hour)
		return b.trySync(runner.Options{Select: []string{"doors"}})
	}
}

const doorTypes = "SELECT string_agg(data_type, ' ' ORDER BY column_index) FROM duckdb_columns() WHERE table_name = 'doors' AND column_name IN ('flag', 'n', 'd', 'big')"

// TestT48ColumnsWidenBeforeTheNextRunAndLoseNothing sends values that do not fit their columns. The next run has wider columns, with the earlier
// and the new values; so has the history.
// Holds: F13.
func TestT48ColumnsWidenBeforeTheNextRunAndLoseNothing(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(411))
	read := b.withTypedDoors(b.withDoors(""), "evolve")
	read(`{"id":1,"flag":true,"n":7,"d":1.5,"big":9007199254740993}`, `{"id":2,"flag":false,"n":8,"d":2,"big":1}`)
	read(`{"id":1,"flag":true,"n":7,"d":1.5,"big":9007199254740993}`, `{"id":2,"flag":3,"n":8.5,"d":"much","big":0.5}`)
	if got := b.queryRows(doorTypes); got[0] != "BOOLEAN BIGINT DOUBLE BIGINT" {
		t.Errorf("in the run that met them: %s", got[0])
	}
	report := read(`{"id":1,"flag":true,"n":7,"d":1.5,"big":9007199254740993}`, `{"id":2,"flag":3,"n":8.5,"d":"much","big":0.5}`)
	if got := b.queryRows(doorTypes); got[0] != "BIGINT DOUBLE VARCHAR VARCHAR" || len(report.Changes) == 0 {
		t.Errorf("afterwards: %s, %v", got[0], report.Changes)
	}
	const values = "SELECT id, flag, n, d, big, _extra FROM doors ORDER BY id"
	want := "1|1|7|1.5|9007199254740993|∅\n2|3|8.5|much|0.5|∅"
	if got := strings.Join(b.queryRows(values), "\n"); got != want {
		t.Errorf("rows:\n%s\nwant:\n%s", got, want)
	}
	if got := b.queryRows("SELECT flag, n, d, big, valid_to IS NULL FROM doors_history WHERE id = '2' ORDER BY valid_from"); strings.Join(got, "\n") != "0|8|2|1|false\n3|8.5|much|0.5|true" {
		t.Errorf("history: %v", got)
	}
	if report = read(`{"id":1,"flag":true,"n":7,"d":1.5,"big":9007199254740993}`, `{"id":2,"flag":3,"n":8.5,"d":"much","big":0.5}`); report.TotalRows() != 0 {
		t.Errorf("a quiet run wrote %d rows", report.TotalRows())
	}
	// Wide columns stay wide after on_change: evolve was removed.
	b.writeConfig(strings.Replace(nightly, "[contacts,", "[doors, contacts,", 1) + "stream_files: [streams/*.yaml]\nstreams:\n  doors: {history: true}\n")
	if report := b.trySync(runner.Options{Select: []string{"doors"}}); report.Exit() != 0 || b.queryRows(doorTypes)[0] != "BIGINT DOUBLE VARCHAR VARCHAR" {
		t.Errorf("%s: %s", report.LastLine(), b.queryRows(doorTypes)[0])
	}
}

// TestT176WidenedColumnsHaveOneSpelling widens columns of every type step by step, one in each run. Some rows stay as first read, some are read
// again at each step, and some values wait in _extra. A full refresh then replaces nothing, verify finds no difference, and an erasure works on
// the widened columns.
func TestT176WidenedColumnsHaveOneSpelling(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBed(t, tinyConfig(414)).publishingLake()
	d := b.withDoors("")
	read := b.withTypedDoors(d, "evolve")
	one := func(id int, flag, n, d string) string {
		return fmt.Sprintf(`{"id":%d,"flag":%s,"n":%s,"d":%s,"big":7}`, id, flag, n, d)
	}
	steps := [][]string{
		{one(1, `true`, `1`, `1.0`), one(2, `false`, `100`, `2.50`), one(3, `"true"`, `"5"`, `1e20`)},
		{one(4, `1`, `1.0`, `true`), one(5, `7`, `1.50`, `"1.0"`), one(6, `true`, `true`, `0.1`)},
		{one(7, `2.0`, `"x"`, `"y"`), one(8, `2.5`, `1e2`, `3`), one(9, `"1"`, `"1.50"`, `"1e20"`)},
		{one(10, `"z"`, `0.10`, `false`), one(11, `false`, `"007"`, `" 1"`), one(12, `1.0`, `false`, `1.00`)},
		{one(13, `"1.0"`, `"true"`, `"true"`)},
	}
	var all []string
	for _, step := range steps {
		all = append(all, step...)
		for range 2 { // the next run moves the dead letters into the column
			if report := read(all...); report.Exit() != 0 {
				t.Fatalf("%s\n%+v", report.LastLine(), report.Streams)
			}
		}
	}
	const values = "SELECT id, flag, n, d, _extra FROM doors ORDER BY id::INTEGER"
	want := []string{"1|1|1|1|∅", "2|0|100|2.5|∅", "3|1|5|1e+20|∅", "4|1|1|true|∅", "5|7|1.5|1|∅", "6|1|true|0.1|∅", "7|2|x|y|∅", "8|2.5|100|3|∅",
		"9|1|1.50|1e+20|∅", "10|z|0.1|false|∅", "11|0|007| 1|∅", "12|1|false|1|∅", "13|1|true|true|∅"}
	if got := b.queryRows(values); !slices.Equal(got, want) {
		t.Errorf("rows:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	drift := func() []string {
		v, err := verify.Verify(t.Context(), b.runner, b.runner.Config.Pipelines, verify.VerifyOptions{Select: []string{"doors"}, Requests: 50}, func(string) {})
		b.failOn(err)
		return listDifferences(v)
	}
	if got := drift(); len(got) > 0 {
		t.Errorf("verify finds %q", got)
	}
	d.showPages(all...)
	b.space.Advance(time.Hour)
	if report := b.syncOnce(runner.Options{Select: []string{"doors"}, FullRefresh: true}); report.TotalRows() != 0 || report.Streams[0].Rejected != 0 {
		t.Errorf("a full refresh: %+v", report.Streams)
	}
	// A command that opens the warehouse sees the stored column types, and so does a run without on_change: evolve.
	b.failOn(admin.Reset(t.Context(), b.runner, "", "doors", func([]admin.Move) (bool, error) { return true, nil }))
	b.writeConfig(strings.Replace(b.readConfig(), "on_change: evolve", "on_change: freeze", 1))
	all[0] = one(1, `true`, `1`, `{"odd":1}`)
	if report := read(all...); report.Exit() != 0 || !slices.Equal(b.queryRows(values)[1:], want[1:]) {
		t.Errorf("%s\n%v", report.LastLine(), b.queryRows(values))
	}
	if got := drift(); len(got) > 0 {
		t.Errorf("verify finds %q in columns that are wide and widen no more", got)
	}
}

// TestT176TypeWidenedInAStreamFileKeepsItsSpelling: stored doubles and new numbers have the same text.
func TestT176TypeWidenedInAStreamFileKeepsItsSpelling(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(415))
	d := b.withDoors("")
	read := b.withTypedDoors(d, "freeze")
	read(`{"id":1,"n":1,"d":2.0}`, `{"id":2,"n":8,"d":0.5}`)
	file := filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml")
	text, err := os.ReadFile(file)
	b.failOn(err)
	b.failOn(os.WriteFile(file, []byte(strings.NewReplacer("{name: n, type: int}", "{name: n, type: double}", "{name: d, type: double}", "{name: d, type: text}").Replace(string(text))), 0o600))
	b.writeConfig(b.readConfig())
	before := b.queryRows("SELECT count(*) FROM doors_history")
	if report := read(`{"id":1,"n":1,"d":2.0}`, `{"id":2,"n":8,"d":0.50}`, `{"id":3,"n":1.0,"d":2}`); report.Exit() != 0 {
		t.Fatalf("%+v", report.Streams)
	}
	if got := b.queryRows("SELECT id, n, d FROM doors ORDER BY id"); strings.Join(got, " ") != "1|1|2 2|8|0.5 3|1|2" {
		t.Errorf("rows %v", got)
	}
	if got := b.queryRows("SELECT count(*) - " + before[0] + " FROM doors_history"); got[0] != "1" {
		t.Errorf("%s new states, want that of the new door", got[0])
	}
}

// TestT122NewFieldStopsAStreamWithOnChangeFail: the first run collects the fields; a new one after that fails the stream, and nothing is stored. A
// new word of a column stops nothing, and does not make a new type of that column known.
func TestT122NewFieldStopsAStreamWithOnChangeFail(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(412))
	read := b.withTypedDoors(b.withDoors(""), "fail")
	file := filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml")
	text, err := os.ReadFile(file)
	b.failOn(err)
	b.failOn(os.WriteFile(file, []byte(strings.Replace(string(text), "{name: state, type: text}", "{name: state, type: text, words: [open]}", 1)), 0o600))
	b.writeConfig(b.readConfig())
	if report := read(`{"id":1,"n":7,"odd":"x"}`); report.Exit() != 0 {
		t.Fatalf("the first run: %+v", report.Streams)
	}
	if report := read(`{"id":1,"n":8,"odd":"y","state":"ajar"}`); report.Exit() != 0 || b.queryRows("SELECT state FROM doors")[0] != "ajar" {
		t.Errorf("a new word: %+v", report.Streams)
	}
	for what, record := range map[string]string{"a field": `{"id":1,"n":9,"odd":"y","even":[1]}`, "a type": `{"id":1,"n":"nine","odd":"y"}`, "an object for a word": `{"id":1,"n":9,"state":{"of":1}}`} {
		report := read(record)
		if s := streamResult(t, report, "doors"); s.Class != "data" || !strings.Contains(s.Error, "doors_all.") || !strings.Contains(s.Next, "on_change") {
			t.Errorf("%s: %+v", what, s)
		}
		if got := b.queryRows("SELECT n, _extra::VARCHAR FROM doors"); got[0] != `8|{"odd":"y"}` {
			t.Errorf("%s: stored is %s", what, got[0])
		}
	}
}

// TestT113NewVersionReReadsOutdatedStreams moves the workspace to a version that sends more fields of a contact. After one run all contacts have
// them, although none changed, and the next run sends no extra requests.
func TestT113NewVersionReReadsOutdatedStreams(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(431), strings.Replace(nightly, `"2.17"`, `"2.16"`, 1))
	b.syncOnce(runner.Options{})
	b.space.Advance(240 * time.Hour) // far behind the lookback window
	b.syncOnce(runner.Options{})
	quiet := streamResult(t, b.syncOnce(runner.Options{}), "contacts").Extracted
	if got := b.queryRows("SELECT count(email_verified) FROM contacts"); got[0] != "0" {
		t.Fatalf("2.16 sent email_verified for %s contacts", got[0])
	}
	b.writeConfig(nightly)
	report := b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FILTER (email_verified IS NULL), min(_api_version) FROM contacts"); got[0] != "0|2.17" {
		t.Errorf("contacts without, lowest version: %s", got[0])
	}
	if len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "contacts was read under API version 2.16") {
		t.Errorf("notes: %q", report.Notes)
	}
	b.equalsOracle()
	if s := streamResult(t, b.syncOnce(runner.Options{}), "contacts"); s.Extracted > quiet || s.Rows > 0 {
		t.Errorf("the run after: %+v, before the change it read %d", s, quiet)
	}
}

// TestT123StreamOfDeadLettersStops: most records of a list have no key, because the file does not fit it, and the watermark must not pass them. A
// few such records are reported, and the others stored.
func TestT123StreamOfDeadLettersStops(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(413))
	d := b.withDoors("")
	doorsOnly := runner.Options{Select: []string{"doors"}}
	var odd []string
	for n := range 12 {
		odd = append(odd, fmt.Sprintf(`{"name":"door %d"}`, n))
	}
	d.showPages(append([]string{doorJSON(1, 0, "open")}, odd[:3]...)...)
	if s := streamResult(t, b.syncOnce(doorsOnly), "doors"); s.Rejected != 3 || s.New != 1 {
		t.Errorf("three of four without a key: %+v", s)
	}
	mark := b.checkpointState("doors")
	d.showPages(append([]string{doorJSON(1, 1, "shut")}, odd...)...)
	b.space.Advance(time.Hour)
	report := b.trySync(doorsOnly)
	if s := streamResult(t, report, "doors"); report.Exit() != problem.ExitFailed || s.Class != "data" || !strings.Contains(s.Error, "12 of 13 records were rejected") {
		t.Errorf("%s\n%+v", report.LastLine(), s)
	}
	if got := b.queryRows("SELECT state FROM doors"); got[0] != "open" || b.checkpointState("doors") != mark {
		t.Errorf("stored %v, the mark was %s, is %s", got, mark, b.checkpointState("doors"))
	}
}

// TestT183ColumnWidenedByAnUpgradeGetsItsDeadLetters changes a column of integers to doubles in its stream file, as a newer version of the program
// does with a built-in one. The values that waited in _extra are then in the column, in the file and in the lake.
func TestT183ColumnWidenedByAnUpgradeGetsItsDeadLetters(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(414)).publishingLake()
	d := b.withDoors("")
	file := filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml")
	run := func(kind string) *runlog.Report {
		t.Helper()
		b.failOn(os.WriteFile(file, []byte(doors+"  - {name: share, type: "+kind+"}\n"), 0o600))
		b.writeConfig(strings.Replace(nightly, "[contacts,", "[doors, contacts,", 1) + "stream_files: [streams/*.yaml]\nstreams:\n  doors: {history: true}\n")
		return b.syncOnce(runner.Options{Select: []string{"doors"}})
	}
	d.showPages(`{"id":1,"share":33}`, `{"id":2,"share":33.5}`, `{"id":3,"share":"many"}`)
	if s := streamResult(t, run("int"), "doors"); s.Rejected != 2 {
		t.Errorf("whole numbers: %+v", s)
	}
	b.space.Advance(time.Hour)
	if s := streamResult(t, run("double"), "doors"); s.Status != runlog.StatusOK {
		t.Errorf("any numbers: %+v", s)
	}
	want := "1|33|∅\n2|33.5|∅\n3|∅|{\"share\":\"many\"}"
	for _, from := range []string{"doors", "doors_history WHERE valid_to IS NULL"} {
		if got := strings.Join(b.queryRows("SELECT id, share, _extra::VARCHAR FROM "+from+" ORDER BY id"), "\n"); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", from, got, want)
		}
		if got := b.queryRows("SELECT DISTINCT typeof(share) FROM " + from); len(got) != 1 || got[0] != "DOUBLE" {
			t.Errorf("%s: share is %v", from, got)
		}
	}
	type part struct {
		ID    string   `parquet:"id,optional"`
		Share *float64 `parquet:"share,optional"`
	}
	rows, err := parquet.ReadFile[part](filepath.Join(b.runner.Dir.Lake("main"), "doors", "all.parquet"))
	if err != nil || len(rows) != 3 || !slices.ContainsFunc(rows, func(p part) bool { return p.ID == "2" && p.Share != nil && *p.Share == 33.5 }) {
		t.Errorf("the lake: %v, %v", rows, err)
	}
	b.space.Advance(time.Hour)
	if report := run("double"); report.TotalRows() != 0 {
		t.Errorf("a quiet run wrote %d rows", report.TotalRows())
	}
}

// TestT183NumberAddedByAnUpgradeIsInFileHistoryAndLake adds a column of whole numbers for a field that a text column has taken so far, as a newer
// version of the program does with the numbers of tickets. A text that is no number stays a text, and is a dead letter of the new column, which is a state of its own: its _extra differs.
func TestT183NumberAddedByAnUpgradeIsInFileHistoryAndLake(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(415)).publishingLake()
	d := b.withDoors("")
	file := filepath.Join(filepath.Dir(b.file), "streams", "doors.yaml")
	run := func(columns string) *runlog.Report {
		t.Helper()
		b.failOn(os.WriteFile(file, []byte(doors+columns), 0o600))
		b.writeConfig(strings.Replace(nightly, "[contacts,", "[doors, contacts,", 1) + "stream_files: [streams/*.yaml]\nstreams:\n  doors: {history: true}\n")
		b.space.Advance(time.Hour)
		return b.syncOnce(runner.Options{Select: []string{"doors"}})
	}
	const text, number = "  - {name: label, from: label, type: text}\n", "  - {name: label_number, from: label, type: int}\n"
	d.showPages(`{"id":1,"label":"9"}`, `{"id":2,"label":"10"}`, `{"id":3,"label":"B-7"}`)
	run(text)
	if s := streamResult(t, run(text+number), "doors"); s.Status != runlog.StatusOK || s.Rejected != 1 {
		t.Errorf("after the upgrade: %+v", s)
	}
	for _, from := range []string{"doors", "doors_history WHERE valid_to IS NULL", "doors_history WHERE id <> '3' OR valid_to IS NOT NULL"} {
		got := b.queryRows("SELECT id, label, label_number FROM " + from + " ORDER BY label_number, id")
		if want := []string{"1|9|9", "2|10|10", "3|B-7|∅"}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", from, got, want)
		}
	}
	type part struct {
		ID     string `parquet:"id,optional"`
		Number *int64 `parquet:"label_number,optional"`
	}
	for table, n := range map[string]int{"doors": 3, "doors_history": 4} {
		rows, err := parquet.ReadFile[part](filepath.Join(b.runner.Dir.Lake("main"), table, "all.parquet"))
		if err != nil || len(rows) != n || !slices.ContainsFunc(rows, func(p part) bool { return p.ID == "2" && p.Number != nil && *p.Number == 10 }) {
			t.Errorf("the lake's %s: %v, %v", table, rows, err)
		}
	}
	if report := run(text + number); report.TotalRows() != 0 {
		t.Errorf("a quiet run wrote %d rows", report.TotalRows())
	}
}
