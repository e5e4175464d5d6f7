-- What share of closed conversations was opened again, by the month in which they started?
-- draw: percent_reopened
SELECT date_trunc('month', created_date)::DATE AS month_date, count(*) AS conversations, count(first_close_at) AS closed,
       count(*) FILTER (reopens > 0) AS reopened, round(100.0 * count(*) FILTER (reopens > 0) / nullif(count(first_close_at), 0), 1) AS percent_reopened
FROM models.conversation_metrics GROUP BY month_date ORDER BY month_date DESC LIMIT 12;
