-- relation: consultations (view)
-- doc: One row per consultation, a hitl_cycle_id: how it ended, rounds kept against rounds_count, whether what was sent is the first draft, how long it took. One that another replaced is superseded and a row of its own.
-- key: conversation_id, hitl_cycle_id
-- column started_date: Day of started_at.
-- column duration: Seconds from its first event to its end; null where no end is stored.
-- column duration_seconds: How long it took, as the source says.
-- column rounds_stored: Rounds of feedback that are kept; the source sends the newest ten.
-- column rounds_missing: Rounds of feedback that there were and that are not kept; 0 when all are, null where the source does not count them.
-- column edited: The sent text differs from the first draft; null where nothing was sent, where a text is not whole, and where it was redacted.
SELECT conversation_id, hitl_cycle_id, started_at, finished_at, timezone({timezone}, started_at)::DATE AS started_date,
       outcome, channel, rule_id, rule_name, rule_threshold_percent, confidence_percent, reviewer_admin_id, approved_draft_type,
       asked_part_id, sent_part_id,
       (epoch(finished_at) - epoch(started_at))::BIGINT AS duration, duration_seconds,
       rounds_count, rounds_stored, rounds_count - rounds_stored AS rounds_missing, rounds_truncated,
       CASE WHEN NOT coalesce(payload_truncated, false) THEN sent_text <> draft END AS edited, payload_truncated, _synced_at
FROM {schema}.consultations
