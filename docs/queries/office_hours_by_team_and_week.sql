-- How long did contacts wait for an answer in office hours, the first one and all, by team and week, over the last four weeks?
-- An answer counts in the week of the question, for the team that was assigned when it was given: words with an assignment to another team, for the team
-- before it. Without office_hours in pipelines.yaml the office times are empty.
-- draw: p90_office_minutes
WITH answers AS (
  SELECT date_trunc('week', r.asked_date)::DATE AS week_date, r.reply_time_office, CASE WHEN i.ended_at IS NULL OR i.ended_at >= r.answered_at THEN i.team_id END AS team_id,
         CASE WHEN m.first_human_response_at = r.answered_at THEN m.time_to_first_response_office END AS first_response_office
  FROM (SELECT * FROM models.reply_pairs WHERE answered_by = 'human') r JOIN models.conversation_metrics m ON m.conversation_id = r.conversation_id
  -- Several parts of one second are in the order of their ids.
  ASOF LEFT JOIN models.assignment_intervals i ON i.conversation_id = r.conversation_id
    AND (r.answered_at, length(r.answered_part_id), r.answered_part_id) > (i.began_at, length(i.part_id), i.part_id)
)
SELECT a.week_date, CASE WHEN a.team_id IS NULL THEN 'no team' ELSE coalesce(t.name, 'team ' || a.team_id || ', which is gone') END AS team, count(*) AS answers,
       round(median(a.reply_time_office) / 60, 1) AS median_office_minutes, round(quantile_cont(a.reply_time_office, 0.9) / 60, 1) AS p90_office_minutes,
       count(a.first_response_office) AS first_responses, round(median(a.first_response_office) / 60, 1) AS median_first_office_minutes
FROM answers a LEFT JOIN teams t ON t.id = a.team_id
WHERE a.week_date > date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), (SELECT max(synced_to) FROM _sync.freshness))) - INTERVAL 28 DAY
GROUP BY a.week_date, a.team_id, t.name ORDER BY a.week_date DESC, answers DESC, team, a.team_id;
