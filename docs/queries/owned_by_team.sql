-- How long was each team in charge of conversations that were not closed, and how many of them has it now?
-- A closed conversation stays assigned, and that time does not count. What still lasts counts up to the newest data.
-- draw: days_in_charge
WITH owned AS (
  SELECT a.conversation_id, a.team_id, a.ended_at IS NULL AND s.ended_at IS NULL AS lasts,
         epoch(least(coalesce(a.ended_at, now), coalesce(s.ended_at, now))) - epoch(greatest(a.began_at, s.began_at)) AS seconds
  FROM models.assignment_intervals a JOIN models.state_intervals s ON s.conversation_id = a.conversation_id AND s.state <> 'closed'
  CROSS JOIN (SELECT max(synced_to) AS now FROM _sync.freshness) f WHERE a.team_known
), totals AS (
  SELECT conversation_id, team_id, sum(seconds) AS seconds, bool_or(lasts) AS lasts FROM owned WHERE seconds > 0 OR lasts GROUP BY conversation_id, team_id
)
SELECT CASE WHEN i.team_id IS NULL THEN 'no team' ELSE coalesce(t.name, 'team ' || i.team_id || ', which is gone') END AS team,
       count(*) AS conversations, round(sum(i.seconds) / 86400.0, 1) AS days_in_charge,
       round(median(i.seconds) / 3600.0, 1) AS median_hours, count(*) FILTER (i.lasts) AS in_charge_now
FROM totals i LEFT JOIN teams t ON t.id = i.team_id GROUP BY i.team_id, t.name ORDER BY conversations DESC, team, i.team_id;
