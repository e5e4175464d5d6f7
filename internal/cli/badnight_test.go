package cli

import (
	"testing"
	"time"

	"aqueduck/internal/lane"
)

// TestABadNight: the API is down for forty minutes, then the token is revoked, and in the next night the disk is full.
func TestABadNight(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("its processes would take minutes under the race detector: make test-all runs it")
	}
	n := newNights(t, 60, `version: 1
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [contacts, deleted_contacts, contact_activities]}
alerts:
  ops: {ping: "${PING_URL}", webhook: "${HOOK_URL}"}
`)
	n.moveClockTo("2026-11-20 02:00")
	old, look := "WORKSPACE_TOKEN=token-of-before", []string{"query", "-o", "csv", "SELECT count(*) AS contacts, max(updated_at) AS newest FROM contacts"}
	n.recordCommand("a good night", old, "sync", "nightly", "-q")

	n.outage = [2]time.Time{time.Date(2026, 11, 21, 2, 10, 0, 0, time.UTC), time.Date(2026, 11, 21, 2, 50, 0, 0, time.UTC)}
	n.space.SimulateHours(24)
	n.moveClockTo("2026-11-21 02:10")
	n.recordCommand("the API is away", old, "sync", "nightly", "-q")
	n.moveClockTo("2026-11-21 02:50")
	n.space.RotateToken("token-of-after")
	n.recordCommand("the token is revoked", old, "sync", "nightly", "-q")
	n.moveClockTo("2026-11-21 08:00")
	n.recordCommand("the operator in the morning", old, "status")
	n.recordCommand("the analyst meanwhile", old, look...)

	n.moveClockTo("2026-11-22 02:00")
	healed := "WORKSPACE_TOKEN=token-of-after"
	n.recordCommand("the disk is full", healed+" DISK_KIB=1500", "sync", "nightly", "-q")
	n.moveClockTo("2026-11-22 08:00")
	n.recordCommand("the operator in the morning", healed, "status")
	n.recordCommand("the analyst meanwhile", healed, look...)
	n.recordCommand("the one command that heals it", healed, "sync", "nightly")
	n.recordCommand("the analyst at last", healed, look...)
	n.compareStory("testdata/badnight.txt", n.story.String())
}
