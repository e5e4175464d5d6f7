-- How many calls have a recording, and how many have a transcript of which status?
SELECT c.call_type, coalesce(t.transcript_status, 'no transcript') AS transcript, count(*) AS calls, count(r.call_id) AS recorded,
       round(sum(r.duration_seconds) / 3600.0, 1) AS hours_recorded
FROM calls c LEFT JOIN call_transcripts t ON t.call_id = c.id LEFT JOIN call_recordings r ON r.call_id = c.id
GROUP BY c.call_type, transcript ORDER BY c.call_type, calls DESC, transcript;
