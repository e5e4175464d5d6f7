package pipeline_test

import (
	"encoding/json"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/lane"
	"aqueduck/internal/runner"
)

// TestT168RecordWithAgreeingCountsIsReadOnce: a priority or a new title moves a conversation's updated_at and adds no part. Where search, the
// conversation and its parts agree on the number of parts, the next run need not read it a second time.
func TestT168RecordWithAgreeingCountsIsReadOnce(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	b, talks := talkBed(t, 92)
	b.syncOnce(runner.Options{})
	b.space.Advance(72 * time.Hour) // one of them has no statistics, so it is read as long as it is in the window
	b.syncOnce(runner.Options{})
	for _, id := range talks[2:] {
		b.failOn(b.space.UpdateConversation(id, emulator.FieldChange{Field: "priority", Value: "priority"}))
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if got := b.incompleteRecords("conversations"); len(got) != 0 {
		t.Errorf("noted %v", got)
	}
	before := b.space.RequestCount()
	b.syncOnce(runner.Options{})
	if n := b.countRequests(before, "/conversations/", "/conversations/search", "/conversations/deleted")["/conversations/"]; n != 0 {
		t.Errorf("a quiet run asked for %d conversations", n)
	}
	// A record that changed within the source's delay may have a changed part, which no count shows.
	b.failOn(b.space.UpdateConversation(talks[0], emulator.FieldChange{Field: "priority", Value: "not_priority"}))
	b.space.SetKnobs(func(k *emulator.Knobs) { k.NoLag = true })
	b.space.Advance(5 * time.Minute)
	b.syncOnce(runner.Options{})
	if got := b.incompleteRecords("conversations"); len(got) != 1 || got[0] != "recheck|"+talks[0] {
		t.Errorf("noted %v of what has changed five minutes ago", got)
	}
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestT168PartMissingFromAllCountsIsFound: search, the conversation and its parts are all stale, although the time is not. Their counts agree, so
// the record is not noted; the next search has a higher count than the stored row.
func TestT168PartMissingFromAllCountsIsFound(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b, talks := talkBed(t, 92)
	b.syncOnce(runner.Options{})
	b.space.Advance(72 * time.Hour) // one of them has no statistics, so it is read as long as it is in the window
	b.syncOnce(runner.Options{})
	b.failOn(b.space.ReplyConversation(talks[0], conversations.ByContact, "the newest part"))
	b.space.Advance(time.Hour)
	behind := func(record map[string]any) {
		if record["id"] != talks[0] {
			return
		}
		statistics := record["statistics"].(map[string]any)
		statistics["count_conversation_parts"] = statistics["count_conversation_parts"].(float64) - 1
		if parts, ok := record["conversation_parts"].(map[string]any); ok {
			list := parts["conversation_parts"].([]any)
			parts["conversation_parts"], parts["total_count"] = list[:len(list)-1], len(list)-1
		}
	}
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = func(_ string, body []byte) []byte {
			var answer map[string]any
			if json.Unmarshal(body, &answer) != nil || answer["conversations"] == nil && answer["conversation_parts"] == nil {
				return body
			}
			list, _ := answer["conversations"].([]any)
			for _, one := range append(list, answer) {
				behind(one.(map[string]any))
			}
			text, err := json.Marshal(answer)
			b.failOn(err)
			return text
		}
	})
	b.syncOnce(runner.Options{})
	parts := "SELECT count(*) FROM conversation_parts WHERE conversation_id = '" + talks[0] + "'"
	if got := append(b.incompleteRecords("conversations"), b.queryRows(parts)...); len(got) != 1 || got[0] != "4" {
		t.Errorf("noted, and its parts: %v", got)
	}
	b.answerWith("", nil)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}
