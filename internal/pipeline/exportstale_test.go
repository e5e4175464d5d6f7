package pipeline_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// TestF19ADatasetThatLeavesTheListFails: its table would stay as it is, and look current.
func TestF19ADatasetThatLeavesTheListFails(t *testing.T) {
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{})
	b.syncOnce(runner.Options{})
	for name, kept := range map[string]func(id any) bool{
		"one":  func(id any) bool { return id != "conversation" },
		"none": func(any) bool { return false },
	} {
		b.answerWith("exports.datasets", func(body []byte) []byte {
			var answer map[string]any
			b.failOn(json.Unmarshal(body, &answer))
			for field, value := range answer {
				list, ok := value.([]any)
				if !ok {
					continue
				}
				some := []any{}
				for _, set := range list {
					if kept(set.(map[string]any)["id"]) {
						some = append(some, set)
					}
				}
				answer[field] = some
			}
			text, err := json.Marshal(answer)
			b.failOn(err)
			return text
		})
		b.space.SimulateHours(24)
		report := b.trySync(runner.Options{})
		s := streamResult(t, report, "reporting_conversation")
		if report.Exit() != problem.ExitFailed || s.Status != runlog.StatusFailed || !strings.Contains(s.Error, `dataset "conversation" is not in the list`) {
			t.Errorf("%s: %s %+v", name, report.LastLine(), s)
		}
	}
}

// TestT108AJobOfAnotherAPIVersionIsGivenUp: its days would count as the end of the history, and the newer ones would never be read again.
func TestT108AJobOfAnotherAPIVersionIsGivenUp(t *testing.T) {
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{})
	config := strings.Replace(onlyDataset(reporting, "reporting_conversation"), "{start: 2024-05-06}", "{start: 2024-05-06, refresh: 2d}", 1)
	b.writeConfig(strings.Replace(config, `"2.17"`, `"2.16"`, 1))
	left := false
	for n := 0; n < 20 && !left; n++ {
		b.trySync(runner.Options{MaxRequests: 8})
		states, err := runlog.ReadStates(t.Context(), b.runner.Dir, nil)
		b.failOn(err)
		left = strings.Contains(states[0].State, `"kind":"history"`)
	}
	if !left {
		t.Fatal("no run left a job of the history")
	}
	b.writeConfig(config)
	b.syncOnce(runner.Options{})
	b.reportEqualsOracle("conversation", reportStart)
}

// TestARemovedStartOfExportsReadsTheUsualHistory, as of streams that are searched.
func TestARemovedStartOfExportsReadsTheUsualHistory(t *testing.T) {
	t.Parallel()
	withoutStart := strings.Replace(onlyDataset(reporting, "reporting_conversation"), "{start: 2024-05-06}", "{refresh: 2d}", 1)
	stored := func(configs ...string) string {
		b := exportBed(t, emulator.ExportKnobs{})
		for _, config := range configs {
			b.writeConfig(config)
			b.syncOnce(runner.Options{})
		}
		return b.queryRows("SELECT count(*) || ' from ' || min(_time) FROM reporting_conversation")[0]
	}
	if got, want := stored(strings.Replace(withoutStart, "{refresh", "{start: 2024-06-10, refresh", 1), withoutStart), stored(withoutStart); got != want {
		t.Errorf("%s after the start was removed, without one ever %s", got, want)
	}
}

// TestAnExplicitWindowOfExportsReadsNoHistoryDownToIt: only the days of the window were asked for.
func TestAnExplicitWindowOfExportsReadsNoHistoryDownToIt(t *testing.T) {
	t.Parallel()
	b := exportBed(t, emulator.ExportKnobs{})
	b.writeConfig(strings.Replace(onlyDataset(reporting, "reporting_conversation"), "{start: 2024-05-06}", "{start: 2024-06-10, refresh: 2d}", 1))
	b.syncOnce(runner.Options{})
	b.syncOnce(runner.Options{Since: time.Date(2024, 5, 8, 0, 0, 0, 0, time.UTC), Until: time.Date(2024, 5, 12, 0, 0, 0, 0, time.UTC)})
	b.space.Advance(24 * time.Hour)
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM reporting_conversation WHERE _time BETWEEN '2024-05-17' AND '2024-06-09'"); got[0] != "0" {
		t.Errorf("%s rows of days that nobody asked for", got[0])
	}
}

// TestARefusedExportOfOldDaysKeepsNoNewDayOut: the source no longer has the rows of May. A run that reads May again, or its refresh, fails; new days are read.
func TestARefusedExportOfOldDaysKeepsNoNewDayOut(t *testing.T) {
	t.Parallel()
	for _, refresh := range []string{"2d", "35d"} {
		t.Run(refresh, func(t *testing.T) {
			t.Parallel()
			b := exportBed(t, emulator.ExportKnobs{})
			b.writeConfig(strings.Replace(onlyDataset(reporting, "reporting_conversation"), "{start: 2024-05-06}", "{start: 2024-05-06, refresh: "+refresh+"}", 1))
			b.syncOnce(runner.Options{})
			b.loseRowsBefore(time.Date(2024, 5, 25, 0, 0, 0, 0, time.UTC))
			if refresh == "2d" {
				b.trySync(runner.Options{Since: time.Date(2024, 5, 6, 0, 0, 0, 0, time.UTC), Until: time.Date(2024, 5, 20, 0, 0, 0, 0, time.UTC)})
			}
			for range 2 {
				b.space.SimulateHours(24)
				b.trySync(runner.Options{})
				if s := b.queryRows("SELECT max(_time) > TIMESTAMPTZ '" + b.space.CurrentTime().Add(-24*time.Hour).UTC().Format(time.RFC3339) + "' FROM reporting_conversation"); s[0] != "true" {
					t.Errorf("the newest day was not read")
				}
			}
		})
	}
}

// loseRowsBefore makes all export files lack the rows of earlier times.
func (b *testBed) loseRowsBefore(limit time.Time) {
	number := regexp.MustCompile(`\b17\d{8}\b`)
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Export.File.Form = "csv"
		k.Export.File.Spoil = func(file []byte) []byte {
			rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll()
			b.failOn(err)
			var out bytes.Buffer
			w := csv.NewWriter(&out)
			w.UseCRLF = true
			for i, row := range rows {
				at, err := strconv.ParseInt(number.FindString(strings.Join(row, " ")), 10, 64)
				if i == 0 || err == nil && at >= limit.Unix() {
					b.failOn(w.Write(row))
				}
			}
			w.Flush()
			return out.Bytes()
		}
	})
}
