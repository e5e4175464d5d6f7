-- relation: call_recordings (view)
-- doc: One row per call that was recorded, as far as the list of calls tells of its recording. Nobody asks for the recording itself: each answer to that is an address that opens it for a while.
-- column call_id: The call.
-- column duration_seconds: From the answer to the end of the call.
-- column recording_url: Address of the recording, without the signature that opens it; GET /calls/{id}/recording leads to one that does.
SELECT id AS call_id, conversation_id, admin_id, contact_id, call_type, direction, answered_at, ended_at,
       epoch(ended_at - answered_at)::BIGINT AS duration_seconds, recording_url, _synced_at
FROM {schema}.calls
WHERE recording_url IS NOT NULL
