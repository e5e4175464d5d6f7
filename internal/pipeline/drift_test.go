package pipeline_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
)

// driftingDoors is a list of doors whose records change their shape.
type driftingDoors struct {
	r      *rand.Rand
	doors  []map[string]any
	fields []string // besides the key
}

// drawValue returns a random value that a source may send instead of another one.
func (d *driftingDoors) drawValue() any {
	switch d.r.IntN(7) {
	case 0:
		return d.r.IntN(2) == 0
	case 1:
		return json.Number(strconv.FormatInt(d.r.Int64N(1<<62), 10))
	case 2:
		return json.Number(fmt.Sprintf("%d.5", d.r.IntN(1000)))
	case 3:
		return fmt.Sprintf("word %d", d.r.IntN(1000))
	case 4:
		return map[string]any{"of": fmt.Sprintf("inner %d", d.r.IntN(1000))}
	case 5:
		return []any{"a", json.Number("1")}
	}
	return json.Number(strconv.Itoa(d.r.IntN(10)))
}

// driftShape changes the shape of some records: an added field, a missing one, another type, an unknown word.
func (d *driftingDoors) driftShape() (what string) {
	of := func(field string, value func() any) {
		for _, door := range d.doors {
			if d.r.IntN(2) == 0 {
				door[field] = value()
			}
		}
	}
	field := d.fields[d.r.IntN(len(d.fields))]
	switch d.r.IntN(4) {
	case 0:
		field = fmt.Sprintf("new_%d", len(d.fields))
		d.fields = append(d.fields, field)
		of(field, d.drawValue)
		return "added " + field
	case 1:
		for _, door := range d.doors {
			delete(door, field)
		}
		return "removed " + field
	case 2:
		of("state", func() any { return fmt.Sprintf("state %d", d.r.IntN(100)) })
		return "new words in state"
	}
	of(field, d.drawValue)
	return "other values of " + field
}

func (d *driftingDoors) doorPages(t *testing.T) (all []string) {
	t.Helper()
	for _, door := range d.doors {
		text, err := json.Marshal(door)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// TestF13RandomDriftsLoseNoRecordAndNoValue changes the shape of a list's records before each run. Every record is stored, every value is in its
// column or in _extra, and every new field and type is noted once.
func TestF13RandomDriftsLoseNoRecordAndNoValue(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	l := lane.New(t, "drifts of a schema", 10)
	for l.HasNext() {
		b := newBed(t, tinyConfig(131))
		mode := []string{"evolve", "freeze"}[l.Seed()%2]
		read := b.withTypedDoors(b.withDoors(""), mode)
		d := &driftingDoors{r: rand.New(rand.NewPCG(l.Seed(), 0)), fields: []string{"flag", "n", "d", "big", "state"}}
		for id := range 12 {
			d.doors = append(d.doors, map[string]any{"id": json.Number(strconv.Itoa(id + 1)), "updated_at": json.Number("1700000001"), "state": "open", "flag": true, "n": json.Number("7")})
		}
		for range 5 {
			what := d.driftShape()
			report := read(d.doorPages(t)...)
			if report.Exit() != problem.ExitOK {
				t.Fatalf("%s: %s\n%+v", what, report.LastLine(), report.Streams)
			}
			d.checkStored(t, b, mode+", "+what)
			l.CountTrials(1)
		}
		if twice := b.queryRows("SELECT path, example_type FROM _sync.schema_changes WHERE stream = 'doors' AND path IS NOT NULL GROUP BY ALL HAVING count(*) > 1"); len(twice) > 0 {
			t.Errorf("noted more than once: %v", twice)
		}
		noted := b.queryRows("SELECT DISTINCT path FROM _sync.schema_changes WHERE stream = 'doors'")
		for _, field := range d.fields[5:] {
			if sent := slices.ContainsFunc(d.doors, func(door map[string]any) bool { _, there := door[field]; return there }); sent && !slices.ContainsFunc(noted, func(path string) bool { return strings.HasPrefix(path, field) }) {
				t.Errorf("%s is not noted: %v", field, noted)
			}
		}
	}
}

// checkStored fails the test when a value of a record is neither in its column nor in _extra.
func (d *driftingDoors) checkStored(t *testing.T, b *testBed, what string) {
	t.Helper()
	rows := b.queryRows("SELECT to_json(whole)::VARCHAR FROM doors whole ORDER BY id::BIGINT")
	if len(rows) != len(d.doors) {
		t.Fatalf("after %s there are %d records, want %d", what, len(rows), len(d.doors))
	}
	for i, text := range rows {
		row := decodeRow(t, text)
		extra, _ := row["_extra"].(map[string]any)
		for name, want := range d.doors[i] {
			if name == "updated_at" {
				continue // stored as a time
			}
			if !equalValues(row[name], want) && !equalValues(extra[name], want) {
				t.Errorf("after %s record %d has %s = %v, in _extra %v; the source has %v", what, i+1, name, row[name], extra[name], want)
			}
		}
	}
}

func decodeRow(t *testing.T, text string) (row map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&row); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return row
}

// equalValues reports whether two values are equal, whatever their stored types.
func equalValues(got, want any) bool {
	if got == nil {
		return false
	}
	a, b := plainText(got), plainText(want)
	if a == b {
		return true
	}
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err == nil && err2 == nil && x == y || truth[a] != "" && truth[a] == b || truth[b] != "" && truth[b] == a
}

// truth is the text of a boolean in a column that was widened to numbers.
var truth = map[string]string{"true": "1", "false": "0"}

func plainText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
