-- Conversations with calls without a final transcript; the second column is the call. Transcripts come late: a call is
-- requested until its status is final, or until it was requested once more than 14 days after its end. An unknown status
-- only costs requests.
WITH swept AS (
  -- The source's clock at the last read of the calls.
  SELECT coalesce(max(synced_to), 'infinity'::TIMESTAMPTZ) AS at
  FROM _sync.checkpoints WHERE schema = trim('{schema}', '"') AND stream = 'calls'
), ended AS (
  -- A call without an end counts as ended a day after its start.
  SELECT id, conversation_id, coalesce(ended_at, initiated_at + INTERVAL 24 HOUR, created_at + INTERVAL 24 HOUR, '-infinity'::TIMESTAMPTZ) AS at
  FROM {schema}.calls WHERE conversation_id IS NOT NULL
), readings AS (
  SELECT call_id, greatest(read_at, coalesce(_gone_at, read_at)) AS at,
    _gone_at IS NULL AND coalesce(lower(transcript_status), '') IN
      ('complete', 'completed', 'final', 'failed', 'none', 'unavailable', 'not_available') AS final
  FROM {schema}.call_transcripts_all
)
SELECT e.conversation_id, e.id
FROM ended e CROSS JOIN swept s LEFT JOIN readings r ON r.call_id = e.id
WHERE e.at <= s.at AND (r.call_id IS NULL
  -- Six hours, so that two runs in a row do not request it twice.
  OR NOT r.final AND r.at < e.at + INTERVAL 14 DAY AND r.at < s.at - INTERVAL 6 HOUR)
ORDER BY 1, 2
