-- relation: state_intervals (table)
-- doc: One row per interval in which a conversation stayed in one state, from its parts. It starts open if the contact began it, and as sent if the workspace did, until the contact writes or a part shows another state. Without parts that show a state it starts in its current state. If its current state differs from that of its last part, that state starts at its last change.
-- key: conversation_id, number
-- changed by: conversations.id, conversation_parts.conversation_id
-- column conversation_id: Id of the conversation.
-- column number: Number of the interval in its conversation, from 1.
-- column state: open, snoozed or closed; others may come. sent: the workspace wrote, and nobody has answered, so nobody waits. An assignment that skips reopening keeps a closed conversation closed.
-- column began_at: Start of the interval. The first one starts at the conversation's created_at, also where older messages were imported.
-- column ended_at: End of the interval and start of the next one; null while it lasts.
-- column reopened: True for an open or snoozed interval directly after a closed one; false otherwise.
WITH marks AS (
  SELECT id AS conversation_id, 0 AS place, created_at AS happened_at, '' AS part_id, begins AS state,
         CASE WHEN state = 'open' THEN begins ELSE state END AS own
  FROM (SELECT *, CASE WHEN coalesce(source_author_type, 'user') IN ('user', 'lead') THEN 'open' ELSE 'sent' END AS begins FROM {schema}.conversations)
  UNION ALL
  -- The type tells where the part does not.
  SELECT conversation_id, 1, created_at, id,
         coalesce(state, CASE WHEN part_type = 'close' THEN 'closed' WHEN part_type = 'snoozed' THEN 'snoozed'
                              WHEN part_type IN ('open', 'assign_and_reopen') OR part_type IN ('comment', 'quick_reply') AND author_type IN ('user', 'lead') THEN 'open' END), NULL
  FROM {schema}.conversation_parts SEMI JOIN {schema}.conversations ON conversations.id = conversation_parts.conversation_id
  UNION ALL
  SELECT id, 2, coalesce(updated_at, created_at), '', state, NULL
  FROM {schema}.conversations
), changes AS (
  -- Imported parts are older than the conversation: none of them may start before created_at.
  SELECT conversation_id, place, happened_at, part_id, max(happened_at) OVER (ordered ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS began_at,
         lag(state) OVER ordered AS before,
         CASE WHEN place = 0 AND count(*) OVER whole = 2 THEN coalesce(own, state) ELSE state END AS state
  FROM marks WHERE state IS NOT NULL
  WINDOW whole AS (PARTITION BY conversation_id), ordered AS (PARTITION BY conversation_id ORDER BY place, happened_at, length(part_id), part_id)
  QUALIFY place = 0 OR marks.state <> lag(marks.state) OVER ordered AND (place = 1 OR count(*) OVER whole > 2)
)
SELECT conversation_id, row_number() OVER ordered AS number, state, began_at, lead(began_at) OVER ordered AS ended_at,
       coalesce(state IN ('open', 'snoozed') AND before = 'closed', false) AS reopened
FROM changes
WINDOW ordered AS (PARTITION BY conversation_id ORDER BY place, happened_at, length(part_id), part_id)
