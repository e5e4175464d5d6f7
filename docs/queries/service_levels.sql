-- How many conversations met their service level, and how many missed it?
-- draw: percent_met
SELECT sla_name, count(*) AS conversations, count(*) FILTER (met) AS met, count(*) FILTER (NOT met) AS missed, count(*) - count(met) AS undecided,
       round(100.0 * count(*) FILTER (met) / nullif(count(met), 0), 1) AS percent_met
FROM models.sla GROUP BY sla_name ORDER BY conversations DESC, sla_name;
