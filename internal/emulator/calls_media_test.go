package emulator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// workspace-api 4.11 and 7, traps T88 and T90.
func TestT88RecordingsAndTranscriptsAreServedWhenTheyExist(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 3, Calls: 60})
	lines := map[any]int{}
	for _, line := range c.w.Oracle("call_transcript_lines") {
		lines[line["call_id"]]++
	}
	heard, read := 0, 0
	for _, call := range c.w.Oracle("calls") {
		path := "/calls/" + call["id"].(string)
		address, _ := call["recording_url"].(string)
		r := c.do("GET", path+"/recording", nil)
		if to := r.header.Get("Location"); address != "" {
			if heard++; r.status != 302 || !strings.HasPrefix(to, address+"?") {
				t.Errorf("4.11: %s/recording: %d %s", path, r.status, to)
			}
		} else if r.status != 404 || to != "" {
			t.Errorf("7: %s/recording, which is not there: %d", path, r.status)
		}
		var transcript []map[string]any
		if r = c.do("GET", path+"/transcript", nil); json.Unmarshal(r.raw, &transcript) != nil || r.status != 200 {
			t.Fatalf("4.11: %s/transcript: %d %s", path, r.status, r.raw)
		}
		if n := lines[call["id"]]; n > 0 && len(transcript) == n {
			read++
		} else if string(r.raw) != "[{}]" || n > 0 {
			t.Errorf("4.11: %d lines of %d: %s", len(transcript), n, r.raw)
		}
	}
	if heard == 0 || read == 0 || read == len(c.w.Oracle("calls")) {
		t.Errorf("%d calls heard, %d read", heard, read)
	}
	for _, what := range []string{"recording", "transcript"} {
		if r := c.do("GET", "/calls/none/"+what, nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("7: the %s of no call: %d", what, r.status)
		}
	}
}

// workspace-api 4.11.
func TestAContactIsFoundByItsExternalID(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	id := c.createContact("user", setField("external_id", "mine-1"))
	r := c.do("GET", "/contacts/find_by_external_id/mine-1", nil)
	if _, hasField := r.json["email_verified"]; r.json["id"] != id || !hasField {
		t.Errorf("found %s", r.raw)
	}
	failOn(t, c.w.ArchiveContact(id))
	if r := c.do("GET", "/contacts/find_by_external_id/mine-1", nil); r.status != 404 || r.errorCode() != "not_found" {
		t.Errorf("7: an archived one: %d", r.status)
	}
}
