-- How long did contacts wait for an answer in office hours, the first one and all, by team and week, over the last four weeks?
-- An answer counts in the week of the question, for the team that was assigned when it was given: words with an assignment to another team, for the team
-- before it. A first response is a human's, also after one of the AI agent. Without office_hours in pipelines.yaml the office times are empty.
-- draw: p90_office_minutes
WITH said AS (
  SELECT conversation_id, asked_at, answered_at, answered_part_id, reply_time_office, NULL AS first_response_office, false AS first FROM models.reply_pairs WHERE answered_by = 'human'
  UNION ALL
  SELECT m.conversation_id, m.first_contact_reply_at, m.first_human_response_at, min_by(s.part_id, (length(s.part_id), s.part_id)), NULL, m.time_to_first_response_office, true
  FROM models.conversation_metrics m
  JOIN models.conversation_messages s ON s.conversation_id = m.conversation_id AND s.sent_at = m.first_human_response_at AND s.author_kind = 'human' AND s.part_id <> 'source'
  GROUP BY ALL
), answers AS (
  SELECT s.*, date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), s.asked_at))::DATE AS week_date,
         CASE WHEN i.ended_at IS NULL OR i.ended_at >= s.answered_at THEN i.team_id END AS team_id
  FROM said s
  -- Several parts of one second are in the order of their ids.
  ASOF LEFT JOIN models.assignment_intervals i ON i.conversation_id = s.conversation_id
    AND (s.answered_at, length(s.answered_part_id), s.answered_part_id) > (i.began_at, length(i.part_id), i.part_id)
)
SELECT a.week_date, CASE WHEN a.team_id IS NULL THEN 'no team' ELSE coalesce(t.name, 'team ' || a.team_id || ', which is gone') END AS team, count(*) FILTER (NOT a.first) AS answers,
       round(median(a.reply_time_office) / 60, 1) AS median_office_minutes, round(quantile_cont(a.reply_time_office, 0.9) / 60, 1) AS p90_office_minutes,
       count(*) FILTER (a.first) AS first_responses, round(median(a.first_response_office) / 60, 1) AS median_first_office_minutes
FROM answers a LEFT JOIN teams t ON t.id = a.team_id
WHERE a.week_date > date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), (SELECT max(synced_to) FROM _sync.freshness))) - INTERVAL 28 DAY
GROUP BY a.week_date, a.team_id, t.name ORDER BY a.week_date DESC, answers DESC, team, a.team_id;
