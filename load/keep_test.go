package load_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// talkStream is a stream with all kinds of lists and objects: nested objects, free JSON, a complete list with a list
// inside its items, and a growing list with such a list.
func talkStream() *schemas.Stream {
	column := func(name string, t schemas.Type, from ...string) schemas.Column {
		if from == nil {
			from = []string{name}
		}
		return schemas.Column{Name: name, From: from, Type: t, Doc: "The " + name + "."}
	}
	parent := column("talk_id", schemas.Text, schemas.FromParent, "id")
	return &schemas.Stream{
		Name: "talks", Table: "talks", Doc: "One row per talk.", Key: []string{"id"}, Newest: "at",
		Columns: []schemas.Column{
			column("id", schemas.Text), column("at", schemas.Timestamp), column("title", schemas.Text), column("subject", schemas.Text, "source", "subject"),
			column("author", schemas.Text, "source", "author", "id"), column("attributes", schemas.JSON),
		},
		Children: []schemas.Child{
			{Table: "talk_tags", Doc: "One row per tag.", From: []string{"tags", "data"}, Count: []string{"tags", "total_count"}, Key: []string{"talk_id", "tag_id"}, Complete: true,
				Columns: []schemas.Column{parent, column("tag_id", schemas.Text, "id")}},
			{Table: "tag_words", Doc: "One row per word of a tag.", From: []string{"words"}, Within: "talk_tags", Key: []string{"talk_id", "tag_id", "word"}, Complete: true,
				Columns: []schemas.Column{column("talk_id", schemas.Text, schemas.FromParent, "talk_id"), column("tag_id", schemas.Text, schemas.FromParent, "tag_id"), column("word", schemas.Text, schemas.FromItem)}},
			{Table: "talk_parts", Doc: "One row per part.", From: []string{"parts"}, Key: []string{"talk_id", "part_id"},
				Columns: []schemas.Column{parent, column("part_id", schemas.Text, "id"), column("body", schemas.Text)}},
			{Table: "part_files", Doc: "One row per file of a part.", From: []string{"files"}, Within: "talk_parts", Key: []string{"talk_id", "part_id", "file"},
				Columns: []schemas.Column{column("talk_id", schemas.Text, schemas.FromParent, "talk_id"), column("part_id", schemas.Text, schemas.FromParent, "part_id"), column("file", schemas.Text, schemas.FromItem)}},
		},
	}
}

// talkStore is a work database of talks.
type talkStore struct {
	t    *testing.T
	work *load.Work
	at   load.Checkpoint
	d    *transform.Decoder
	name string // of the stream, with the suffix of its tables
	read int64  // time of the answers, in seconds after the first one
}

func newTalkStore(t *testing.T, s *schemas.Stream) *talkStore {
	t.Helper()
	return newTalkStoreIn(t, newWarehouse(t, load.Options{}).Work, s)
}

func newTalkStoreIn(t *testing.T, work *load.Work, s *schemas.Stream) *talkStore {
	t.Helper()
	tables := transform.Tables(s)
	if history, kept := transform.History(s); kept {
		tables = append(tables, history)
	}
	if _, err := work.Tables.Ensure(t.Context(), "main", tables); err != nil {
		t.Fatal(err)
	}
	d, err := transform.NewDecoder(s, transform.Options{APIVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	return &talkStore{t: t, work: work, d: d, name: s.Table, at: load.Checkpoint{Workspace: "main", Stream: s.Table}}
}

// commitRecords stores records.
func (s *talkStore) commitRecords(records ...string) load.Written {
	s.t.Helper()
	for _, r := range records {
		if err := s.d.Append([]byte(r), transform.Meta{ReadAt: time.Unix(1_700_000_000+s.read, 0)}); err != nil {
			s.t.Fatal(err)
		}
	}
	batches := s.d.Take()
	next := s.at
	next.Seq++
	w, err := s.work.Commit(context.Background(), "main", s.name, s.at, next, batches)
	for _, b := range batches {
		b.Rows.Release()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.at = next
	return w
}

// storedText is everything stored of a talk, in one line.
func (s *talkStore) storedText(id string) string {
	s.t.Helper()
	var all []string
	for _, q := range []string{
		"SELECT concat_ws('|', title, subject, author, attributes::VARCHAR) FROM main.talks WHERE id = '%s'",
		"SELECT coalesce(string_agg(tag_id, ',' ORDER BY tag_id), '-') FROM main.talk_tags WHERE talk_id = '%s'",
		"SELECT coalesce(string_agg(tag_id || word, ',' ORDER BY tag_id, word), '-') FROM main.tag_words WHERE talk_id = '%s'",
		"SELECT coalesce(string_agg(part_id || body, ',' ORDER BY part_id), '-') FROM main.talk_parts WHERE talk_id = '%s'",
		"SELECT coalesce(string_agg(part_id || file, ',' ORDER BY part_id, file), '-') FROM main.part_files WHERE talk_id = '%s'",
	} {
		suffix := strings.TrimPrefix(s.name, "talks")
		q = tableOfTalks.ReplaceAllString(fmt.Sprintf(q, id), "${1}"+suffix)
		values, err := s.work.Facts.IDs(s.t.Context(), "main", q)
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, values...)
	}
	return strings.Join(all, " ")
}

var tableOfTalks = regexp.MustCompile(`(FROM main\.\w+)`)

const wholeTalk = `{"id":"1","at":1700000000,"title":"t","source":{"subject":"s","author":{"id":"a"}},"attributes":{"k":1},` +
	`"tags":{"data":[{"id":"x","words":["p","q"]},{"id":"y","words":[]}]},"parts":[{"id":"m","body":"M","files":["f","g"]}]}`

func TestT162OmittedFieldsKeepTheirStoredValues(t *testing.T) {
	t.Parallel()
	const was = `t|s|a|{"k":1} x,y xp,xq mM mf,mg`
	tests := []struct {
		name, record, want string
		noted              bool
	}{
		{"all", `{"id":"1","at":1700000001,"title":"u"}`, `u|s|a|{"k":1} x,y xp,xq mM mf,mg`, true},
		{"one object", `{"id":"1","at":1700000001,"title":"u","attributes":{},"tags":{"data":[]},"parts":[]}`, `u|s|a|{} - - mM mf,mg`, true},
		{"the object in another", `{"id":"1","at":1700000001,"title":"t","source":{"subject":"new"},"attributes":{"k":1},"tags":{"data":[]},"parts":[]}`, `t|new|a|{"k":1} - - mM mf,mg`, true},
		{"a list", `{"id":"1","at":1700000001,"title":"t","source":null,"attributes":null,"tags":{"url":"/x"},"parts":[]}`, `t x,y xp,xq mM mf,mg`, true},
		{"a list in an item", `{"id":"1","at":1700000001,"title":"t","source":null,"attributes":null,"tags":{"data":[{"id":"x"},{"id":"z"}]},"parts":[]}`, `t x,z xp,xq mM mf,mg`, false},
		{"a list in an item of one that grows", `{"id":"1","at":1700000001,"title":"t","source":null,"attributes":null,"tags":null,"parts":[{"id":"m","body":"N"}]}`, `t - - mN mf,mg`, false},
		{"explicitly empty", `{"id":"1","at":1700000001,"title":"t","source":{},"attributes":null,"tags":{"total_count":0},"parts":[{"id":"m","body":"M","files":[]}]}`, `t - - mM -`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newTalkStore(t, talkStream())
			s.commitRecords(wholeTalk, strings.ReplaceAll(wholeTalk, `"id":"1"`, `"id":"2"`))
			if got := s.storedText("1"); got != was {
				t.Fatalf("stored %q", got)
			}
			s.commitRecords(tt.record)
			if got := s.storedText("1"); got != tt.want {
				t.Errorf("stored %q, want %q", got, tt.want)
			}
			if got := s.storedText("2"); got != was {
				t.Errorf("another one became %q", got)
			}
			list, err := s.work.DeadLetters.Incomplete(t.Context(), "main", "talks")
			if want := []transform.Incomplete{{Key: "1", Reason: transform.OmitsStored}}; err != nil || tt.noted != slices.Equal(list, want) {
				t.Errorf("noted %+v, %v", list, err)
			}
			s.commitRecords(tt.record) // once more: the record is unchanged, and still incomplete
			if again, err := s.work.DeadLetters.Incomplete(t.Context(), "main", "talks"); err != nil || !slices.Equal(again, list) {
				t.Errorf("noted %+v, %v, then %+v", list, err, again)
			}
			// A complete record replaces everything.
			s.commitRecords(strings.ReplaceAll(wholeTalk, "1700000000", "1700000002"))
			if got := s.storedText("1"); got != was {
				t.Errorf("whole again it is %q", got)
			}
			if list, err := s.work.DeadLetters.Incomplete(t.Context(), "main", "talks"); err != nil || len(list) > 0 {
				t.Errorf("whole again it is noted %+v, %v", list, err)
			}
		})
	}
}

// TestT162AnEmptyFieldClearsWhatAnOmittedOneKept: the complete answer that follows has no other value than the one that omitted them.
func TestT162AnEmptyFieldClearsWhatAnOmittedOneKept(t *testing.T) {
	t.Parallel()
	s := newTalkStore(t, talkStream())
	s.commitRecords(wholeTalk)
	for range 2 {
		s.commitRecords(`{"id":"1","at":1700000001,"title":"u","parts":[]}`)
	}
	s.commitRecords(`{"id":"1","at":1700000001,"title":"u","source":null,"attributes":null,"tags":{"data":[],"total_count":0},"parts":[]}`)
	if got, want := s.storedText("1"), "u - - mM mf,mg"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
	if list, err := s.work.DeadLetters.Incomplete(t.Context(), "main", "talks"); err != nil || len(list) > 0 {
		t.Errorf("noted %+v, %v", list, err)
	}
}

func TestT162ARecordThatOnlyOmitsFieldsIsUnchanged(t *testing.T) {
	t.Parallel()
	s := newTalkStore(t, talkStream())
	s.commitRecords(wholeTalk)
	for _, record := range []string{
		`{"id":"1","at":1700000000,"title":"t"}`,
		`{"id":"1","at":1700000000,"title":"t","attributes":{"k":1},"tags":{"data":[{"id":"y","words":[]},{"id":"x","words":["q","p"]}]}}`,
		wholeTalk,
	} {
		if w := s.commitRecords(record); w.Rows != 0 {
			t.Errorf("%s: wrote %d rows", record, w.Rows)
		}
	}
	if list, err := s.work.DeadLetters.Incomplete(t.Context(), "main", "talks"); err != nil || len(list) > 0 {
		t.Errorf("noted %+v, %v", list, err)
	}
	if w := s.commitRecords(`{"id":"1","at":1700000000,"title":"t","tags":{"data":[{"id":"y","words":[]},{"id":"x","words":["q","new"]}]}}`); w.Rows == 0 {
		t.Error("another word of a tag was taken for no change")
	}
}

func TestT186ANewReadTimeIsAChangeOfARecordThatOmitsFields(t *testing.T) {
	t.Parallel()
	stream := talkStream()
	stream.Columns = append(stream.Columns, schemas.Column{Name: "read_at", From: []string{schemas.FromReadAt}, Type: schemas.Timestamp, Doc: "The time of the answer."})
	s := newTalkStore(t, stream)
	for _, record := range []string{wholeTalk, wholeTalk, `{"id":"1","at":1700000000,"title":"t"}`} {
		s.commitRecords(record)
		got, err := s.work.Facts.IDs(t.Context(), "main", "SELECT epoch(read_at)::BIGINT FROM main.talks")
		if want := strconv.FormatInt(1_700_000_000+s.read, 10); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("after a reading at %s the row is of %v, %v", want, got, err)
		}
		s.read += 60
	}
	const want = `t|s|a|{"k":1} x,y xp,xq mM mf,mg`
	if got := s.storedText("1"); got != want {
		t.Errorf("stored is %s, not %s", got, want)
	}
}

func TestT162NewRecordsMayOmitAnyField(t *testing.T) {
	t.Parallel()
	s := newTalkStore(t, talkStream())
	s.commitRecords(`{"id":"9","at":1700000000,"title":"new"}`)
	if got, want := s.storedText("9"), "new - - - -"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
}

func TestT190WithoutATableBesideItARecordIsStoredAsSent(t *testing.T) {
	t.Parallel()
	stream := talkStream()
	stream.Beside = "elsewhere"
	s := newTalkStore(t, stream)
	s.commitRecords(`{"id":"9","at":1700000000,"title":"new"}`)
	if got, want := s.storedText("9"), "new - - - -"; got != want {
		t.Errorf("stored %q, want %q", got, want)
	}
}

// TestT190OmittedFieldsComeFromTheNewestCopy has two tables with copies of the same records. Readers see the newer of
// both.
func TestT190OmittedFieldsComeFromTheNewestCopy(t *testing.T) {
	t.Parallel()
	const (
		lacking = `{"id":"1","at":1700000009,"title":"new"}`
		same    = `{"id":"1","at":1700000000,"title":"t"}`
		older   = `t|s|a|{"k":1} x,y xp,xq mM mf,mg`
		newer   = `u|s2|a|{"k":1} x xq mM,nN mf`
	)
	other := `{"id":"1","at":1700000005,"title":"u","source":{"subject":"s2","author":{"id":"a"}},"attributes":{"k":1},` +
		`"tags":{"data":[{"id":"x","words":["q"]}]},"parts":[{"id":"m","body":"M","files":["f"]},{"id":"n","body":"N"}]}`
	for _, tt := range []struct {
		name               string
		beside, own, comes string
		want               string
	}{
		{"stored only beside it", wholeTalk, "", lacking, older},
		{"stored only beside it, and as it is there", wholeTalk, "", same, older},
		{"newer beside it", other, wholeTalk, lacking, newer},
		{"older beside it", wholeTalk, other, lacking, newer},
		{"as new beside it, and stored before", wholeTalk, strings.ReplaceAll(other, "1700000005", "1700000000"), lacking, newer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			beside := newTalkStore(t, talkStream())
			stream := talkStream()
			stream.Table, stream.Beside = "talks_by_id", "talks"
			for i := range stream.Children {
				c := &stream.Children[i]
				c.Beside, c.Table = c.Table, c.Table+"_by_id"
				if c.Within != "" {
					c.Within += "_by_id"
				}
			}
			own := newTalkStoreIn(t, beside.work, stream)
			beside.commitRecords(tt.beside, strings.ReplaceAll(wholeTalk, `"id":"1"`, `"id":"2"`))
			if tt.own != "" {
				own.commitRecords(tt.own)
			}
			own.commitRecords(tt.comes)
			var record struct{ Title string }
			if err := json.Unmarshal([]byte(tt.comes), &record); err != nil {
				t.Fatal(err)
			}
			_, kept, _ := strings.Cut(tt.want, "|")
			if got, want := own.storedText("1"), record.Title+"|"+kept; got != want {
				t.Errorf("stored %q, want %q", got, want)
			}
			if list, err := own.work.DeadLetters.Incomplete(t.Context(), "main", own.name); err != nil || len(list) != 1 || list[0].Reason != transform.OmitsStored {
				t.Errorf("noted %+v, %v", list, err)
			}
			if got := own.storedText("2"); got != "- - - -" {
				t.Errorf("another one became %q", got)
			}
		})
	}
}
