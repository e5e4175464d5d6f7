-- How old are the unresolved tickets in each state, and how many of them are open?
-- draw: tickets
WITH unresolved AS (
  SELECT coalesce(y.state, 'no state') AS state, k.open, (epoch((SELECT max(synced_to) FROM _sync.freshness)) - epoch(k.created_at)) / 86400 AS days
  FROM tickets k JOIN models.ticket_cycle y ON y.ticket_id = k.id WHERE y.state IS DISTINCT FROM 'resolved'
)
SELECT state, count(*) AS tickets, count(*) FILTER (open) AS open, count(*) FILTER (days < 7) AS under_a_week, count(*) FILTER (days >= 7 AND days < 30) AS a_week_to_thirty_days,
       count(*) FILTER (days >= 30 AND days < 90) AS thirty_to_ninety_days, count(*) FILTER (days >= 90) AS ninety_days_and_more, round(max(days), 1) AS oldest_days
FROM unresolved GROUP BY state ORDER BY tickets DESC, state;
