-- Conversations with calls whose transcript is not final yet; the second column is the call. A transcript comes late: a
-- call is asked for until its status is one of those that nothing follows, or until it was asked for once more than 14
-- days after its end. Other statuses than those are not known, so that they only cost requests.
WITH swept AS (
  -- The source's clock, as of the walk over the calls.
  SELECT coalesce(max(synced_to), 'infinity'::TIMESTAMPTZ) AS at
  FROM _sync.checkpoints WHERE schema = trim('{schema}', '"') AND stream = 'calls'
), ended AS (
  -- A call without an end is taken to have had one a day after its beginning.
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
  -- Six hours: two runs in a row do not ask twice.
  OR NOT r.final AND r.at < e.at + INTERVAL 14 DAY AND r.at < s.at - INTERVAL 6 HOUR)
ORDER BY 1, 2
