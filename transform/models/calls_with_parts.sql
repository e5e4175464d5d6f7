-- relation: calls_with_parts (view)
-- doc: One row per call, with the conversation that it belongs to, the part that sums it up, its transcript and its recording. Several calls may share a conversation; one whose conversation was deleted is still here.
-- key: call_id
-- column call_id: The call.
-- column conversation_id: Conversation that the call belongs to; null for a call of none.
-- column contact_id: Contact at the other end, as the survivor of its merges.
-- column answered: Somebody answered.
-- column initiated_date: Day of initiated_at.
-- column time_to_answer: Seconds from the begin of ringing to the answer; null when nobody answered.
-- column talk_time: Seconds from the answer to the end; null when nobody answered and until it has ended.
-- column time_to_giving_up: Seconds from the begin of ringing to the end of a call that nobody answered; null for others.
-- column conversation_created_at: Beginning of the conversation; null where it is not stored, as when it was deleted.
-- column conversation_state: State of the conversation - open, closed or snoozed; null where it is not stored.
-- column calls_of_conversation: Calls that the conversation has, this one among them; null for a call of none.
-- column summary_part_id: Newest call_summary part about it, conversation_parts.id; null where there is none, as in API versions up to 2.16. It is there from the beginning, perhaps still without text, and counts when it is redacted.
-- column summary_parts: How many call_summary parts are about it; null without any.
-- column transcribed: It has a transcript, in lines or as one text; null where none was asked for.
-- column transcript_lines: Lines of the transcript; null where there are none.
-- column recorded: It was recorded, as far as the list of calls tells.
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
