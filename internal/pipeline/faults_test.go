package pipeline_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	pipelinesync "aqueduck/internal/sync"
)

// untilWell runs the pipeline until a run succeeds, at most so often; that run must have everything. It returns the number of runs and requests.
func (b *testBed) untilWell(most int) (runs, requests int) {
	b.t.Helper()
	before := b.space.RequestCount()
	var report *runlog.Report
	for runs < most {
		runs++
		if report = b.trySync(runner.Options{}); report.Exit() == problem.ExitOK {
			b.equalsOracle()
			return runs, b.space.RequestCount() - before
		}
	}
	b.t.Fatalf("%d runs, and none ended well: %s\n%+v", most, report.LastLine(), report.Streams)
	return 0, 0
}

// conversing reads conversations too, each with a request by id.
var conversing = strings.Replace(nightly, "streams: [", "streams: [conversations, ", 1)

// mixedFaults returns faults of all kinds, which together hit a share of the requests.
func mixedFaults(share float64) string {
	kinds := []string{"error=%g:500", "error=%g:503", "error=%g:504", "429=%g", "reset=%g", "truncate=%g", "garbage=%g", "html404=%g", "slow=%g:2ms", "drip=%g:50us"}
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf(kind, share/float64(len(kinds)))
	}
	return strings.Join(kinds, ",")
}

// TestPanicOfOneStreamEndsTheRunLikeAKill: nothing is committed after it, its stack is in the error, and the next run continues.
func TestPanicOfOneStreamEndsTheRunLikeAKill(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(65))
	ill := true
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if ill && r.URL.Path == "/contacts/deleted" {
			return &fault.Fault{Status: http.StatusInternalServerError}
		}
		return nil
	})
	wait := b.runner.Wait
	b.runner.Wait = func(context.Context, time.Duration) error { panic("nobody waits here") }
	b.runner.Parallel = 1
	_, err := pipelinesync.Sync(t.Context(), b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	p := problem.AsProblem(err)
	if p.ExitCode() != problem.ExitInternal || p.What != "panic: nobody waits here" || !strings.Contains(problem.Trace(err), "faults_test.go") {
		t.Errorf("%+v\n%s", p, problem.Trace(err))
	}
	ill, b.runner.Wait = false, wait
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestF6FaultsOfTheAPIEqualTheOracle reads a workspace and its changes while a share of the requests fails in every way. A run that succeeds
// has all records.
func TestF6FaultsOfTheAPIEqualTheOracle(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	l := lane.New(t, "workspaces read through faults", 1)
	for ; l.HasNext(); l.CountTrials(1) {
		shares := []float64{0.1, 0.3}
		if l.HasDeadline() {
			shares = []float64{0.01, 0.05, 0.1, 0.3}
		}
		b := newBedWith(t, emulator.Config{Seed: l.Seed(), Contacts: 60, Inactive: 20, Activities: 60, Conversations: 60,
			Knobs: emulator.Knobs{NoLag: true, QuietConversations: emulator.Never}}, conversing)
		life := newLife(b, l.Seed())
		for _, share := range shares {
			b.failOn(b.space.SetChaos(mixedFaults(share)))
			runs, asked := b.untilWell(5)
			t.Logf("seed %d: faults for %g %% of %d requests: %d runs", l.Seed(), 100*share, asked, runs)
			life.applyEvents(30)
			b.space.SimulateHours(3)
			b.space.Advance(time.Hour)
		}
	}
}

// TestF7RunEndsAtMaxTime: a server that keeps asking for patience does not hold a run beyond its max_time. The run is cut, like one that reads
// much, and the next one continues.
func TestF7RunEndsAtMaxTime(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(71))
	puttingOff := true
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		if puttingOff && r.URL.Path == "/contacts/activities" {
			rw.Header().Set("Retry-After", "40")
			rw.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	const most = 90 * time.Second
	began := b.space.CurrentTime()
	report := b.trySync(runner.Options{MaxTime: most})
	if took := b.space.CurrentTime().Sub(began); took > most+5*time.Second || !streamResult(t, report, "contact_activities").Cut || report.Exit() != problem.ExitOK {
		t.Errorf("it ended after %s: %s\n%+v", took, report.LastLine(), report.Streams)
	}
	puttingOff = false
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestF19EmptyListsDeleteNothing serves every list empty, with 200. Only for a list of three records or fewer that counts as deletions.
func TestF19EmptyListsDeleteNothing(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(74)
	c.Conversations, c.Calls = 30, 20
	b := newBedWith(t, c, strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", `"*"`, 1))
	all := runner.Options{Exclude: []string{"reporting*"}}
	b.syncOnce(all)
	const gone = `SELECT table_name FROM duckdb_columns() WHERE column_name = '_gone_at' AND schema_name = 'main' ORDER BY 1`
	tables := b.queryRows(gone)
	if len(tables) < 5 {
		t.Fatalf("absence is told in %v", tables)
	}
	for i, table := range tables {
		tables[i] = "SELECT '" + table + "', count(*), count(_gone_at) FROM main." + table + " HAVING count(*) > 3"
	}
	count := strings.Join(tables, " UNION ALL ") + " ORDER BY 1"
	before := b.queryRows(count)
	b.space.SetKnobs(func(k *emulator.Knobs) { k.EmptyLists = true })
	b.space.Advance(8 * 24 * time.Hour) // a week later reconciliation compares whole lists
	for range 2 {
		if report := b.trySync(all); report.Exit() == problem.ExitOK {
			t.Errorf("it ended well: %s", report.LastLine())
		}
	}
	oracletest.CompareRows(t, "rows, and those that left", b.queryRows(count), before)
}

// TestF25SameAnswersGiveTheSameTables reads one workspace three streams at a time in large batches, and again one stream at a time in batches of
// one page.
func TestF25SameAnswersGiveTheSameTables(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := emulator.Config{Seed: 75, Contacts: 400, Inactive: 180, Activities: 400, Knobs: emulator.Knobs{NoLag: true}}
	once, pieces := newBed(t, c), newBed(t, c)
	once.syncOnce(runner.Options{})
	var mu sync.Mutex
	now := pieces.space.CurrentTime()
	pieces.runner.Now = func() time.Time { // every call is a minute later, so that each batch is full after one page
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Minute)
		return now
	}
	for _, name := range []string{"contacts", "deleted_contacts", "contact_activities"} {
		pieces.syncOnce(runner.Options{Select: []string{name}})
	}
	if a, b := countCommits(once), countCommits(pieces); a >= b {
		t.Errorf("%d commits in one, %d in pieces", a, b)
	}
	for _, table := range once.queryRows("SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE schema_name IN ('main', '_raw') AND NOT internal ORDER BY 1") {
		content := "SELECT count(*), sum(hash(t::VARCHAR)::HUGEINT) FROM (SELECT COLUMNS(c -> c NOT IN ('_synced_at', '_run_id', '_hash')) FROM " + table + ") t"
		oracletest.CompareRows(t, table+" (rows, and their sum)", pieces.queryRows(content), once.queryRows(content))
	}
}

func countCommits(b *testBed) (n int) {
	b.t.Helper()
	fmt.Sscan(b.queryRows("SELECT sum(seq) FROM _sync.checkpoints")[0], &n)
	return n
}
