-- How many conversations were reviewed with each scorecard, and how many passed?
-- A conversation without a review has not failed.
SELECT name AS scorecard, reviewed_teammate_type AS work_of, count(*) AS chosen, count(*) FILTER (review_status <> 'unreviewed') AS reviewed,
       count(*) FILTER (review_status <> 'unreviewed' AND passed) AS passed,
       round(100.0 * count(*) FILTER (review_status <> 'unreviewed' AND passed) / nullif(count(*) FILTER (review_status <> 'unreviewed'), 0), 1) AS percent_passed
FROM conversation_scorecards GROUP BY scorecard, work_of ORDER BY chosen DESC, scorecard, work_of;
