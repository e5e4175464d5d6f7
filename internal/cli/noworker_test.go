//go:build !worker

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/problem"
)

// TestAWorkerRefusesWhatItCannotRun: a configuration without times, workspaces that share a directory, and a program without the worker. It connects to
// nothing and makes nothing.
func TestAWorkerRefusesWhatItCannotRun(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ warehouse, schedule, flags, said, next string }{
		"no times":          {`{dir: "data/${AQUEDUCK_WORKSPACE}"}`, "", "--temporal 127.0.0.1:1", "has a schedule", "give a pipeline one"},
		"one directory":     {`{dir: data}`, `schedule: "0 2 * * *", `, "--temporal 127.0.0.1:1", "share one warehouse.dir", "${AQUEDUCK_WORKSPACE}"},
		"one prefix":        {`{dir: "data/${AQUEDUCK_WORKSPACE}", remote: "s3://bucket/w"}`, `schedule: "0 2 * * *", `, "--temporal 127.0.0.1:1", "warehouse.remote", "${AQUEDUCK_WORKSPACE}"},
		"own catalogs":      {`{dir: "data/${AQUEDUCK_WORKSPACE}", mirror: {location: "s3://bucket/lake"}}`, `schedule: "0 2 * * *", `, "--temporal 127.0.0.1:1", "warehouse.mirror.catalog is not set", "postgres://HOST:PORT/DATABASE"},
		"no such program":   {`{dir: "data/${AQUEDUCK_WORKSPACE}"}`, `schedule: "0 2 * * *", `, "--temporal 127.0.0.1:1", "built without the worker", "make build-worker"},
		"no address":        {`{dir: data}`, "", "", "--temporal ADDRESS is missing", "worker --help"},
		"nothing at a time": {`{dir: data}`, "", "--temporal 127.0.0.1:1 --parallel 0", "--parallel 0: expected 1 or more", "worker --help"},
	} {
		home := inDirectory(t, `version: 1
warehouse: `+test.warehouse+`
workspaces:
  eu: {base_url: "http://127.0.0.1:1", token: "${TOKEN}"}
  us: {base_url: "http://127.0.0.1:1", token: "${TOKEN}"}
pipelines: {nightly: {`+test.schedule+`streams: [contacts]}}
`)
		a, _, stderr := inProcess(append(strings.Fields("worker "+test.flags), "-f", filepath.Join(home, "pipelines.yaml"))...)
		a.Lookup = func(name string) (string, bool) { return "word", name == "TOKEN" }
		code, want := runCommand(t.Context(), a), problem.ExitConfig
		if strings.Contains(test.next, "--help") {
			want = problem.ExitUsage
		}
		if strings.Contains(stderr.String(), "every worker has its own data") {
			t.Errorf("%s: it warns about a worker that it has not: %s", name, stderr)
		}
		if code != want || !strings.Contains(stderr.String(), test.said) || !strings.Contains(stderr.String(), test.next) {
			t.Errorf("%s: it ended with %d: %s", name, code, stderr)
		}
		if _, err := os.Stat(filepath.Join(home, "data")); err == nil {
			t.Errorf("%s: it made the warehouse", name)
		}
	}
}
