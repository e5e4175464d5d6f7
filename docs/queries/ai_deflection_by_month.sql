-- In what share of closed conversations did the AI agent answer alone, without a human, by the month in which they started, over the last twelve months?
-- Only conversations in which the contact wrote count. Alone does not mean resolved: the source's outcome is beside it.
-- draw: percent_answered_by_the_ai_agent_alone
WITH months AS (
  SELECT unnest(generate_series(newest - INTERVAL 11 MONTH, newest, INTERVAL 1 MONTH))::DATE AS month_date
  FROM (SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
), closed AS (
  SELECT m.created_date, coalesce(f.resolved_by, 'nobody') AS answered_by, coalesce(f.resolved_by = 'ai', false) AS alone, r.resolved, r.ai_agent_resolution_state
  FROM models.first_contact_resolution f JOIN models.conversation_metrics m USING (conversation_id) JOIN models.ai_resolution r USING (conversation_id)
  WHERE m.state = 'closed' AND m.first_contact_reply_at IS NOT NULL
)
SELECT m.month_date, count(c.created_date) AS closed_conversations, count(*) FILTER (c.answered_by = 'human') AS answered_by_a_human,
       count(*) FILTER (c.alone) AS answered_by_the_ai_agent_alone, count(*) FILTER (c.alone AND c.resolved) AS resolved_by_the_ai_agent_alone,
       count(*) FILTER (c.alone AND c.ai_agent_resolution_state = 'abandoned') AS abandoned_with_the_ai_agent_alone,
       round(100.0 * count(*) FILTER (c.alone) / nullif(count(c.created_date), 0), 1) AS percent_answered_by_the_ai_agent_alone,
       round(100.0 * count(*) FILTER (c.alone AND c.resolved) / nullif(count(c.created_date), 0), 1) AS percent_resolved_by_the_ai_agent_alone
FROM months m LEFT JOIN closed c ON date_trunc('month', c.created_date) = m.month_date
GROUP BY m.month_date ORDER BY m.month_date DESC;
