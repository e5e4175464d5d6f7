-- Who has waited longest for an answer, and with which team and teammate?
-- The source sets some waiting_since to the far future. These are no waits.
WITH now AS (
  SELECT max(synced_to) AS moment FROM _sync.freshness
)
SELECT c.id, c.state, c.priority, t.name AS team, a.name AS admin, round((epoch(moment) - epoch(c.waiting_since)) / 3600, 1) AS hours_waited
FROM conversations c CROSS JOIN now LEFT JOIN teams t ON t.id = c.team_assignee_id LEFT JOIN models.teammates a ON a.admin_id = c.admin_assignee_id
WHERE c.open AND c.waiting_since <= moment ORDER BY c.waiting_since, c.id LIMIT 20;
