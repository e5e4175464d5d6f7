-- How many conversations does each team have open, snoozed and closed?
-- No team is 0 in newer API versions and null in older ones.
SELECT CASE WHEN coalesce(team_assignee_id, '0') = '0' THEN 'no team' ELSE coalesce(t.name, 'team ' || team_assignee_id || ', which is gone') END AS team,
       count(*) FILTER (state = 'open') AS open, count(*) FILTER (state = 'snoozed') AS snoozed, count(*) FILTER (state = 'closed') AS closed, count(*) AS conversations
FROM conversations LEFT JOIN teams t ON t.id = team_assignee_id GROUP BY team ORDER BY conversations DESC, team;
