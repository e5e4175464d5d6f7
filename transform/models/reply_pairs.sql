-- relation: reply_pairs (view)
-- doc: One row per wait of the contact, from the first message of a turn to the next answer. The first message of a conversation counts if the contact began it. An answer is a comment, or an assignment with a body by an admin; a note is not. A close ends the turn without an answer, and a later message starts another wait. Redacted messages count.
-- key: conversation_id, asked_part_id
-- column conversation_id: Id of the conversation.
-- column asked_part_id: Part that starts the wait; source for the first message of the conversation.
-- column asked_at: Start of the wait.
-- column asked_date: Day of asked_at, in the time zone of the warehouse.
-- column answered_part_id: Part with the answer; null without an answer.
-- column answered_at: Time of the answer; null without an answer.
-- column answered_by: Kind of author - human (an admin), ai (the AI agent, or an answer of it), workflow (another bot, or a team without a name); null without an answer.
-- column answered_by_id: Id of the author; for human an admin, who may be deleted. Null without an answer.
-- column closed_at: Time of a close, by any author, that ended the wait without an answer; null after an answer, and while the wait lasts.
-- column reply_time_calendar: Seconds from asked_at to answered_at; null without an answer.
-- column reply_time_office: Office seconds from asked_at to answered_at; null without an answer or office hours.
WITH said AS (
  SELECT id AS conversation_id, created_at AS happened_at, '' AS part_id, 'contact' AS who, NULL AS author_id
  FROM {schema}.conversations WHERE source_author_type IN ('user', 'lead')
  UNION ALL
  SELECT conversation_id, created_at, id,
         CASE WHEN part_type = 'close' THEN 'close'
              WHEN author_type IN ('user', 'lead') THEN 'contact'
              WHEN from_ai_agent OR is_ai_answer THEN 'ai'
              WHEN author_type = 'admin' THEN 'human'
              WHEN author_type IN ('bot', 'team') THEN 'workflow' END, author_id
  FROM {schema}.conversation_parts SEMI JOIN {schema}.conversations ON conversations.id = conversation_parts.conversation_id
  WHERE part_type IN ('comment', 'close')
     OR part_type IN ('assignment', 'assign_and_reopen') AND author_type = 'admin' AND (body <> '' OR redacted)
), waits AS (
  SELECT conversation_id, part_id, happened_at,
         lead(CASE WHEN who <> 'contact' THEN {'part_id': part_id, 'happened_at': happened_at, 'who': who, 'author_id': author_id} END IGNORE NULLS) OVER ordered AS next
  FROM said WHERE who IS NOT NULL
  WINDOW ordered AS (PARTITION BY conversation_id ORDER BY happened_at, length(part_id), part_id)
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
