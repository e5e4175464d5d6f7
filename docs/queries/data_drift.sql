-- In how many conversations do our numbers differ from the source's own, by measure, and why?
-- Times are in seconds, assignments and reopens are counts; what differs and why is in the dictionary, at metric_drift.
-- draw: percent_that_agree
SELECT source, measure, count(*) AS conversations, round(100.0 * count(*) FILTER (agrees) / count(*), 1) AS percent_that_agree, count(*) FILTER (NOT agrees) AS differ,
       median(abs(drift)) FILTER (NOT agrees) AS median_difference, mode(why ORDER BY why) AS most_frequent_reason
FROM models.metric_drift GROUP BY source, measure ORDER BY source, measure;
