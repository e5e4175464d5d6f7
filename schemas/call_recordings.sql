-- relation: call_recordings (view)
-- doc: One row per recorded call, according to the list of calls. Recordings are not downloaded: the API returns only addresses that expire.
-- key: call_id
-- column call_id: Id of the call.
-- column duration_seconds: Seconds from the answer to the end of the call.
-- column recording_url: Address of the recording, without the signature that opens it; GET /calls/{id}/recording returns one that works.
SELECT id AS call_id, conversation_id, admin_id, contact_id, call_type, direction, answered_at, ended_at,
       epoch(ended_at - answered_at)::BIGINT AS duration_seconds, recording_url, _synced_at
FROM {schema}.calls
WHERE recording_url IS NOT NULL
