package oracletest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// reportColumns maps the columns of each dataset to attributes of the oracle.
var reportColumns = map[string][]string{
	"conversation": {"conversation_id", "created_at", "channel", "first_teammate:teammate_name", "contact_name", "time_to_first_response:time_to_first_response_seconds",
		"csat:csat_score", "state:current_state", "subject", "bot_involved:ai_agent_involved", "user_replied"},
	"admin_status_change": {"admin_id:teammate_id", "admin_name:teammate", "changed_at:status_changed_at", "status", "away_reason"},
	"conversation_state":  {"conversation_id", "state", "started_at", "ended_at", "duration:duration_minutes"},
}

// CompareReports compares the tables of all datasets, from a day on, with the oracle at this moment. Only a file with the conversations knows
// which person a row is about, and can erase that.
func CompareReports(t testing.TB, space *emulator.Workspace, file string, start time.Time) {
	t.Helper()
	withPublished(t, file, func(f publishedFile) {
		for set := range reportColumns {
			f.compareReport(space, set, start)
		}
	})
}

// CompareReport compares the table of one dataset.
func CompareReport(t testing.TB, space *emulator.Workspace, file, set string, start time.Time) {
	t.Helper()
	withPublished(t, file, func(f publishedFile) { f.compareReport(space, set, start) })
}

func (f publishedFile) compareReport(space *emulator.Workspace, set string, start time.Time) {
	f.Helper()
	ours, theirs := []string{"epoch(_time)::BIGINT"}, []string{"_time"}
	for _, c := range reportColumns[set] {
		their, our, found := strings.Cut(c, ":")
		if !found {
			our = their
		}
		ours, theirs = append(ours, our), append(theirs, their)
	}
	got := f.selectRows(fmt.Sprintf("SELECT %s FROM reporting_%s WHERE _time >= TIMESTAMPTZ '%s'", strings.Join(ours, ", "), set, start.Format(time.RFC3339)))
	there := f.selectRows("SELECT DISTINCT table_name FROM information_schema.tables WHERE table_name = 'conversations'")
	var kept *erasedRecords
	if len(there) > 0 {
		kept = findErased(space)
	}
	stream := "reporting_" + set
	var want []string
	for _, row := range space.Oracle(stream) {
		if row["_time"].(int64) < start.Unix() {
			continue
		}
		values := make([]any, len(theirs))
		for i, name := range theirs {
			values[i] = kept.storedValue(stream, name, row)
		}
		want = append(want, joinValues(values))
	}
	if len(want) == 0 {
		f.Fatalf("the oracle has no rows of %s", set)
	}
	CompareRows(f.TB, stream, got, want)
}
