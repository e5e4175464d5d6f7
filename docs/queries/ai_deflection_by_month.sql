-- What share of closed conversations was handled by the AI agent, without a human, by the month in which they started, over the last twelve months?
-- Only conversations in which the contact wrote count.
-- draw: percent_without_a_human
WITH months AS (
  SELECT unnest(generate_series(newest - INTERVAL 11 MONTH, newest, INTERVAL 1 MONTH))::DATE AS month_date
  FROM (SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
), closed AS (
  SELECT m.created_date, f.resolved_by FROM models.first_contact_resolution f JOIN models.conversation_metrics m USING (conversation_id)
  WHERE m.state = 'closed' AND m.first_contact_reply_at IS NOT NULL
)
SELECT m.month_date, count(c.created_date) AS closed_conversations, count(*) FILTER (c.resolved_by = 'human') AS answered_by_a_human,
       count(*) FILTER (c.resolved_by = 'ai') AS answered_by_the_ai_agent_alone,
       round(100.0 * count(*) FILTER (c.resolved_by = 'ai') / nullif(count(c.created_date), 0), 1) AS percent_without_a_human
FROM months m LEFT JOIN closed c ON date_trunc('month', c.created_date) = m.month_date
GROUP BY m.month_date ORDER BY m.month_date DESC;
