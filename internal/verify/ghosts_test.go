package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"aqueduck/internal/config"
)

// TestGhostsOfUnreportedDeletionsNameTheStreams: a full refresh does not remove them, another stream does.
func TestGhostsOfUnreportedDeletionsNameTheStreams(t *testing.T) {
	t.Parallel()
	for streams, want := range map[string]string{
		"contacts":                     "add deleted_contacts and contact_activities, which report deleted contacts, to a pipeline, then: aqueduck sync",
		"contacts, contact_activities": "add deleted_contacts, which report deleted contacts, to a pipeline, then: aqueduck sync",
		"contacts, contact_activities, deleted_contacts": "",
	} {
		file := filepath.Join(t.TempDir(), "pipelines.yaml")
		text := fmt.Sprintf("version: 1\nworkspaces: {main: {base_url: emulator}}\npipelines: {nightly: {streams: [%s]}}\n", streams)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, _, err := config.LoadConfig(file, func(string) (string, bool) { return "", false })
		if err != nil {
			t.Fatal(err)
		}
		found := []Finding{{Workspace: "main", Stream: "contacts", Kind: "ghost"}, {Workspace: "main", Stream: "contacts", Kind: "stale"}, {Workspace: "main", Stream: "tags", Kind: "ghost"}}
		adviseOnGhosts(c, found)
		if found[0].Next != want || found[1].Next != "" || found[2].Next != "" {
			t.Errorf("%s: %+v", streams, found)
		}
	}
}
