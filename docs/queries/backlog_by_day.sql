-- How many conversations were open or snoozed at the start of each of the last thirty days?
SELECT backlog_date, backlog, open_conversations, snoozed_conversations, backlog - lag(backlog) OVER (ORDER BY backlog_date) AS change
FROM models.backlog_daily ORDER BY backlog_date DESC LIMIT 30;
