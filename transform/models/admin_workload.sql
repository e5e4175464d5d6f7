-- relation: admin_workload (view)
-- doc: One row per admin and day, in the warehouse's time zone, on which the admin wrote, closed or was assigned a conversation. Deleted conversations do not count. Days without activity have no row. Bots have no rows, and texts that the AI agent writes under an admin's name do not count. Columns that end in _office need warehouse.office_hours.
-- key: admin_id, workload_date
-- column admin_id: Id of the admin, who may have left; teammates has the name.
-- column workload_date: The day, in the time zone of the warehouse.
-- column replies: Number of messages by the admin, by conversation_messages: comments, and words with an assignment, a close, a snooze or a reopening. Redacted ones count, first messages of conversations do not.
-- column conversations_replied: Number of conversations with such a reply on that day. A sum over days counts a conversation once a day; conversation_messages has the different ones of a week.
-- column notes: Number of notes by the admin.
-- column closes: Number of closes by the admin.
-- column assigned: Number of parts that assigned a conversation to the admin, by any author.
-- column waits_answered: Number of waits of contacts, from reply_pairs, that the admin answered on that day.
-- column median_reply_time: Median of reply_time_calendar over those waits, in whole seconds; null without waits.
-- column median_reply_time_office: Median of reply_time_office over those waits, in whole seconds; null without waits, and without warehouse.office_hours.
WITH told AS (
  SELECT conversation_id, created_at, part_type, author_id,
         author_type = 'admin' AND NOT coalesce(from_ai_agent OR is_ai_answer, false) AS by_admin,
         CASE WHEN assigned_to_type = 'admin' THEN coalesce(admin_assignee_id, assigned_to_id) END AS assigned_id
  FROM {schema}.conversation_parts SEMI JOIN {schema}.conversations ON conversations.id = conversation_parts.conversation_id
), wrote AS (
  SELECT author_id AS admin_id, timezone({timezone}, sent_at)::DATE AS workload_date, count(*) AS replies, count(DISTINCT conversation_id) AS conversations_replied
  FROM {models}.conversation_messages WHERE author_kind = 'human' AND part_id <> 'source' AND author_id IS NOT NULL GROUP BY ALL
), did AS (
  SELECT author_id AS admin_id, timezone({timezone}, created_at)::DATE AS workload_date,
         count(*) FILTER (part_type = 'note') AS notes, count(*) FILTER (part_type = 'close') AS closes
  FROM told WHERE by_admin AND author_id IS NOT NULL AND part_type IN ('note', 'close') GROUP BY ALL
), took AS (
  SELECT assigned_id AS admin_id, timezone({timezone}, created_at)::DATE AS workload_date, count(*) AS assigned
  FROM told WHERE assigned_id IS NOT NULL GROUP BY ALL
), answered AS (
  SELECT answered_by_id AS admin_id, timezone({timezone}, answered_at)::DATE AS workload_date, count(*) AS waits_answered,
         round(median(reply_time_calendar))::BIGINT AS median_reply_time, round(median(reply_time_office))::BIGINT AS median_reply_time_office
  FROM {models}.reply_pairs WHERE answered_by = 'human' AND answered_by_id IS NOT NULL GROUP BY ALL
)
SELECT admin_id, workload_date, coalesce(replies, 0) AS replies, coalesce(conversations_replied, 0) AS conversations_replied, coalesce(notes, 0) AS notes,
       coalesce(closes, 0) AS closes, coalesce(assigned, 0) AS assigned, coalesce(waits_answered, 0) AS waits_answered, median_reply_time, median_reply_time_office
FROM wrote FULL JOIN did USING (admin_id, workload_date) FULL JOIN took USING (admin_id, workload_date) FULL JOIN answered USING (admin_id, workload_date)
