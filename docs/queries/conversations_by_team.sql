-- How many conversations does each team have open, snoozed and closed?
-- No team is 0 in newer API versions and null in older ones.
WITH talks AS (
  SELECT state, nullif(team_assignee_id, '0') AS team_id FROM conversations
)
SELECT CASE WHEN c.team_id IS NULL THEN 'no team' ELSE coalesce(t.name, 'team ' || c.team_id || ', which is gone') END AS team,
       count(*) FILTER (c.state = 'open') AS open, count(*) FILTER (c.state = 'snoozed') AS snoozed, count(*) FILTER (c.state = 'closed') AS closed, count(*) AS conversations
FROM talks c LEFT JOIN teams t ON t.id = c.team_id GROUP BY c.team_id, t.name ORDER BY conversations DESC, team, c.team_id;
