-- What share of the conversations that the AI agent took part in does it resolve, and what share does it pass to the team?
-- draw: percent_resolved
SELECT date_trunc('month', created_date)::DATE AS month_date, count(*) AS conversations, count(*) FILTER (involved) AS involved,
       count(*) FILTER (resolved) AS resolved, count(*) FILTER (resolved_confirmed) AS confirmed, count(*) FILTER (escalated) AS passed_to_the_team,
       round(100.0 * count(*) FILTER (resolved) / nullif(count(*) FILTER (involved), 0), 1) AS percent_resolved,
       round(100.0 * count(*) FILTER (escalated) / nullif(count(*) FILTER (involved), 0), 1) AS percent_passed_to_the_team
FROM models.ai_resolution GROUP BY month_date ORDER BY month_date DESC NULLS LAST LIMIT 12;
