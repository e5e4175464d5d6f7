-- Which teams meet their service levels?
-- draw: percent_met
SELECT CASE WHEN coalesce(s.team_assignee_id, '0') = '0' THEN 'no team' ELSE coalesce(t.name, 'team ' || s.team_assignee_id || ', which is gone') END AS team, s.sla_name,
       count(*) AS conversations, count(*) FILTER (s.met) AS met, count(*) FILTER (NOT s.met) AS missed, count(*) - count(s.met) AS undecided,
       round(100.0 * count(*) FILTER (s.met) / nullif(count(s.met), 0), 1) AS percent_met
FROM models.sla s LEFT JOIN teams t ON t.id = s.team_assignee_id
GROUP BY team, s.team_assignee_id, s.sla_name ORDER BY conversations DESC, team, s.team_assignee_id, s.sla_name LIMIT 40;
