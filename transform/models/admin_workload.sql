-- relation: admin_workload (view)
-- doc: One row per admin and day, in the warehouse's time zone, on which the admin wrote, closed or was assigned a conversation. Deleted conversations count. Days without activity have no row. Bots have no rows, and texts that the AI agent writes under an admin's name do not count.
-- key: admin_id, workload_date
-- column admin_id: Id of the admin, who may be deleted: admins_all has the names of deleted admins that were read before.
-- column workload_date: The day, in the time zone of the warehouse.
-- column replies: Number of comments, and assignments with a body, by the admin; redacted ones count.
-- column conversations_replied: Number of conversations with such a reply on that day.
-- column notes: Number of notes by the admin.
-- column closes: Number of closes by the admin.
-- column assigned: Number of parts that assigned a conversation to the admin, by any author.
-- column waits_answered: Number of waits of contacts, from reply_pairs, that the admin answered on that day.
-- column median_reply_time: Median of reply_time_calendar over those waits, in whole seconds; null without waits.
-- column median_reply_time_office: Median of reply_time_office over those waits, in whole seconds; null without waits or office hours.
WITH told AS (
  SELECT conversation_id, created_at, part_type, author_id,
         author_type = 'admin' AND NOT coalesce(from_ai_agent OR is_ai_answer, false) AS by_admin,
         part_type = 'comment' OR part_type IN ('assignment', 'assign_and_reopen') AND (body <> '' OR redacted) AS replies,
         CASE WHEN assigned_to_type = 'admin' THEN coalesce(admin_assignee_id, assigned_to_id) END AS assigned_id
  FROM {schema}.conversation_parts SEMI JOIN {schema}.conversations ON conversations.id = conversation_parts.conversation_id
), wrote AS (
  SELECT author_id AS admin_id, timezone({timezone}, created_at)::DATE AS workload_date,
         count(*) FILTER (replies) AS replies, count(DISTINCT conversation_id) FILTER (replies) AS conversations_replied,
         count(*) FILTER (part_type = 'note') AS notes, count(*) FILTER (part_type = 'close') AS closes
  FROM told WHERE by_admin AND author_id IS NOT NULL AND (coalesce(replies, false) OR part_type IN ('note', 'close')) GROUP BY ALL
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
FROM wrote FULL JOIN took USING (admin_id, workload_date) FULL JOIN answered USING (admin_id, workload_date)
