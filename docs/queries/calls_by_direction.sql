-- How many calls in each direction are answered, how long do people talk, and what share of the answered calls has a transcript?
-- draw: mean_minutes
SELECT coalesce(direction, 'not told') AS direction, count(*) AS calls, count(*) FILTER (answered) AS answered, round(100.0 * count(*) FILTER (answered) / count(*), 1) AS percent_answered,
       round(avg(talk_time) / 60, 1) AS mean_minutes, round(median(talk_time) / 60, 1) AS median_minutes, round(median(time_to_answer), 1) AS median_seconds_to_answer,
       count(*) FILTER (answered AND transcribed) AS transcribed, round(100.0 * count(*) FILTER (answered AND transcribed) / nullif(count(*) FILTER (answered), 0), 1) AS percent_transcribed
FROM models.calls_with_parts GROUP BY ALL ORDER BY calls DESC, direction;
