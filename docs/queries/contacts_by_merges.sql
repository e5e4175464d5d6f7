-- How many contacts are one person under several ids?
WITH people AS (
  SELECT current_contact_id, count(*) AS ids FROM contact_identity GROUP BY current_contact_id
)
SELECT ids, count(*) AS people FROM people GROUP BY ids ORDER BY ids;
