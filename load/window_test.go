package load_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// callStream is a stream without a key, read by windows of time.
func callStream() *schemas.Stream {
	return &schemas.Stream{Name: "calls", Table: "calls", Newest: "_time", Columns: []schemas.Column{
		{Name: "_time", From: []string{"_time"}, Type: schemas.Timestamp, Required: true},
		{Name: "who", From: []string{"who"}, Type: schemas.Text}}}
}

const windowStart = 1_700_000_000

// replaceWindow commits rows, seconds and names, as all that a window has.
func (w *testWarehouse) replaceWindow(t testing.TB, from, to int64, rows map[int64][]string) (load.Written, error) {
	t.Helper()
	base, err := w.Checkpoints.Checkpoint(t.Context(), "main", "calls")
	must(t, err)
	next := base
	next.Seq++
	decoder, err := transform.NewDecoder(callStream(), transform.Options{APIVersion: "2.17"})
	must(t, err)
	for at, names := range rows {
		for _, who := range names {
			must(t, decoder.Append(fmt.Appendf(nil, `{"who":%q,"_time":%d}`, who, windowStart+at), transform.Meta{}))
		}
	}
	batches := decoder.Take()
	defer committest.Release(batches)
	batches[0].Mode = transform.ReplaceWindow
	batches[0].Window = [2]time.Time{time.Unix(windowStart+from, 0), time.Unix(windowStart+to, 0)}
	return w.Commit(t.Context(), "main", "calls", base, next, batches)
}

// storedText gives the rows as seconds and names, in the order of their text.
func (w *testWarehouse) storedText(t testing.TB) string {
	t.Helper()
	rows, err := w.Facts.IDs(t.Context(), "main", fmt.Sprintf("SELECT (epoch(_time)::BIGINT - %d) || who || chr(0) || row_number() OVER () FROM {schema}.calls", windowStart))
	must(t, err)
	for i, row := range rows {
		rows[i], _, _ = strings.Cut(row, "\x00")
	}
	slices.Sort(rows)
	return strings.Join(rows, " ")
}

func TestAWindowIsReplacedAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, callStream())
	step := func(from, to int64, rows map[int64][]string, want string, added, changed, deleted int64) {
		t.Helper()
		w.now = w.now.Add(time.Hour)
		written, err := w.replaceWindow(t, from, to, rows)
		must(t, err)
		if got := w.storedText(t); got != want {
			t.Errorf("stored %q, want %q", got, want)
		}
		if written.New != added || written.Changed != changed || written.Deleted != deleted {
			t.Errorf("%q: %+v", want, written)
		}
	}
	step(0, 10, map[int64][]string{0: {"a"}, 9: {"b", "b"}}, "0a 9b 9b", 3, 0, 0)
	step(10, 20, map[int64][]string{10: {"c"}}, "0a 10c 9b 9b", 1, 0, 0)
	step(0, 10, map[int64][]string{0: {"a"}, 9: {"b", "b"}}, "0a 10c 9b 9b", 0, 0, 0)
	step(0, 10, map[int64][]string{0: {"x"}, 9: {"b", "b", "b"}}, "0x 10c 9b 9b 9b", 1, 1, 1)
	step(0, 10, map[int64][]string{9: {"b"}}, "10c 9b", 0, 0, 3)
	step(0, 10, nil, "10c", 0, 0, 1)
	w.Restart(t)
	if got := w.storedText(t); got != "10c" {
		t.Errorf("after a restart %q", got)
	}
}

// TestARowReadAgainKeepsItsSyncedAt checks that only changed rows get the time of the commit.
func TestARowReadAgainKeepsItsSyncedAt(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, callStream())
	_, err := w.replaceWindow(t, 0, 10, map[int64][]string{1: {"a"}, 2: {"b"}})
	must(t, err)
	w.now = w.now.Add(time.Hour)
	_, err = w.replaceWindow(t, 0, 10, map[int64][]string{1: {"a"}, 2: {"c"}})
	must(t, err)
	got, err := w.Facts.IDs(t.Context(), "main", "SELECT who FROM {schema}.calls WHERE _synced_at > (SELECT min(_synced_at) FROM {schema}.calls)")
	must(t, err)
	if !slices.Equal(got, []string{"c"}) {
		t.Errorf("changed: %v", got)
	}
}

func TestAWindowWithRowsOfAnotherIsRefused(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, callStream())
	for _, at := range []int64{-1, 10} {
		if _, err := w.replaceWindow(t, 0, 10, map[int64][]string{5: {"a"}, at: {"b"}}); err == nil {
			t.Errorf("a row at %d went into [0, 10)", at)
		}
	}
	if got := w.storedText(t); got != "" {
		t.Errorf("stored %q", got)
	}
}

// TestWindowsInAnyOrderKeepTheLastOfEach compares with a map that is kept by the same rule.
// Holds: F25.
func TestWindowsInAnyOrderKeepTheLastOfEach(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, callStream())
	truth := map[int64][]string{}
	for range 30 {
		from := r.Int64N(8)
		to := from + 1 + r.Int64N(8-from)
		rows := map[int64][]string{}
		for at := from; at < to; at++ {
			delete(truth, at)
			for range r.IntN(3) {
				rows[at] = append(rows[at], string(rune('a'+r.IntN(2))))
			}
			truth[at] = rows[at]
		}
		_, err := w.replaceWindow(t, from, to, rows)
		must(t, err)
		var want []string
		for at, names := range truth {
			for _, who := range names {
				want = append(want, fmt.Sprint(at)+who)
			}
		}
		slices.Sort(want)
		if got := w.storedText(t); got != strings.Join(want, " ") {
			t.Fatalf("stored %q, want %q", got, want)
		}
	}
}
