package pipeline_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
)

// judgments are the results for the wrong servers of each family, from the last make oracle-mutants.
const judgments = "testdata/judgments"

// judgedFamily is a set of streams that are read together, with the comparison of their tables with the oracle.
type judgedFamily struct {
	streams []string
	routes  []string // the emulator's names of the routes whose answers are wrong; before the dot: all routes of a resource
	hold    func(b *testBed)
	config  string // "": nightly, with the streams
}

func judgedFamilies() map[string]judgedFamily {
	all := map[string]judgedFamily{
		"contacts":      {streams: []string{"contacts", "deleted_contacts", "contact_activities"}, routes: []string{"contacts"}, hold: (*testBed).equalsOracle},
		"conversations": {streams: []string{"conversations", "hitl_events", "deleted_conversations"}, routes: []string{"conversations"}, hold: judgeTalks},
		"tickets":       {streams: []string{"tickets"}, routes: []string{"tickets"}, hold: (*testBed).equalsTickets},
		"calls":         {streams: []string{"contacts", "deleted_contacts", "contact_activities", "calls", "call_transcripts"}, routes: []string{"calls"}, hold: (*testBed).equalsOracle},
		"logs": {streams: []string{"admin_activity_logs"}, routes: []string{"logs"}, hold: func(b *testBed) {
			oracletest.CompareStreams(b.t, b.space, b.runner.Dir.Current(), "admin_activity_logs")
		}},
		"companies": {streams: []string{"companies", "companies_listed", "companies_by_id"}, routes: []string{"companies"}, hold: func(b *testBed) {
			b.reader.CompareTables(b.t, b.space, b.runner.Dir.Current(), nil, companyTables()[:3]...)
		}},
		"sides":   {streams: []string{"conversations", "handling_events", "side_conversations"}, routes: []string{"conversations.handling", "conversations.side"}, hold: (*testBed).equalsSides},
		"exports": {streams: []string{"reporting_*"}, routes: []string{"exports"}, hold: func(b *testBed) { b.reportsEqualOracle(reportStart) }, config: reporting},
	}
	for name, cases := range map[string][]streamCase{"lists": listCases(), "content": contentCases(), "public": publicCases()} {
		var streams, routes []string
		var tables []oracletest.Table
		for _, c := range cases {
			streams = append(append(streams, c.stream), c.with...)
			of, _, _ := strings.Cut(c.route, ".")
			if of == "conversations" { // which has a family of its own
				of = c.route
			}
			routes = append(routes, of)
			for _, table := range c.tables {
				if table.Oracle == "" {
					table.Oracle = c.stream
				}
				tables = append(tables, table)
			}
		}
		all[name] = judgedFamily{streams: streams, routes: routes, hold: func(b *testBed) { b.reader.CompareTables(b.t, b.space, b.runner.Dir.Current(), nil, tables...) }}
	}
	return all
}

func judgeTalks(b *testBed) {
	c := chatBed{contactBed{b}}
	c.equalsOracle()
	c.checkConsultations()
	c.checkDeleted()
}

func newMutantRun(t *testing.T, f judgedFamily) *mutantRun {
	t.Helper()
	j := &mutantRun{t: t, streams: f.streams, hold: f.hold,
		config: cmp.Or(f.config, strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", strings.Join(f.streams, ", "), 1))}
	c := conversationConfig(emulator.Knobs{})
	c.Seed, c.Contacts, c.Inactive, c.Activities, c.Conversations, c.Tickets = 71, 80, 20, 100, 40, 40
	j.learnFields(c)
	return j
}

// TestSampleOfWrongServersIsNoticed has a sample of make oracle-mutants: every field of the entries of one list.
func TestSampleOfWrongServersIsNoticed(t *testing.T) {
	t.Parallel()
	j := newMutantRun(t, judgedFamilies()["logs"])
	list := slices.DeleteFunc(j.listServers("logs"), func(m wrongServer) bool { return m.list || m.how == nulled })
	j.judgeServers(list)
	seen := 0
	for m, fate := range j.fates {
		switch fate {
		case compared:
			seen++
		case missed:
			t.Errorf("nobody noticed %s", m)
		}
	}
	if seen < 8 {
		t.Errorf("of %d wrong servers the tables show %d", len(list), seen)
	}
}

// TestWrongServers is make oracle-mutants: every wrong server of every family. Its results are kept for the page of the oracle.
func TestWrongServers(t *testing.T) {
	if os.Getenv("AQUEDUCK_ORACLE_MUTANTS") == "" {
		t.Skip("make oracle-mutants runs it")
	}
	for name, f := range judgedFamilies() {
		if only := os.Getenv("AQUEDUCK_ONLY"); !strings.Contains(name, only) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newMutantRun(t, f)
			list := j.listServers(f.routes...)
			var before mutantSummary
			if os.Getenv("AQUEDUCK_MISSED") != "" { // only the servers that were missed last time
				before = readSummary(t, name)
				list = slices.DeleteFunc(list, func(m wrongServer) bool { return !slices.Contains(before.Missed, m.String()) })
			}
			t.Logf("%d wrong servers, %d change nothing", len(list), j.same)
			j.judgeServers(list)
			result := j.sumFates(before)
			result.Day, result.Commit = time.Now().UTC().Format("2 January 2006"), os.Getenv("AQUEDUCK_COMMIT")
			t.Logf("%d runs: %v", j.runs, result.Counts)
			text, err := json.MarshalIndent(result, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(judgments, name+".json"), append(text, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// readSummary returns the results of a family that make oracle-mutants has kept; none before its first run.
func readSummary(t *testing.T, name string) (j mutantSummary) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(judgments, name+".json"))
	if os.IsNotExist(err) {
		return j
	}
	if err != nil || json.Unmarshal(text, &j) != nil {
		t.Fatalf("read the judgment of %s: %v", name, err)
	}
	return j
}

// mutantSummary is the result for a family's wrong servers.
type mutantSummary struct {
	Day     string         // of the run; "": an early one, of unwrittenDay
	Commit  string         // the commit that was tried; "": not recorded
	Counts  map[string]int // by result
	Same    int            // servers whose answers are all unchanged
	Runs    int
	Missed  []string
	Ignored []string
}

// sumFates adds up results. Those of an earlier run stay, except for servers that were judged again.
func (j *mutantRun) sumFates(before mutantSummary) mutantSummary {
	sum := mutantSummary{Counts: map[string]int{}, Same: j.same, Runs: before.Runs + j.runs, Ignored: before.Ignored}
	for fate, n := range before.Counts {
		if fate != missed {
			sum.Counts[fate] = n
		}
	}
	for m, fate := range j.fates {
		sum.Counts[fate]++
		switch fate {
		case missed:
			sum.Missed = append(sum.Missed, m.String())
		case ignored:
			sum.Ignored = append(sum.Ignored, m.String())
		}
	}
	slices.Sort(sum.Missed)
	slices.Sort(sum.Ignored)
	return sum
}
