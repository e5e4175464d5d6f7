-- How large is each segment, and how much has it grown since its first snapshot?
WITH counted AS (
  SELECT id, min_by(member_count, snapshot_date) AS first_count, min(snapshot_date) AS first_date FROM segments_daily GROUP BY id
)
SELECT name, person_type, member_count AS members, member_count - first_count AS grown, first_date AS since_date
FROM segments LEFT JOIN counted USING (id) ORDER BY members DESC NULLS LAST, name, id;
