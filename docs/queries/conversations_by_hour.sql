-- At which hours of the day do contacts write, on weekdays and at weekends?
WITH messages AS (
  SELECT timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), sent_at) AS written_at
  FROM models.conversation_messages WHERE author_kind = 'contact'
)
SELECT hour(written_at) AS hour_of_day, count(*) FILTER (isodow(written_at) < 6) AS on_weekdays, count(*) FILTER (isodow(written_at) > 5) AS at_weekends
FROM messages GROUP BY hour_of_day ORDER BY hour_of_day;
