package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runner"
)

// TestT87CallsAndTranscriptsEqualTheOracle reads the calls of a workspace that changes, through runs that are cut and interrupted between any two
// answers. Calls begin, end and disappear, and transcripts arrive at any time.
func TestT87CallsAndTranscriptsEqualTheOracle(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	for _, temper := range []struct {
		name  string
		knobs emulator.Knobs
	}{
		{"as usual", emulator.Knobs{}},
		{"T87 another order each hour, transcripts two days later", emulator.Knobs{CallsShuffled: true, TranscriptLate: 48 * time.Hour}},
		{"T89 some are left out", emulator.Knobs{CallsLeftOut: 0.2, NextShape: emulator.ShapeURL}},
	} {
		t.Run(temper.name, func(t *testing.T) {
			t.Parallel()
			c := tinyConfig(121)
			c.Calls, c.Knobs = 160, temper.knobs
			b := newBedWith(t, c, withStreams("calls, call_transcripts"))
			l := newLife(b, 121)
			for n := range 4 {
				b.syncAtRandom(l, n)
				b.space.SimulateHours(7)
			}
			l.stopChanges()
			b.syncOnce(runner.Options{})
			b.equalsOracle()
			b.syncOnce(runner.Options{}) // asks once more for the calls that the last run missed
			if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 || streamResult(t, report, "call_transcripts").Requests != 0 {
				t.Errorf("a quiet run: %s\n%+v", report.LastLine(), report.Streams)
			}
			if temper.knobs.TranscriptLate == 0 {
				return
			}
			b.space.Advance(15 * 24 * time.Hour)
			b.syncOnce(runner.Options{})
			b.equalsOracle()
			b.space.Advance(24 * time.Hour)
			if report := b.syncOnce(runner.Options{}); streamResult(t, report, "call_transcripts").Requests != 0 {
				t.Errorf("two weeks after the last call transcripts are still asked for: %+v", streamResult(t, report, "call_transcripts"))
			}
		})
	}
}

// TestT87ALateTranscriptIsReadOnceItIsFinal: each night's run requests the transcript until it is final, and not after that.
func TestT87ALateTranscriptIsReadOnceItIsFinal(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(122)
	c.Calls, c.TranscriptLate = 40, 9*24*time.Hour
	b := newBedWith(t, c, withStreams("calls, call_transcripts"))
	b.space.SimulateHours(3)
	b.space.Advance(2 * time.Hour)
	b.syncOnce(runner.Options{})
	pending := b.queryRows("SELECT count(*), count(DISTINCT l.call_id) FROM call_transcripts t LEFT JOIN call_transcript_lines l USING (call_id) WHERE transcript_status = 'pending'")
	if !strings.HasSuffix(pending[0], "|0") || strings.HasPrefix(pending[0], "0|") {
		t.Fatalf("pending and with lines: %v", pending)
	}
	nights := 0
	for b.queryRows("SELECT count(*) FROM call_transcripts WHERE transcript_status = 'pending'")[0] != "0" {
		if nights++; nights > 20 {
			t.Fatal("the transcripts are never final")
		}
		b.space.Advance(24 * time.Hour)
		if s := streamResult(t, b.syncOnce(runner.Options{}), "call_transcripts"); s.Requests < 1 || s.Requests > 1 {
			t.Errorf("night %d: %d requests for a handful of calls", nights, s.Requests)
		}
	}
	if nights < 8 {
		t.Errorf("final after %d nights", nights)
	}
	b.equalsOracle()
}

// TestT88CallWithoutTranscriptHasNoLines: the API sends a list of one empty object for none.
func TestT88CallWithoutTranscriptHasNoLines(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(123)
	c.Calls = 100
	b := newBedWith(t, c, withStreams("calls, call_transcripts"))
	b.syncOnce(runner.Options{})
	got := b.queryRows(`SELECT count(*) FILTER (transcript_status IS NULL) > 5, count(*) FILTER (transcript_status = 'failed') > 0, count(_extra), count(transcript_text)
		FROM call_transcripts WHERE NOT EXISTS (SELECT 1 FROM call_transcript_lines l WHERE l.call_id = call_transcripts.call_id)`)
	if got[0] != "true|true|0|0" {
		t.Errorf("none at all, failed, in _extra, as text: %v", got)
	}
	if got := b.queryRows("SELECT count(*) FROM _sync.rejects WHERE stream LIKE 'call%'"); got[0] != "0" {
		t.Errorf("%s rejects", got[0])
	}
}

// TestT89CallsMissingFromSearchAreNoted with the time when they were missed, and differ from calls without a transcript.
func TestT89CallsMissingFromSearchAreNoted(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(124)
	c.Calls, c.CallsLeftOut = 150, 0.1
	b := newBedWith(t, c, withStreams("calls, call_transcripts"))
	report := b.syncOnce(runner.Options{})
	missing := b.queryRows("SELECT count(*) FROM calls c WHERE ended_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM call_transcripts t WHERE t.call_id = c.id)")
	recorded := b.queryRows("SELECT count(*) FROM call_transcripts_all WHERE _gone_at IS NOT NULL AND transcript_status IS NULL")
	if missing[0] != recorded[0] || missing[0] == "0" || streamResult(t, report, "call_transcripts").Gone == 0 {
		t.Errorf("%s are missing, %s recorded", missing[0], recorded[0])
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.CallsLeftOut = 0 })
	b.space.Advance(24 * time.Hour)
	if s := streamResult(t, b.syncOnce(runner.Options{}), "call_transcripts"); s.Requests > 2 {
		t.Errorf("%d requests: what was missed long after its call is not asked for again", s.Requests)
	}
}

// TestT90SignedURLsAreNoChangeAndAreNotStored: each answer signs the URLs anew, and the program does not follow them.
func TestT90SignedURLsAreNoChangeAndAreNotStored(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(125)
	c.Calls = 60
	b := newBedWith(t, c, withStreams("calls, call_transcripts"))
	b.syncOnce(runner.Options{})
	if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 {
		t.Errorf("the second run wrote %d rows", report.TotalRows())
	}
	for _, table := range []string{"calls_all", "call_transcripts_all", "call_transcript_lines", "call_recordings"} {
		if got := b.queryRows("SELECT count(*) FROM " + table + " t WHERE to_json(t)::VARCHAR LIKE '%Signature%'"); got[0] != "0" {
			t.Errorf("%s: %s rows hold a signature", table, got[0])
		}
	}
	if got := b.queryRows("SELECT count(recording_url) > 10, count(*) FILTER (recording_url LIKE 'https://media.example/calls/%/recording') = count(recording_url) FROM calls"); got[0] != "true|true" {
		t.Errorf("addresses without their signature: %v", got)
	}
	var want []string
	forgotten := oracletest.ErasedContacts(b.space)
	for _, row := range b.space.Oracle("calls") {
		if id, _ := row["contact_id"].(string); row["recording_url"] != nil && !forgotten[id] {
			want = append(want, fmt.Sprint(row["id"], row["contact_id"], row["recording_url"], row["ended_at"].(int64)-row["answered_at"].(int64)))
		}
	}
	oracletest.CompareRows(t, "recordings", b.queryRows("SELECT call_id || contact_id || recording_url || duration_seconds FROM call_recordings"), want)
	for _, r := range b.space.Requests() {
		if strings.HasSuffix(r.Path, "/recording") || strings.HasSuffix(r.Path, "/transcript") {
			t.Errorf("asked %s", r.Path)
		}
	}
}
