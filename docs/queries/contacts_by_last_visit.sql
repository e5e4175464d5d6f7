-- How long ago were the active contacts last seen?
-- Ages are counted to the time of the data, not to the current time.
WITH ages AS (
  SELECT role, epoch((SELECT max(synced_to) FROM _sync.freshness)) - epoch(last_seen_at) AS seconds FROM contacts
)
SELECT CASE WHEN seconds IS NULL THEN '6 never seen' WHEN seconds < 86400 THEN '1 within a day' WHEN seconds < 7 * 86400 THEN '2 within a week'
            WHEN seconds < 30 * 86400 THEN '3 within a month' WHEN seconds < 365 * 86400 THEN '4 within a year' ELSE '5 longer ago' END AS last_seen,
       count(*) AS contacts, count(*) FILTER (role = 'user') AS users
FROM ages GROUP BY last_seen ORDER BY last_seen;
