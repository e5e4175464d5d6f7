-- Which team answers fastest, and which closes fastest?
SELECT CASE WHEN coalesce(m.team_assignee_id, '0') = '0' THEN 'no team' ELSE coalesce(t.name, 'team ' || m.team_assignee_id || ', which is gone') END AS team,
       count(*) AS conversations, round(median(m.time_to_first_response_calendar) / 60, 1) AS median_minutes_to_answer,
       round(median(m.median_reply_time) / 60, 1) AS median_minutes_to_reply, round(median(m.time_to_first_close) / 3600, 1) AS median_hours_to_close
FROM models.conversation_metrics m LEFT JOIN teams t ON t.id = m.team_assignee_id GROUP BY team ORDER BY median_minutes_to_answer NULLS LAST, team;
