-- How long was each team assigned to conversations, and how many is it assigned to now?
-- An assignment that still lasts counts up to the newest data.
-- draw: days_in_charge
WITH owned AS (
  SELECT *, coalesce(owned_seconds, epoch((SELECT max(synced_to) FROM _sync.freshness)) - epoch(began_at)) AS seconds
  FROM models.assignment_intervals WHERE team_known
)
SELECT CASE WHEN i.team_id IS NULL THEN 'no team' ELSE coalesce(t.name, 'team ' || i.team_id || ', which is gone') END AS team,
       count(DISTINCT i.conversation_id) AS conversations, round(sum(i.seconds) / 86400.0, 1) AS days_in_charge,
       round(median(i.seconds) / 3600.0, 1) AS median_hours, count(*) FILTER (i.ended_at IS NULL) AS in_charge_now
FROM owned i LEFT JOIN teams t ON t.id = i.team_id GROUP BY i.team_id, t.name ORDER BY conversations DESC, team, i.team_id;
