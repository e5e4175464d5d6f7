-- Which tickets have been open longest, and who is assigned to them?
SELECT k.id, k.number, k.category, k.ticket_state_internal_label AS state, t.name AS team, a.name AS admin,
       round((epoch((SELECT max(synced_to) FROM _sync.freshness)) - epoch(k.created_at)) / 86400, 1) AS days_open
FROM tickets k LEFT JOIN teams t ON t.id = k.team_assignee_id LEFT JOIN admins a ON a.id = k.admin_assignee_id
WHERE k.open ORDER BY k.created_at, k.id LIMIT 20;
