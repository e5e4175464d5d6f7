-- relation: consultations (view)
-- doc: One row per consultation (hitl_cycle_id): its outcome, its stored rounds against rounds_count, whether the first draft was sent unchanged, and its duration. A consultation that another one replaced has the outcome superseded and a row.
-- key: conversation_id, hitl_cycle_id
-- column started_date: Day of started_at.
-- column duration: Seconds from its first event to its end; null if no end is stored.
-- column duration_seconds: Duration in seconds, from the source.
-- column rounds_stored: Number of stored rounds of feedback; the source sends the newest ten.
-- column rounds_missing: Number of rounds of feedback that are not stored; 0 if all are stored, null if the source does not count them.
-- column edited: The sent text differs from the first draft. Null if nothing was sent, if a text is truncated, and after a redaction.
SELECT conversation_id, hitl_cycle_id, started_at, finished_at, timezone({timezone}, started_at)::DATE AS started_date,
       outcome, channel, rule_id, rule_name, rule_threshold_percent, confidence_percent, reviewer_admin_id, approved_draft_type,
       asked_part_id, sent_part_id,
       (epoch(finished_at) - epoch(started_at))::BIGINT AS duration, duration_seconds,
       rounds_count, rounds_stored, rounds_count - rounds_stored AS rounds_missing, rounds_truncated,
       CASE WHEN NOT coalesce(payload_truncated, false) THEN sent_text <> draft END AS edited, payload_truncated, _synced_at
FROM {schema}.consultations
