package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOriginsAreLinesVariablesFlagsAndDefaults checks the origins of everything that a pipeline's run uses, and that they contain no values.
func TestOriginsAreLinesVariablesFlagsAndDefaults(t *testing.T) {
	t.Parallel()
	c, err := configOf(t, map[string]string{"token": "dG9rOjEyMzQ1Njc4", "pipelines.yaml": `version: 1
warehouse: {dir: "${DIR:-data}", publish: {keep: 3}}
workspaces:
  main: {base_url: emulator}
  acme:
    base_url: ${ACME_URL}
    token: ${file:token}
pipelines:
  nightly: {streams: [contacts], workspaces: acme, max_time: &long 5h}
  weekly:
    streams: contacts
    max_time: *long
alerts: {ops: {ping: "${PING}"}}
`}, "DIR", "of-secrets", "ACME_URL", "https://secret.example.com", "PING", "https://ping.example.com")
	if err != nil {
		t.Fatal(err)
	}
	c.SetProvenance("warehouse.dir", "flag --dir")
	told := func(pipeline string) (lines []string) {
		p, _ := c.Pipeline(pipeline)
		for _, o := range c.OriginsOf(p) {
			lines = append(lines, o.Setting+" "+strings.ReplaceAll(o.From, c.File, "FILE"))
		}
		return lines
	}
	want := []string{"version FILE:1", "warehouse.dir flag --dir", "warehouse.timezone default", "warehouse.memory default", "warehouse.publish.first default", "warehouse.publish.every default",
		"warehouse.publish.keep FILE:2", "warehouse.publish.max_loss default", "warehouse.parquet default", "workspaces.acme.base_url FILE:6, variable ACME_URL", "workspaces.acme.token FILE:7, file token",
		"workspaces.acme.api_version default", "workspaces.acme.version_header default", "personal default", "pipelines.nightly.streams FILE:9", "pipelines.nightly.workspaces FILE:9",
		"pipelines.nightly.max_time FILE:9", "pipelines.nightly.max_requests default", "pipelines.nightly.catch_up default", "pipelines.nightly.retry default", "pipelines.nightly.overlap default"}
	if diff := cmp.Diff(want, told("nightly")); diff != "" {
		t.Error(diff)
	}
	if all := fmt.Sprint(told("weekly")); !strings.Contains(all, "pipelines.weekly.max_time FILE:12") || !strings.Contains(all, "workspaces.main.base_url FILE:4") {
		t.Errorf("of the other: %s", all)
	}
	if all := fmt.Sprint(c.origins); strings.Contains(all, "secret") || strings.Contains(all, "dG9r") || strings.Contains(all, "5h") {
		t.Errorf("a value is told: %s", all)
	}
}
