-- What happened in the six hours before the workspace was last read?
WITH last AS (SELECT max(synced_to) AS moment FROM _sync.checkpoints)
SELECT what, count(*) AS contacts FROM (
  SELECT CASE WHEN lifecycle <> 'active' THEN lifecycle
              WHEN created_at > moment - INTERVAL 6 HOUR THEN 'created'
              ELSE 'changed' END AS what
  FROM contacts_all, last
  WHERE coalesce(inactive_since, updated_at) > moment - INTERVAL 6 HOUR)
GROUP BY ALL ORDER BY contacts DESC, what;
