-- What share of closed conversations that a contact wrote in was handled by the AI agent, without a human, by month?
-- draw: percent_without_a_human
SELECT date_trunc('month', m.created_date)::DATE AS month_date, count(*) AS closed_conversations,
       count(*) FILTER (f.resolved_by = 'human') AS answered_by_a_human, count(*) FILTER (f.resolved_by = 'ai') AS answered_by_the_ai_agent_alone,
       round(100.0 * count(*) FILTER (f.resolved_by = 'ai') / count(*), 1) AS percent_without_a_human
FROM models.first_contact_resolution f JOIN models.conversation_metrics m USING (conversation_id)
WHERE m.state = 'closed' AND m.first_contact_reply_at IS NOT NULL GROUP BY month_date ORDER BY month_date DESC LIMIT 12;
