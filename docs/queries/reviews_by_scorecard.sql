-- How many conversations were reviewed with each scorecard, and what share passed?
-- A conversation without a verdict has not failed.
-- draw: percent_passed
SELECT name AS scorecard, reviewed_teammate_type AS work_of, count(*) AS chosen, count(*) FILTER (reviewed) AS reviewed, count(passed) AS with_a_verdict,
       count(*) FILTER (passed) AS passed, round(100.0 * count(*) FILTER (passed) / nullif(count(passed), 0), 1) AS percent_passed
FROM models.qa GROUP BY scorecard, work_of ORDER BY chosen DESC, scorecard, work_of;
