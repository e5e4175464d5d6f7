package oracletest

// otherTruths are the relations of streams that only some pipelines read.
func otherTruths() []streamTruth {
	return []streamTruth{
		{"calls", "calls", []string{"id", "conversation_id", "admin_id", "contact_id", "state", "call_type", "direction", "phone", "initiated_at",
			"answered_at", "ended_at", "ended_reason", "created_at", "updated_at", "recording_url", "transcription_url"}},
		{"call_transcripts", "(SELECT t.* FROM call_transcripts t JOIN calls c ON c.id = t.call_id)",
			[]string{"call_id", "conversation_id", "contact_id", "transcript_status"}},
		{"call_transcript_lines", "(SELECT l.* FROM call_transcript_lines l JOIN calls c ON c.id = l.call_id)",
			[]string{"call_id", "position:_position", "contact_id", "speaker", "text", "start_seconds", "end_seconds"}},
		{"admin_activity_logs", "admin_activity_logs", []string{"id", "activity_type", "activity_description", "metadata:metadata::VARCHAR",
			"created_at", "performed_by_type", "performed_by_id", "performed_by_email", "performed_by_ip"}},
	}
}
