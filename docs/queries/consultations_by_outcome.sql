-- What are the outcomes of consultations of the AI agent with teammates, and how long do they take?
SELECT outcome, count(*) AS consultations, round(median(duration_seconds) / 60, 1) AS median_minutes, round(avg(rounds_count), 2) AS mean_rounds,
       count(*) FILTER (sent_text IS NOT NULL AND draft IS NOT NULL AND sent_text <> draft) AS sent_with_changes
FROM consultations GROUP BY outcome ORDER BY consultations DESC, outcome;
