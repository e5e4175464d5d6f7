package pipeline_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/emulator"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// streamStates lists the streams of a report with their status.
func streamStates(r *runlog.Report) (all []string) {
	for _, s := range r.Streams {
		all = append(all, s.Stream+" "+string(s.Status))
	}
	return all
}

func TestDatasetsAreChosenByNameAndPattern(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	for _, c := range []struct {
		o    runner.Options
		want string
	}{
		{runner.Options{Select: []string{"reporting_conversation"}}, "reporting_conversation ok"},
		{runner.Options{Select: []string{"*_state"}, Exclude: nil}, ""},
		{runner.Options{Select: []string{"reporting_*_state"}}, "reporting_conversation_state ok"},
		{runner.Options{Select: []string{"*.reporting_*_state"}}, "reporting_conversation_state ok"},
		{runner.Options{Exclude: []string{"reporting_conv*"}}, "reporting_admin_status_change ok"},
		{runner.Options{Select: []string{"reporting_nothing"}}, "reporting_nothing FAILED"},
	} {
		if c.want == "" {
			if _, err := b.runner.ChoosePipelines(nil, c.o); err == nil {
				t.Errorf("%+v was taken", c.o)
			}
			continue
		}
		if got := strings.Join(streamStates(b.trySync(c.o)), " "); got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
	b.writeConfig(strings.Replace(onlyDataset(reporting, "reporting_conversation, reporting_conversatoin"), `"reporting_*"`, "reporting_conversation", 1))
	report := b.trySync(runner.Options{})
	if got := strings.Join(streamStates(report), " "); got != "reporting_conversation ok reporting_conversatoin FAILED" || report.Exit() != problem.ExitFailed {
		t.Errorf("a name that no dataset has: %s", got)
	}
	if next := report.Streams[1].Next; !strings.Contains(next, "reporting_admin_status_change, ") || !strings.Contains(next, "reporting_conversation, ") {
		t.Errorf("its next step names no dataset: %s", next)
	}
}

func TestWorkspaceWithoutExportsKeepsItsRows(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	b.writeConfig(strings.Replace(reporting, `["reporting_*"]`, `["reporting_*", contacts]`, 1))
	b.syncOnce(runner.Options{})
	before := b.queryRows("SELECT count(*) FROM reporting_conversation")
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = []string{"exports.datasets"} })
	report := b.trySync(runner.Options{})
	if s := streamResult(t, report, "reporting_conversation"); s.Status != runlog.StatusUnavailable || s.Class != "plan" || !s.Lost || report.Exit() != problem.ExitFailed {
		t.Errorf("%v %+v", streamStates(report), s)
	}
	if report := b.trySync(runner.Options{}); report.Exit() != problem.ExitOK || streamResult(t, report, "reporting_conversation").Lost {
		t.Errorf("told of again: %v", streamStates(report))
	}
	if after := b.queryRows("SELECT count(*) FROM reporting_conversation"); !slices.Equal(after, before) {
		t.Errorf("%s rows, %s before", after, before)
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = []string{"exports.enqueue"} })
	b.space.SimulateHours(24)
	if report := b.trySync(runner.Options{}); report.Count(runlog.StatusUnavailable) != 3 {
		t.Errorf("%v", streamStates(report))
	}
}

func TestDatasetColumnsAreMaskedByPatternAndByName(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{}).publishingLake()
	b.writeConfig(strings.Replace(reporting, "{start: 2024-05-06}", "{start: 2024-05-06, hash: [contact_name], drop: [teammate]}", 1))
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(contact_name) > 10, bool_and(contact_name ~ '^[0-9a-f]{32,}$') FROM reporting_conversation"); !slices.Equal(got, []string{"true|true"}) {
		t.Errorf("hashed: %v", got)
	}
	if got := b.queryRows("SELECT count(teammate), count(*) > 10 FROM reporting_admin_status_change"); !slices.Equal(got, []string{"0|true"}) {
		t.Errorf("dropped: %v", got)
	}
	b.writeConfig(strings.Replace(reporting, `"reporting_*": {start: 2024-05-06}`, "reporting_conversation: {start: 2024-05-06, hash: [contact_nmae]}", 1))
	report := b.trySync(runner.Options{})
	if s := streamResult(t, report, "reporting_conversation"); s.Status != runlog.StatusFailed || s.Class != "config" || report.Count(runlog.StatusFailed) != 1 {
		t.Errorf("a column that is not there: %v %+v", streamStates(report), s)
	}
}

func TestDatasetCheckpointIsRewoundAndReset(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	b.syncOnce(runner.Options{})
	yes := func([]admin.Move) (bool, error) { return true, nil }
	rows := b.queryRows("SELECT count(*) FROM reporting_conversation")
	if err := admin.Rewind(context.Background(), b.runner, "", "reporting_conversation", reportStart.AddDate(0, 0, 3), yes); err != nil {
		t.Fatal(err)
	}
	if got := b.queryRows("SELECT count(*) FROM reporting_conversation"); !slices.Equal(got, rows) {
		t.Errorf("%s rows after the mark moved, %s before", got, rows)
	}
	report := b.syncOnce(runner.Options{})
	if s := streamResult(t, report, "reporting_conversation"); s.Extracted < 100 || s.Rows != 0 {
		t.Errorf("after the mark moved: %+v", s)
	}
	if err := admin.Reset(context.Background(), b.runner, "", "reporting_conversation", yes); err != nil {
		t.Fatal(err)
	}
	report = b.syncOnce(runner.Options{})
	if s := streamResult(t, report, "reporting_conversation"); s.Extracted < 100 || s.Rows != 0 {
		t.Errorf("after it was forgotten: %+v", s)
	}
	b.reportsEqualOracle(reportStart)
	for _, unknown := range []string{"reporting_nothing", "nothing_*"} {
		if err := admin.Reset(context.Background(), b.runner, "", unknown, yes); err == nil || !strings.Contains(err.Error(), "no stream") {
			t.Errorf("%s was reset: %v", unknown, err)
		}
	}
	// The name of the family and a pattern mean each of its datasets, as for --select.
	for _, several := range []string{"reporting", "reporting_*"} {
		var names []string
		no := func(moves []admin.Move) (bool, error) {
			for _, m := range moves {
				names = append(names, m.Stream)
			}
			return false, nil
		}
		err := admin.Reset(context.Background(), b.runner, "", several, no)
		if slices.Sort(names); err != nil || !slices.Contains(names, "reporting_conversation") || slices.Contains(names, "contacts") {
			t.Errorf("%s means %v: %v", several, names, err)
		}
	}
}

func TestEarlierStartExtendsTheBackfill(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	b.syncOnce(runner.Options{})
	b.writeConfig(strings.Replace(reporting, "2024-05-06", "2024-03-01", 1))
	b.syncOnce(runner.Options{})
	b.reportsEqualOracle(time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC))
}

func TestExportPlanSendsNoRequestOffline(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{})
	planned := func(ask plan.Asking) string {
		p, err := plan.Make(context.Background(), b.runner, b.runner.Config.Pipelines, runner.Options{}, ask)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range p.Streams {
			all = append(all, s.Stream)
		}
		return strings.Join(all, " ")
	}
	const three = "reporting_conversation reporting_admin_status_change reporting_conversation_state"
	if got := planned(plan.AskNone); got != "reporting_*" || b.space.RequestCount() != 0 {
		t.Errorf("before the first run: %s, %d requests", got, b.space.RequestCount())
	}
	if got := planned(plan.AskAll); got != three {
		t.Errorf("asked: %s", got)
	}
	b.syncOnce(runner.Options{})
	if got := strings.Fields(planned(plan.AskNone)); len(got) != 3 {
		t.Errorf("after a run: %v", got)
	}
}

// TestLakeHasDatasetTables reads the Parquet files of a run that read no dataset, after one that did.
func TestLakeHasDatasetTables(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := exportBed(t, emulator.ExportKnobs{}).publishingAll()
	b.writeConfig(strings.Replace(reporting, `["reporting_*"]`, `["reporting_*", contacts]`, 1))
	b.syncOnce(runner.Options{})
	b.space.SimulateHours(5)
	b.syncOnce(runner.Options{Select: []string{"contacts"}})
	if got := b.queryRows("SELECT count(*) FROM _sync.dictionary WHERE table_name = 'reporting_conversation' AND doc = 'CSAT score, %'"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("the dictionary has lost the table: %v", got)
	}
	manifest, err := os.ReadFile(filepath.Join(b.runner.Dir.Lake("main"), "_manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"conversation", "admin_status_change", "conversation_state"} {
		if !strings.Contains(string(manifest), `"reporting_`+set+`"`) {
			t.Errorf("the lake has no %s: %s", set, manifest)
		}
	}
}
