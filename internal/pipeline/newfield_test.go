package pipeline_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"aqueduck/internal/alert"
	"aqueduck/internal/emulator"
	"aqueduck/internal/runner"
	pipelinesync "aqueduck/internal/sync"
)

// TestNewFieldIsReportedOnce adds unknown fields after a first run. The first run itself reports none.
func TestNewFieldIsReportedOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var told []alert.Message
	desk := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m alert.Message
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		told = append(told, m)
	}))
	defer desk.Close()
	b := newBed(t, tinyConfig(74))
	b.runner.Alerts = &alert.Sender{State: filepath.Join(t.TempDir(), "alerts.json"), Now: b.runner.Now, Wait: b.runner.Wait, Log: b.runner.Log,
		Targets: []alert.Target{{Name: "ops", Webhook: desk.URL, On: alert.Kinds}}}
	for i := range 3 {
		if i == 1 {
			b.space.SetKnobs(func(k *emulator.Knobs) { k.NoGzip = true })
			b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer := httptest.NewRecorder()
				b.space.ServeHTTP(answer, r)
				text := strings.ReplaceAll(answer.Body.String(), `"role":`, `"brand_new":1,"role":`)
				maps.Copy(w.Header(), answer.Header())
				w.Header().Set("Content-Length", strconv.Itoa(len(text)))
				w.WriteHeader(answer.Code)
				_, _ = io.WriteString(w, text) // the client may be gone
			})
		}
		b.space.SimulateHours(24)
		if _, err := pipelinesync.Run(t.Context(), b.runner, b.runner.Config.Pipelines[0], runner.Options{}, io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	if len(told) != 1 || told[0].Event != alert.Changed || !slices.ContainsFunc(told[0].Changes, func(c string) bool {
		return strings.HasPrefix(c, "main.contacts_raw: a field without a column: it is in _extra, at brand_new")
	}) {
		t.Errorf("told %+v; want the new fields of contacts, once", told)
	}
}
