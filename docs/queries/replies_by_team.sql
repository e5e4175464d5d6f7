-- Which team answers fastest?
-- An answer counts for the team that was assigned when it was given: words with an assignment to another team, for the team before it.
-- draw: median_minutes
WITH answers AS (
  SELECT r.reply_time_calendar, r.reply_time_office, CASE WHEN i.ended_at IS NULL OR i.ended_at >= r.answered_at THEN i.team_id END AS team_id
  FROM (SELECT * FROM models.reply_pairs WHERE answered_by = 'human') r
  -- Several parts of one second are in the order of their ids.
  ASOF LEFT JOIN models.assignment_intervals i ON i.conversation_id = r.conversation_id
    AND (r.answered_at, length(r.answered_part_id), r.answered_part_id) > (i.began_at, length(i.part_id), i.part_id)
)
SELECT CASE WHEN a.team_id IS NULL THEN 'no team' ELSE coalesce(t.name, 'team ' || a.team_id || ', which is gone') END AS team,
       count(*) AS answers, round(median(a.reply_time_calendar) / 60, 1) AS median_minutes, round(quantile_cont(a.reply_time_calendar, 0.9) / 60, 1) AS p90_minutes,
       round(median(a.reply_time_office) / 60, 1) AS median_office_minutes
FROM answers a LEFT JOIN teams t ON t.id = a.team_id GROUP BY a.team_id, t.name ORDER BY a.team_id IS NULL, median_minutes NULLS LAST, team, a.team_id;
