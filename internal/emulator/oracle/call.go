package oracle

import "aqueduck/internal/emulator/event"

// listedCalls yields the calls that the list contains.
func (o *Oracle) listedCalls(yield func(c *event.Call) bool) {
	for i := range o.log.Calls {
		c := &o.log.Calls[i]
		known := c.Initiated <= o.at && c.ListedAt <= o.at
		removed := c.Removed != 0 && c.Removed <= o.at
		if known && !removed && !yield(c) {
			return
		}
	}
}

// hasHappened reports whether a time has come; 0 never comes.
func (o *Oracle) hasHappened(at int64) bool { return at != 0 && at <= o.at }

func callRows(o *Oracle, yield func(Row) bool) {
	for c := range o.listedCalls {
		row := Row{"id": event.CallID(c.N), "conversation_id": event.ConversationID(int32(c.Conv)), "contact_id": c.Contact, "admin_id": nil,
			"state": "ringing", "call_type": "phone", "direction": "inbound", "phone": orNull(c.Phone), "initiated_at": c.Initiated, "answered_at": nil,
			"ended_at": nil, "ended_reason": nil, "created_at": c.Initiated, "updated_at": c.Initiated, "recording_url": nil, "transcription_url": nil}
		if c.Messenger {
			row["call_type"] = "messenger"
		}
		if c.Outbound {
			row["direction"] = "outbound"
		}
		// Later states overwrite earlier ones.
		if o.hasHappened(c.Answered) {
			row["state"], row["answered_at"], row["updated_at"] = "answered", c.Answered, c.Answered
			row["admin_id"] = idText(o.log.Cast.Admins[c.Admin].ID)
		}
		if c.Ended <= o.at {
			row["state"], row["ended_at"], row["updated_at"], row["ended_reason"] = "ended", orNull(c.Ended), max(c.Ended, row["updated_at"].(int64)), "hung_up"
			if c.Answered == 0 {
				row["ended_reason"] = "no_answer"
			}
		}
		files := "https://media.example/calls/" + event.CallID(c.N) + "/"
		if o.hasHappened(c.Recorded) {
			row["recording_url"] = files + "recording"
		}
		if o.isTranscribed(c) && !c.Failed {
			row["transcription_url"] = files + "transcript"
		}
		if !yield(row) {
			return
		}
	}
}

// isTranscribed reports whether the transcript of a call is final, or failed for good.
func (o *Oracle) isTranscribed(c *event.Call) bool {
	return c.Transcribed != 0 && c.Transcribed+o.terms.TranscriptLate <= o.at
}

// searchableCalls yields the calls that search returns, once they have ended.
func (o *Oracle) searchableCalls(yield func(c *event.Call) bool) {
	for c := range o.listedCalls {
		if c.Ended <= o.at && c.SearchDraw >= o.terms.CallsLeftOut && !yield(c) {
			return
		}
	}
}

func transcriptRows(o *Oracle, yield func(Row) bool) {
	for c := range o.searchableCalls {
		row := Row{"call_id": event.CallID(c.N), "conversation_id": event.ConversationID(int32(c.Conv)), "contact_id": c.Contact, "transcript_status": nil}
		switch {
		case c.Transcribed == 0: // there will never be a transcript
		case !o.isTranscribed(c):
			row["transcript_status"] = "pending"
		case c.Failed:
			row["transcript_status"] = "failed"
		default:
			row["transcript_status"] = "completed"
		}
		if !yield(row) {
			return
		}
	}
}

func transcriptLines(o *Oracle, yield func(Row) bool) {
	for c := range o.searchableCalls {
		if !o.isTranscribed(c) || c.Failed {
			continue
		}
		for i, line := range o.log.Facts.Lines(c.N) {
			if !yield(Row{"call_id": event.CallID(c.N), "position": int64(i), "contact_id": c.Contact, "speaker": line.Speaker,
				"text": line.Text, "start_seconds": line.Start, "end_seconds": line.End}) {
				return
			}
		}
	}
}
