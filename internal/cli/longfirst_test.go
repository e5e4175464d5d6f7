package cli

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/lane"
)

// TestALongFirstSync: it starts, the machine stops, max_time is changed, and at last it is complete. The percentage never falls.
func TestALongFirstSync(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("its processes would take minutes under the race detector: make test-all runs it")
	}
	const config = `version: 1
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", requests_per_minute: 6}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [contacts], max_time: 8m}
`
	n := newNights(t, 6000, config)
	token := "WORKSPACE_TOKEN=token-of-before"
	n.moveClockTo("2026-11-20 02:00")
	n.recordCommand("the first run", token, "sync", "nightly", "-q")
	n.recordCommand("how far it is", token, "status")
	n.stopAt = n.space.CurrentTime().Add(3 * time.Minute)
	n.recordCommand("it goes on, and the machine stops", token, "sync", "nightly", "-q")
	n.recordCommand("how far it is then", token, "status")
	n.writeConfig(strings.Replace(config, "8m", "1h", 1))
	n.recordCommand("with more time", token, "sync", "nightly", "-q")
	n.recordCommand("done", token, "status")
	// The exact number of requests within a time is not known.
	told := regexp.MustCompile(`(exit )?-?\d[\d,:]*`).ReplaceAllStringFunc(n.story.String(), func(text string) string {
		if strings.HasPrefix(text, "exit") {
			return text
		}
		return "N"
	})
	told = regexp.MustCompile(`(N[hms]|N\.N[ms]|T\.Ts)+`).ReplaceAllString(told, "TIME")
	n.compareStory("testdata/longfirst.txt", regexp.MustCompile(`(\S)  +`).ReplaceAllString(told, "$1  "))
	last := 0
	for _, m := range regexp.MustCompile(`backfill=(\d+)%|, (\d+)%\n`).FindAllStringSubmatch(n.story.String(), -1) {
		percent, err := strconv.Atoi(m[1] + m[2])
		if err != nil || percent < last {
			t.Errorf("%s after %d %%: %v", m[0], last, err)
		}
		last = percent
	}
	if last != 100 {
		t.Errorf("it ended at %d %%", last)
	}
}
