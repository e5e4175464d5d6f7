-- Which open tickets were created first, and who is assigned to them?
-- A ticket may be unresolved and not open, as while it waits for the customer: tickets_by_age has these, too.
-- draw: days_open
SELECT k.id, k.number, k.category, y.state, t.name AS team, a.name AS admin,
       round((epoch((SELECT max(synced_to) FROM _sync.freshness)) - epoch(k.created_at)) / 86400, 1) AS days_open
FROM tickets k JOIN models.ticket_cycle y ON y.ticket_id = k.id LEFT JOIN teams t ON t.id = k.team_assignee_id LEFT JOIN models.teammates a ON a.admin_id = k.admin_assignee_id
WHERE k.open AND y.state IS DISTINCT FROM 'resolved' ORDER BY k.created_at, k.id LIMIT 20;
