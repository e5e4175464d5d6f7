-- relation: calls_with_parts (view)
-- doc: One row per call, with its conversation, the part that summarizes it, its transcript and its recording. Several calls may share a conversation. A call with a deleted conversation keeps its row.
-- key: call_id
-- column call_id: Id of the call.
-- column conversation_id: Conversation of the call; null for a call without one.
-- column contact_id: Contact at the other end, as the survivor of merges.
-- column answered: The call was answered.
-- column initiated_date: Day of initiated_at.
-- column time_to_answer: Seconds from the start of ringing to the answer; null if nobody answered.
-- column talk_time: Seconds from the answer to the end; null if nobody answered, and until the end.
-- column time_to_giving_up: Seconds from the start of ringing to the end of an unanswered call; null for other calls.
-- column conversation_created_at: Start of the conversation; null if the conversation is not stored, e.g. after its deletion.
-- column conversation_state: State of the conversation - open, closed or snoozed; null if the conversation is not stored.
-- column calls_of_conversation: Number of calls of the conversation, including this one; null for a call without a conversation.
-- column summary_part_id: Newest call_summary part of the call, conversation_parts.id; null without one, as in API versions up to 2.16. The part exists from the start, possibly without text, and counts after a redaction.
-- column summary_parts: Number of call_summary parts of the call; null without any.
-- column transcribed: The call has a transcript, in lines or as one text; null if no transcript was requested.
-- column transcript_lines: Number of lines of the transcript; null without lines.
-- column recorded: The call was recorded, according to the list of calls.
WITH summaries AS (
  SELECT call_id, count(*) AS summary_parts,
         arg_max(id, {'at': created_at, 'length': length(id), 'id': id}) AS summary_part_id -- ids are numbers as text
  FROM {schema}.conversation_parts
  WHERE part_type = 'call_summary' AND call_id IS NOT NULL
  GROUP BY call_id
), lines AS (
  SELECT call_id, count(*) AS transcript_lines FROM {schema}.call_transcript_lines GROUP BY call_id
)
SELECT k.id AS call_id, k.conversation_id, coalesce(i.current_contact_id, k.contact_id) AS contact_id, k.admin_id,
       k.call_type, k.direction, k.state, k.ended_reason,
       k.initiated_at, k.answered_at, k.ended_at, timezone({timezone}, k.initiated_at)::DATE AS initiated_date,
       k.answered_at IS NOT NULL AS answered,
       (epoch(k.answered_at) - epoch(k.initiated_at))::BIGINT AS time_to_answer,
       (epoch(k.ended_at) - epoch(k.answered_at))::BIGINT AS talk_time,
       CASE WHEN k.answered_at IS NULL THEN (epoch(k.ended_at) - epoch(k.initiated_at))::BIGINT END AS time_to_giving_up,
       c.created_at AS conversation_created_at, c.state AS conversation_state,
       CASE WHEN k.conversation_id IS NOT NULL THEN count(*) OVER (PARTITION BY k.conversation_id) END AS calls_of_conversation,
       s.summary_part_id, s.summary_parts,
       t.transcript_status,
       CASE WHEN t.call_id IS NOT NULL THEN l.call_id IS NOT NULL OR t.transcript_text IS NOT NULL END AS transcribed,
       l.transcript_lines,
       k.recording_url IS NOT NULL AS recorded, k.recording_url
FROM {schema}.calls k
LEFT JOIN {schema}.conversations c ON c.id = k.conversation_id
LEFT JOIN {schema}.contact_identity i ON i.contact_id = k.contact_id
LEFT JOIN summaries s ON s.call_id = k.id
LEFT JOIN {schema}.call_transcripts t ON t.call_id = k.id
LEFT JOIN lines l ON l.call_id = k.id
