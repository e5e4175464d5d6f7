-- Do our times agree with the source's own reports, and how large are the differences?
-- If the report counts office hours only, our calendar times are longer.
SELECT count(*) AS conversations, count(*) FILTER (agrees) AS agree, count(first_response_drift) AS first_responses,
       round(median(first_response_drift) / 60, 1) AS median_minutes_apart, count(first_close_drift) AS first_closes,
       round(median(first_close_drift) / 60, 1) AS median_minutes_apart_at_close
FROM models.metric_drift ORDER BY conversations;
