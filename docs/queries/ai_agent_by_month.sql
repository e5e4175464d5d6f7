-- In how many conversations did the AI agent take part each month, and with what outcome?
SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), created_at))::DATE AS month_date, count(*) AS conversations,
       count(*) FILTER (ai_agent_participated) AS with_ai_agent, count(*) FILTER (ai_agent_resolution_state IN ('assumed_resolution', 'confirmed_resolution')) AS resolved,
       count(*) FILTER (ai_agent_resolution_state = 'routed_to_team') AS routed_to_team
FROM conversations GROUP BY month_date ORDER BY month_date DESC LIMIT 12;
