-- relation: backlog_daily (view)
-- doc: One row per day in the warehouse's time zone, with the conversations that were open or snoozed at 00:00, by state_intervals. The days go from the day after the first conversation to the day on which a changed conversation was last read. A conversation that opens exactly at 00:00 counts; one that closes then does not.
-- key: backlog_date
-- column backlog_date: The day, in the time zone of the warehouse.
-- column midnight_at: Start of the day; the counts are for this instant.
-- column backlog: Number of conversations open or snoozed.
-- column open_conversations: Number of open conversations.
-- column snoozed_conversations: Number of snoozed conversations.
WITH changes AS (
  -- The first midnight at which a change has happened.
  SELECT timezone({timezone}, happened_at - INTERVAL 1 MICROSECOND)::DATE + 1 AS day,
         sum(CASE WHEN state = 'open' THEN change ELSE 0 END) AS open_conversations, sum(CASE WHEN state = 'snoozed' THEN change ELSE 0 END) AS snoozed_conversations
  FROM (
    SELECT state, unnest([began_at, ended_at]) AS happened_at, unnest([1, -1]) AS change
    FROM {models}.state_intervals WHERE state IN ('open', 'snoozed')
  ) WHERE happened_at IS NOT NULL
  GROUP BY ALL
), days AS (
  SELECT unnest(generate_series(first_day, last_day, INTERVAL 1 DAY))::DATE AS day
  FROM (SELECT timezone({timezone}, min(created_at) - INTERVAL 1 MICROSECOND)::DATE + INTERVAL 1 DAY AS first_day,
               timezone({timezone}, coalesce(max(_synced_at), max(updated_at)))::DATE::TIMESTAMP AS last_day
        FROM {schema}.conversations)
)
SELECT d.day AS backlog_date, timezone({timezone}, d.day::TIMESTAMP) AS midnight_at,
       (open_conversations + snoozed_conversations)::BIGINT AS backlog, open_conversations::BIGINT AS open_conversations, snoozed_conversations::BIGINT AS snoozed_conversations
FROM (
  SELECT days.day, sum(coalesce(c.open_conversations, 0)) OVER ordered AS open_conversations, sum(coalesce(c.snoozed_conversations, 0)) OVER ordered AS snoozed_conversations
  FROM days LEFT JOIN changes c ON c.day = days.day
  WINDOW ordered AS (ORDER BY days.day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
) d
