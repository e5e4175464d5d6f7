-- Do our times agree with those of the source's own reports, and by how much do they differ where not?
-- The report may count office hours only: then ours by the calendar are longer.
SELECT count(*) AS conversations, count(*) FILTER (agrees) AS agree, count(first_response_drift) AS first_responses,
       round(median(first_response_drift) / 60, 1) AS median_minutes_apart, count(first_close_drift) AS first_closes,
       round(median(first_close_drift) / 60, 1) AS median_minutes_apart_at_close
FROM models.metric_drift ORDER BY conversations;
