-- As of when is the data, stream by stream?
-- A full refresh is as of its last read. An incremental stream has all changes until synced_to.
SELECT schema, stream, synced_to, history_to AS history_back_to, published_at, round((epoch(published_at) - epoch(synced_to)) / 3600, 1) AS hours_before_publish
FROM _sync.freshness ORDER BY schema, synced_to NULLS FIRST, stream;
