-- relation: reply_pairs (table)
-- doc: One row per wait of the contact, from the first message of a turn to the next answer. The first message of a conversation counts if the contact began it. An answer is a message by anybody else, by conversation_messages: a close with words by an admin is one, a note is not. A close without words ends the turn without an answer, and a later message starts another wait. Redacted messages count. Columns that end in _office need warehouse.office_hours.
-- key: conversation_id, asked_part_id
-- changed by: conversations.id, conversation_parts.conversation_id
-- column conversation_id: Id of the conversation.
-- column asked_part_id: Part that starts the wait; source for the first message of the conversation.
-- column asked_at: Start of the wait; before the conversation's created_at where older messages were imported.
-- column asked_date: Day of asked_at, in the time zone of the warehouse.
-- column answered_part_id: Part with the answer; null without an answer.
-- column answered_at: Time of the answer; null without an answer.
-- column answered_by: Kind of author - human (an admin), ai (the AI agent, or an answer of it), workflow (another bot, or a team without a name); null without an answer.
-- column answered_by_id: Id of the author; for human an admin, who may be deleted. Null without an answer.
-- column closed_at: Time of a close, by any author, that ended the wait without an answer; null after an answer, and while the wait lasts.
-- column reply_time_calendar: Seconds from asked_at to answered_at; null without an answer.
-- column reply_time_office: Office seconds from asked_at to answered_at; null without an answer, and without warehouse.office_hours.
WITH said AS (
  SELECT conversation_id, sent_at AS happened_at, CASE WHEN part_id <> 'source' THEN part_id ELSE '' END AS part_id, author_kind AS who, author_id
  FROM {models}.conversation_messages WHERE author_kind IS NOT NULL AND (part_id <> 'source' OR author_kind = 'contact')
  UNION ALL
  SELECT conversation_id, created_at, id, 'close', author_id
  FROM {schema}.conversation_parts SEMI JOIN {schema}.conversations ON conversations.id = conversation_parts.conversation_id
  WHERE part_type = 'close'
), waits AS (
  SELECT conversation_id, part_id, happened_at,
         lead(CASE WHEN who <> 'contact' THEN {'part_id': part_id, 'happened_at': happened_at, 'who': who, 'author_id': author_id} END IGNORE NULLS) OVER ordered AS next
  FROM said
  -- The words of a close come before the close itself.
  WINDOW ordered AS (PARTITION BY conversation_id ORDER BY happened_at, length(part_id), part_id, who = 'close')
  QUALIFY said.who = 'contact' AND lag(said.who) OVER ordered IS DISTINCT FROM 'contact'
), pairs AS (
  SELECT conversation_id, part_id, happened_at AS asked_at, next.who = 'close' AS closed, next.happened_at AS next_at,
         CASE WHEN next.who <> 'close' THEN next.happened_at END AS answered_at, next.part_id AS answered_part_id, next.who AS answered_by, next.author_id AS answered_by_id
  FROM waits
)
SELECT p.conversation_id, CASE WHEN p.part_id = '' THEN 'source' ELSE p.part_id END AS asked_part_id, p.asked_at,
       timezone({timezone}, p.asked_at)::DATE AS asked_date,
       CASE WHEN NOT p.closed THEN p.answered_part_id END AS answered_part_id, p.answered_at,
       CASE WHEN NOT p.closed THEN p.answered_by END AS answered_by,
       CASE WHEN NOT p.closed THEN p.answered_by_id END AS answered_by_id,
       CASE WHEN p.closed THEN p.next_at END AS closed_at,
       (epoch(p.answered_at) - epoch(p.asked_at))::BIGINT AS reply_time_calendar,
       ((t.open_before + epoch(least(p.answered_at, t.ends_at)) - epoch(t.opens_at))
        - (f.open_before + epoch(least(p.asked_at, f.ends_at)) - epoch(f.opens_at)))::BIGINT AS reply_time_office
FROM pairs p
ASOF LEFT JOIN {models}.office_hours f ON p.asked_at >= f.opens_at
ASOF LEFT JOIN {models}.office_hours t ON p.answered_at >= t.opens_at
