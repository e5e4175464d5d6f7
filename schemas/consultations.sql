-- relation: consultations (view)
-- doc: One row per consultation that has ended, from its events in hitl_events. A consultation that another one replaced has the outcome superseded.
-- key: conversation_id, hitl_cycle_id
-- column conversation_id: Id of the conversation.
-- column hitl_cycle_id: Id of the consultation.
-- column started_at: Time of its first event.
-- column finished_at: Time of its end.
-- column outcome: How it ended - approved, taken_over, timed_out_sent, timed_out_escalated, superseded; others may come.
-- column asked_part_id: Part that the AI agent asked about, conversation_parts.id.
-- column sent_part_id: Part with the sent answer, conversation_parts.id; null without one.
-- column reviewer_admin_id: Teammate who ended it; null without one.
-- column rounds_stored: Number of stored rounds of feedback; the source sends the newest ten.
-- column rounds_truncated: True if there were more rounds than are stored.
-- column payload_truncated: True if a text is truncated.
-- column draft: First answer that the AI agent proposed.
-- column _synced_at: Time of the commit that last changed one of its events.
WITH cycles AS (
  SELECT conversation_id, hitl_cycle_id,
         min(created_at) AS started_at,
         max(created_at) FILTER (event_type = 'ai_consultation_finished') AS finished_at,
         max(outcome) AS outcome,
         max(channel) AS channel,
         max(rule_id) AS rule_id, max(rule_name) AS rule_name, max(rule_threshold_percent) AS rule_threshold_percent,
         max(confidence_percent) AS confidence_percent,
         max(conversation_part_id) FILTER (event_type = 'ai_consultation_started') AS asked_part_id,
         max(conversation_part_id) FILTER (event_type = 'ai_consultation_finished') AS sent_part_id,
         max(reviewer_admin_id) FILTER (event_type = 'ai_consultation_finished') AS reviewer_admin_id,
         max(issue_summary) AS issue_summary, max(customer_question) AS customer_question,
         max(sharp_ask) AS sharp_ask, max(ask_rationale) AS ask_rationale, arg_min(draft, created_at) AS draft,
         max(approved_draft_type) AS approved_draft_type, max(final_draft) AS final_draft, max(sent_text) AS sent_text,
         max(duration_seconds) AS duration_seconds, max(rounds_count) AS rounds_count,
         count(DISTINCT round_index) FILTER (round_index > 0) AS rounds_stored,
         bool_or(payload_truncated) AS payload_truncated,
         max(_synced_at) AS _synced_at
  FROM {schema}.hitl_events
  GROUP BY ALL
)
SELECT * EXCLUDE (rounds_stored, payload_truncated, _synced_at),
       rounds_stored, rounds_count > rounds_stored AS rounds_truncated, payload_truncated, _synced_at
FROM cycles
