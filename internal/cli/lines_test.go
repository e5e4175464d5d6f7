package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// linesOfJSON fails for each line of stderr that is no JSON, and returns the messages with their fields.
func linesOfJSON(t *testing.T, stderr string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(stderr) {
		var said map[string]any
		if err := json.Unmarshal([]byte(line), &said); err != nil || said["msg"] == nil {
			t.Errorf("no line of the log: %q", line)
		}
		if _, err := time.Parse(time.RFC3339Nano, fmt.Sprint(said["time"])); err != nil {
			t.Errorf("%v in %q", err, line) // a key that is there twice, too
		}
		all = append(all, said)
	}
	return all
}

// TestServeWritesOnlyJSONLinesToPrograms: its addresses, the output of commands after a run, and the error of a failed night.
func TestServeWritesOnlyJSONLinesToPrograms(t *testing.T) {
	t.Parallel()
	h := newHost(t, date2026(time.March, 2, 0, 0), strings.Replace(served, "schedule:", `after: ['echo "{changed"; printf "%s\n\nhalf" "$AQUEDUCK_PIPELINE"; exit 3'], retry: none, schedule:`, 1))
	h.env = []string{"AQUEDUCK_LOG_FORMAT=json", "AQUEDUCK_METRICS=127.0.0.1:0"}
	h.before = func(w http.ResponseWriter, _ *http.Request) bool {
		if h.clockTime().Before(date2026(time.March, 3, 0, 0)) {
			return false
		}
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	_, stderr := h.serveUntil(date2026(time.March, 3, 12, 0))
	said := linesOfJSON(t, stderr)
	for _, want := range []struct{ key, text string }{{"msg", "metrics "}, {"msg", "{changed"}, {"msg", "nightly"}, {"msg", "half"}, {"after", "nightly"}, {"class", "auth"}, {"next", "set a token"}} {
		found := false
		for _, line := range said {
			text, _ := line[want.key].(string)
			found = found || strings.HasPrefix(text, want.text)
		}
		if !found {
			t.Errorf("nothing says %s %q:\n%s", want.key, want.text, stderr)
		}
	}
}

func TestErrorsBeforeServeStartsAreJSONLines(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"../../internal/config/testdata/bad/unknown-key.yaml", "nowhere.yaml"} {
		for _, command := range []string{"serve", "sync"} {
			a, _, stderr := inProcess(command, "-f", file, "--log-format", "json")
			if code := runCommand(t.Context(), a); code != 3 {
				t.Errorf("%s of %s ended with %d", command, file, code)
			}
			said := linesOfJSON(t, stderr.String())
			if len(said) != 1 || said[0]["class"] != "config" || said[0]["level"] != "ERROR" || said[0]["next"] == "" || (said[0]["line"] == nil) != (file == "nowhere.yaml") {
				t.Errorf("%s of %s: %v", command, file, said)
			}
		}
	}
}
