-- What did the last run of each stream read, write and reject?
SELECT schema, stream, max_by(outcome, started_at) AS outcome, max_by(records, started_at) AS records, max_by(rows, started_at) AS rows,
       max_by(rejected, started_at) AS rejected, max_by(requests, started_at) AS requests
FROM _sync.stream_runs GROUP BY schema, stream ORDER BY schema, stream;
