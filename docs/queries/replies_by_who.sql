-- How long do contacts wait for an answer, by who gives it: a human, the AI agent, a workflow, or nobody?
SELECT coalesce(answered_by, CASE WHEN closed_at IS NULL THEN 'nobody yet' ELSE 'nobody, it was closed' END) AS answered_by, count(*) AS waits,
       count(DISTINCT conversation_id) AS conversations, round(median(reply_time_calendar) / 60, 1) AS median_minutes,
       round(median(reply_time_office) / 60, 1) AS median_office_minutes
FROM models.reply_pairs GROUP BY ALL ORDER BY waits DESC, answered_by;
