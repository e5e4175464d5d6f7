package load_test

import (
	"slices"
	"strings"
	"testing"
)

// TestT162CopiesOfARecordInOneCommitAreAsCommittedOneByOne: of several answers about a record in one commit, one omits an object or a list. Rows, history and
// notes are those of single commits: no state that never was, no value that only the other copy has lost.
func TestT162CopiesOfARecordInOneCommitAreAsCommittedOneByOne(t *testing.T) {
	t.Parallel()
	const other = `{"id":"1","at":1700000005,"title":"u","source":{"subject":"s2","author":{"id":"b"}},"attributes":{"k":2},"tags":{"data":[{"id":"x","words":["q"]}]},"parts":[{"id":"n","body":"N"}]}`
	lacking := func(at, title string) string { return `{"id":"1","at":` + at + `,"title":"` + title + `"}` }
	late := func(record string) string { return strings.ReplaceAll(record, `"id":"1"`, `"id":"2"`) }
	for name, tt := range map[string]struct{ stored, comes []string }{
		"new, the second omits":             {nil, []string{wholeTalk, lacking("1700000001", "v")}},
		"new, the first omits":              {nil, []string{lacking("1700000000", "v"), other}},
		"stored, the first omits":           {[]string{wholeTalk}, []string{lacking("1700000001", "v"), other}},
		"stored, the second omits":          {[]string{wholeTalk}, []string{other, lacking("1700000009", "v")}},
		"stored, the second omits and lags": {[]string{wholeTalk}, []string{other, lacking("1700000003", "v")}},
		"three":                             {[]string{wholeTalk}, []string{lacking("1700000001", "v"), other, lacking("1700000009", "w")}},
		"the same twice":                    {[]string{wholeTalk}, []string{lacking("1700000001", "v"), lacking("1700000001", "v")}},
		"of several records":                {[]string{wholeTalk, late(wholeTalk)}, []string{late(wholeTalk), lacking("1700000001", "v"), late(other), other, strings.ReplaceAll(other, `"id":"1"`, `"id":"3"`)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := talkStream()
			stream.History = true
			single, together := newTalkStore(t, stream), newTalkStore(t, stream)
			for _, record := range slices.Concat(tt.stored, tt.comes) {
				single.commitRecords(record)
			}
			for _, record := range tt.stored {
				together.commitRecords(record)
			}
			together.commitRecords(tt.comes...)
			for _, id := range []string{"1", "2", "3"} {
				if got, want := together.storedText(id), single.storedText(id); got != want {
					t.Errorf("stored of %s is %q, want %q", id, got, want)
				}
			}
			for _, query := range []string{
				"SELECT concat_ws('|', id, epoch_us(valid_from), epoch_us(valid_to), source_updated_at::VARCHAR, title, subject, author, attributes::VARCHAR) FROM {schema}.talks_history ORDER BY id, valid_from",
				"SELECT id || reason FROM _sync.incomplete ORDER BY 1",
				"SELECT table_name || rows FROM _sync.tables WHERE schema = 'main' ORDER BY 1",
			} {
				got, err := together.work.Facts.IDs(t.Context(), "main", query)
				must(t, err)
				want, err := single.work.Facts.IDs(t.Context(), "main", query)
				if must(t, err); !slices.Equal(got, want) {
					t.Errorf("%s:\n%s, want\n%s", query, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		})
	}
}

func TestT162AnEmptyListInAnItemClearsWhatAnOmittedOneKept(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"1700000000", "1700000001"} {
		s := newTalkStore(t, talkStream())
		s.commitRecords(wholeTalk)
		record := strings.Replace(wholeTalk, "1700000000", at, 1)
		omitting := strings.NewReplacer(`"id":"x","words":["p","q"]`, `"id":"x"`, `,"files":["f","g"]`, "").Replace(record)
		for again := range 2 {
			if w := s.commitRecords(omitting); w.Rows > 0 && again == 1 {
				t.Errorf("at %s: the same again wrote %d rows", at, w.Rows)
			}
			if got, want := s.storedText("1"), `t|s|a|{"k":1} x,y xp,xq mM mf,mg`; got != want {
				t.Errorf("at %s: omitted it is %q, want %q", at, got, want)
			}
		}
		s.commitRecords(strings.NewReplacer(`["p","q"]`, "[]", `["f","g"]`, "[]").Replace(record))
		if got, want := s.storedText("1"), `t|s|a|{"k":1} x,y - mM -`; got != want {
			t.Errorf("at %s: empty it is %q, want %q", at, got, want)
		}
	}
}
