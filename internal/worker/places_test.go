package worker

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/config"
	"aqueduck/internal/schedule"
)

// TestLinesMeanTheSameToTemporal: of the lines that a cron line becomes, each restricts days by one field at most, and all together have its times.
func TestLinesMeanTheSameToTemporal(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{"0 2 * * *": 1, "*/15 3 1,15 * 1": 2, "5 4 ? * MON-FRI": 1, "0 0 */2 * 7": 2, "0 6 13 JAN-JUN 5": 2, "30 1 */1 * 0": 1} {
		whole, err := schedule.Parse(line, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		lines := splitLine(line)
		if len(lines) != want {
			t.Errorf("%s becomes %q", line, lines)
		}
		var parts []*schedule.Schedule
		for _, l := range lines {
			part, err := schedule.Parse(l, time.UTC)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, part)
		}
		for at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() == 2026; {
			next := whole.Next(at)
			var first time.Time
			for _, part := range parts {
				if n := part.Next(at); first.IsZero() || n.Before(first) {
					first = n
				}
			}
			if !first.Equal(next) {
				t.Fatalf("%s after %s: %s, and %q: %s", line, at, next, lines, first)
			}
			at = next
		}
	}
}

// loadText reads a configuration.
func loadText(t *testing.T, text string) *config.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pipelines.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := config.LoadConfig(file, func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const several = `version: 1
workspaces:
  eu: {base_url: "https://eu.example.com", token: "${EU_TOKEN}"}
  us: {base_url: "https://us.example.com", token: "${US_TOKEN}"}
  by_hand: {base_url: "https://it.example.com", token: "${IT_TOKEN}"}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [contacts], workspaces: [eu, us], jitter: 10m}
  weekly: {schedule: "0 4 1 * 0", streams: [calls], workspaces: [us]}
  sometimes: {streams: [tags]}
`

func TestAWorkspaceHasTheTimesOfItsPipelines(t *testing.T) {
	t.Parallel()
	c := loadText(t, several)
	want := []Place{
		{Workspace: "eu", Lines: []string{"0 2 * * *"}, Jitter: 10 * time.Minute},
		{Workspace: "us", Lines: []string{"0 2 * * *", "0 4 1 * *", "0 4 * * 0"}, Jitter: 10 * time.Minute, Queue: true},
	}
	if diff := cmp.Diff(want, ListPlaces(c)); diff != "" {
		t.Error(diff)
	}
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }
	for _, test := range []struct {
		workspace string
		at        time.Time
		want      []string
	}{
		{"us", at(3, 2), []string{"nightly"}},
		{"us", at(8, 4), []string{"weekly"}},
		{"us", at(3, 2).Add(time.Second), []string{"nightly", "weekly", "sometimes"}}, // by hand
		{"us", time.Time{}, []string{"nightly", "weekly", "sometimes"}},
		{"eu", at(8, 2), []string{"nightly"}},
		{"nobody", at(8, 2), nil},
	} {
		if got := DuePipelines(c, test.workspace, test.at); !slices.Equal(got, test.want) {
			t.Errorf("%s at %s: %q", test.workspace, test.at, got)
		}
	}
}
