-- How long was each team assigned to conversations, and how many is it assigned to now?
SELECT CASE WHEN i.team_id IS NULL THEN 'no team' ELSE coalesce(t.name, 'team ' || i.team_id || ', which is gone') END AS team,
       count(DISTINCT i.conversation_id) AS conversations, round(sum(i.owned_seconds) / 86400.0, 1) AS days_in_charge,
       round(median(i.owned_seconds) / 3600.0, 1) AS median_hours, count(*) FILTER (i.ended_at IS NULL) AS in_charge_now
FROM models.assignment_intervals i LEFT JOIN teams t ON t.id = i.team_id WHERE i.team_known GROUP BY team ORDER BY conversations DESC, team;
