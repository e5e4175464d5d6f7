-- How do consultations of the AI agent with teammates end, how long do they take, and how often is the first draft changed?
-- Only consultations with a sent answer can have a changed draft. When a teammate took over, the sent answer is the teammate's own.
SELECT outcome, count(*) AS consultations, round(median(duration_seconds) / 60, 1) AS median_minutes, round(avg(rounds_count), 2) AS mean_rounds,
       count(edited) AS sent, count(*) FILTER (edited) AS sent_with_changes
FROM models.consultations GROUP BY outcome ORDER BY consultations DESC, outcome;
