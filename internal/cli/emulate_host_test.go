package cli

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/cli/emulate"
	"aqueduck/internal/runlog"
	"aqueduck/load/layout"
)

// TestASettingOfTheFirstRunWithoutEffectIsWarnedOf reads a warehouse again with other settings of its workspace, and with the same.
func TestASettingOfTheFirstRunWithoutEffectIsWarnedOf(t *testing.T) {
	t.Parallel()
	dir := layout.Dir(t.TempDir())
	if err := os.Mkdir(filepath.Dir(dir.EmulatorFile()), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		variables []string
		want      string
	}{
		{[]string{"EMULATOR_CONTACTS=10"}, ""},
		{[]string{"EMULATOR_CONTACTS=10", "EMULATOR_SEED=1", "EMULATOR_POPULATION=team"}, ""},
		{[]string{"EMULATOR_SEED=7"}, "EMULATOR_SEED=7 has no effect: the workspace of this warehouse was made with 1;"},
		{[]string{"EMULATOR_CONTACTS=20"}, "EMULATOR_CONTACTS=20 has no effect: the workspace of this warehouse was made with 10;"},
		{[]string{"EMULATOR_POPULATION=odd"}, "EMULATOR_POPULATION=odd has no effect: the workspace of this warehouse was made with team;"},
	} {
		var out bytes.Buffer
		embedded := &emulate.Embedded{Lookup: lookupIn(tt.variables), Dir: dir, Clock: runlog.NewClock(dir, time.Now), Log: slog.New(slog.NewTextHandler(&out, nil))}
		source, err := embedded.Connect()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(source.Keep(), source.Close()); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("%v: got %q, want %q", tt.variables, got, tt.want)
		}
	}
}

// TestS55EmulatorAnswersOnlyThisMachine sends requests to the emulator of a run and to emulate, under host names that resolve to them.
func TestS55EmulatorAnswersOnlyThisMachine(t *testing.T) {
	t.Parallel()
	dir := layout.Dir(t.TempDir())
	embedded := &emulate.Embedded{Lookup: lookupIn([]string{"EMULATOR_CONTACTS=10"}), Dir: dir, Clock: runlog.NewClock(dir, time.Now), Still: true}
	inside, err := embedded.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := inside.Close(); err != nil {
			t.Error(err)
		}
	})
	_, served := startEmulator(t)
	for _, url := range []string{inside.BaseURL, served} {
		for host, foreign := range map[string]bool{"": false, "localhost": false, "LOCALHOST:8080": false, "127.0.0.1": false, "[::1]:80": false, "[::1]": false,
			"rebound.example": true, "rebound.example:80": true, "localhost.example": true, "127.0.0.1.example": true, "192.0.2.1": true, "localhost.": true} {
			for _, path := range []string{"/contacts", "/_emulator/now", "/_oracle/contacts", "/"} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Host = host
				a, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				if err := a.Body.Close(); err != nil {
					t.Error(err)
				}
				if (a.StatusCode == http.StatusMisdirectedRequest) != foreign {
					t.Errorf("%s%s under the name %q is answered %s", url, path, host, a.Status)
				}
			}
		}
	}
}
