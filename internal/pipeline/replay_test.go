package pipeline_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	pipelinesync "aqueduck/internal/sync"
)

// TestIncrementalCopiesEqualTheFullTables has a downstream consumer read changes by `_synced_at`, from each published file, while random runs are
// cut, interrupted, repeated and published in their middle.
// Holds: F25.
func TestIncrementalCopiesEqualTheFullTables(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(11), strings.Replace(nightly, "{dir: data}", "{dir: data, publish: {every: 5m}}", 1))
	l := newLife(b, 11)
	c := &replayConsumer{bed: b, copies: map[string]map[string]syncedRow{}}
	runs := 6
	if os.Getenv("AQUEDUCK_LONG") != "" {
		runs = 100
	}
	for n := range runs {
		ctx, cancel := context.WithCancel(context.Background())
		o, pace := randomOptions(l), 25*time.Second
		interrupt := cancel
		if n == runs/2 { // a run that surely publishes in its middle
			o, pace, interrupt = runner.Options{FullRefresh: true}, 5*time.Minute, func() {}
		}
		b.space.RunBetween(c.betweenRequests(l, pace, interrupt))
		report, err := pipelinesync.Sync(ctx, b.runner, b.runner.Config.Pipelines[0], o)
		if err == nil && report.Exit() == problem.ExitFailed || err != nil && ctx.Err() == nil {
			t.Fatalf("run %d %+v: %v\n%+v", n, o, err, report)
		}
		cancel()
		b.space.RunBetween(nil)
		c.readCurrent()
		if t.Failed() {
			t.Fatalf("after run %d %+v", n, o)
		}
		l.applyEvents(l.rollDice(12))
		b.space.Advance(time.Duration(l.rollDice(20)) * time.Hour)
	}
	l.stopChanges()
	b.syncOnce(runner.Options{})
	c.readCurrent()
	b.equalsOracle()
	if c.midway == 0 {
		t.Error("no run published in its middle")
	}
}

// randomOptions are mostly those of a plain run.
func randomOptions(l *workspaceLife) runner.Options {
	switch l.rollDice(8) {
	case 0:
		return runner.Options{FullRefresh: true}
	case 1:
		return runner.Options{MaxRequests: int64(3 + l.rollDice(10))}
	case 2:
		return runner.Options{MaxTime: time.Duration(1+l.rollDice(5)) * time.Minute}
	case 3:
		return runner.Options{Select: []string{[]string{"contacts", "deleted_contacts", "contact_*"}[l.rollDice(3)]}}
	case 4:
		return runner.Options{Since: l.space.CurrentTime().Add(-time.Duration(l.rollDice(500)) * time.Hour)}
	}
	return runner.Options{}
}

// syncedRow is one row as the consumer has it, with the time of its change.
type syncedRow struct{ synced, text string }

// replayConsumer keeps a copy of the relations, as a downstream program would: it upserts the contacts that changed since its last read, and
// replaces their child rows.
type replayConsumer struct {
	bed    *testBed
	mu     sync.Mutex // guards the fields below: reads happen between requests too
	since  string
	file   string
	midway int
	copies map[string]map[string]syncedRow // by relation and key; the key of a child row begins with its contact's
}

// betweenRequests runs between the requests of a run: events, time (less than pace), now and then an interruption. The consumer reads every new
// published file.
func (c *replayConsumer) betweenRequests(l *workspaceLife, pace time.Duration, interrupt func()) func(int) {
	last := 4 + l.rollDice(60)
	first := 0
	return func(n int) {
		if first == 0 {
			first = n
		}
		if n-first == last {
			interrupt()
		}
		l.space.Advance(time.Duration(l.rollDice(int(pace/time.Second))) * time.Second)
		if l.rollDice(6) == 0 {
			l.applyEvents(1)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if file := c.bed.runner.Dir.Current(); file != c.file && c.file != "" {
			c.midway++
			c.readSnapshot(file)
		}
	}
}

// readCurrent reads the file that is published now.
func (c *replayConsumer) readCurrent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if file := c.bed.runner.Dir.Current(); file != "" {
		c.readSnapshot(file)
	}
}

// everything returns all rows of the copied relations: relation, contact, key, time of change and text.
const everything = `SELECT 'contacts_all', id, '', _synced_at::VARCHAR, to_json(a)::VARCHAR FROM contacts_all a
	UNION ALL SELECT 'contact_identity', contact_id, '', _synced_at::VARCHAR, to_json(i)::VARCHAR FROM contact_identity i
	UNION ALL SELECT 'contact_tags', contact_id, tag_id, _synced_at::VARCHAR, to_json(t)::VARCHAR FROM contact_tags t
	UNION ALL SELECT 'contact_notes', contact_id, note_id, _synced_at::VARCHAR, to_json(t)::VARCHAR FROM contact_notes t
	UNION ALL SELECT 'contact_companies', contact_id, company_id, _synced_at::VARCHAR, to_json(t)::VARCHAR FROM contact_companies t
	UNION ALL SELECT 'contact_social_profiles', contact_id, _position::VARCHAR, _synced_at::VARCHAR, to_json(t)::VARCHAR FROM contact_social_profiles t`

// readSnapshot takes over the changes of a published file, and compares the copy with the whole file.
func (c *replayConsumer) readSnapshot(file string) {
	t := c.bed.t
	t.Helper()
	c.file = file
	full := map[string]map[string]syncedRow{}
	latest := c.since
	for _, line := range c.bed.rowsOf(file, everything) {
		cells := strings.SplitN(line, "|", 5)
		if full[cells[0]] == nil {
			full[cells[0]] = map[string]syncedRow{}
		}
		key := cells[1] + "|" + cells[2]
		if _, twice := full[cells[0]][key]; twice {
			t.Errorf("%s has %s twice", cells[0], key)
		}
		full[cells[0]][key] = syncedRow{cells[3], cells[4]}
		latest = max(latest, cells[3])
	}
	changed := map[string]bool{}
	for _, relation := range []string{"contacts_all", "contact_identity"} {
		for key, r := range full[relation] {
			if r.synced > c.since {
				c.putRow(relation, key, r)
				changed[relation+key[:len(key)-1]] = true
			}
		}
	}
	for relation, rows := range full {
		if strings.HasSuffix(relation, "_all") || relation == "contact_identity" {
			continue
		}
		theirs := func(key string, _ syncedRow) bool { return changed["contacts_all"+key[:strings.Index(key, "|")]] }
		maps.DeleteFunc(c.copies[relation], theirs)
		for key, r := range rows {
			if theirs(key, r) {
				c.putRow(relation, key, r)
			}
		}
	}
	c.since = latest
	c.compareCopy(full)
}

func (c *replayConsumer) putRow(relation, key string, r syncedRow) {
	if c.copies[relation] == nil {
		c.copies[relation] = map[string]syncedRow{}
	}
	c.copies[relation][key] = r
}

func (c *replayConsumer) compareCopy(full map[string]map[string]syncedRow) {
	c.bed.t.Helper()
	for _, relation := range slices.Sorted(maps.Keys(full)) {
		var got, want []string
		for key, r := range c.copies[relation] {
			got = append(got, fmt.Sprint(key, r))
		}
		for key, r := range full[relation] {
			want = append(want, fmt.Sprint(key, r))
		}
		oracletest.CompareRows(c.bed.t, relation, got, want)
	}
}
